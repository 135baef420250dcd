import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { builtPackage } from "./build.ts";
import { bundleOneFile } from "./bundle.ts";
import { type Package, packages } from "./packages.ts";
import { run } from "./run.ts";

/** Includes Node, so nothing has to be installed. Returns its path. */
export async function buildExecutable(pkg: Package, outdir: string): Promise<string> {
  await builtPackage(pkg.name);
  const output = join(outdir, process.platform === "win32" ? `${pkg.name}.exe` : pkg.name);
  const folder = mkdtempSync(join(tmpdir(), "toolpact-sea-"));
  try {
    const main = join(folder, "main.mjs");
    await bundleOneFile(join(pkg.folder, "src/main.ts"), main);
    mkdirSync(outdir, { recursive: true });
    const config = join(folder, "sea.json");
    writeFileSync(
      config,
      JSON.stringify({
        main,
        mainFormat: "module",
        output,
        disableExperimentalSEAWarning: true,
        assets: assetsOf(pkg),
      }),
    );
    const built = await run(process.execPath, ["--build-sea", config]);
    if (!built.ok) throw new Error(`${pkg.name} cannot be built as one executable:\n${built.output}`);
    chmodSync(output, 0o755);
    return output;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** By path: its page, and files of a package that starts another program. */
function assetsOf({ folder }: Package): Readonly<Record<string, string>> {
  const dist = join(folder, "dist");
  const kept = [
    ...filesIn(dist, "web"),
    ...filesIn(folder, "addons"),
    ...filesIn(folder, "engine"),
    ...filesIn(folder, "scripts").filter((file) => file.endsWith(".sh")),
  ];
  return Object.fromEntries(
    [...kept, join(dist, "THIRD-PARTY-NOTICES.txt")].map((file) => [
      relative(file.startsWith(dist) ? dist : folder, file).replaceAll("\\", "/"),
      file,
    ]),
  );
}

function filesIn(folder: string, name: string): string[] {
  if (!existsSync(join(folder, name))) return [];
  return readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name: file }) => join(parentPath, file));
}

const EXECUTABLES: readonly string[] = ["tuitbot", "godot-mcp-omni"];

if (import.meta.main) {
  const outdir = join(import.meta.dirname, "../dist");
  for (const pkg of packages().filter(({ name }) => EXECUTABLES.includes(name)))
    console.log(await buildExecutable(pkg, outdir));
}
