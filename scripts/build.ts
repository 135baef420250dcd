import { existsSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { bundle } from "./bundle.ts";
import { type Package, packages } from "./packages.ts";
import { run } from "./run.ts";

/** Builds every package that is published: libraries by the compiler, commands into one file each. */
export async function build(): Promise<void> {
  for (const pkg of packages().filter(({ isPrivate }) => !isPrivate)) await buildPackage(pkg);
}

async function buildPackage({ name, folder, bins }: Package): Promise<void> {
  const dist = join(folder, "dist");
  await rm(dist, { recursive: true, force: true });
  if (existsSync(join(folder, "tsconfig.build.json"))) {
    const compiled = await run("tsc", ["-p", "tsconfig.build.json"], folder);
    if (!compiled.ok) throw new Error(`${name} does not build:\n${compiled.output}`);
  }
  if (bins.length > 0 && existsSync(join(folder, "src/cli.ts"))) {
    await bundle({ entries: { cli: join(folder, "src/cli.ts") }, outdir: dist });
  }
  if (existsSync(join(folder, "assets")))
    await cp(join(folder, "assets"), join(dist, "assets"), { recursive: true });
}

if (import.meta.main) {
  await build();
  console.log("Built every package into its dist folder.");
}
