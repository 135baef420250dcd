import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "./build.ts";
import { jsonText, packageOf } from "./distribution/client-files.ts";
import { packBundle } from "./distribution/mcpb.ts";
import { packPackage } from "./distribution/pack.ts";
import { type Publisher, publisherOf } from "./distribution/publisher.ts";
import { serverJson } from "./distribution/server-json.ts";
import { shippedServers } from "./distribution/servers.ts";
import { type Package, packages } from "./packages.ts";
import { run, runShown } from "./run.ts";

/**
 * Builds and packs everything that is published, and publishes it. With `--dry-run` it publishes nothing, and instead
 * installs every package into an empty folder with an empty cache and runs the first command of its README.
 */
const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } });

/** The first command that a README tells its reader to run; packages without a command are imported. */
const FIRST_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  tuitbot: ["npx", "tuitbot", "demo"],
  "godot-mcp-omni": ["npx", "godot-mcp-omni", "setup", "--help"],
  "@toolpact/x-api": ["npx", "x-api", "--help"],
  "@toolpact/x-sandbox": ["npx", "x-sandbox", "--help"],
};

process.exitCode = await release(values["dry-run"]);

async function release(isDry: boolean): Promise<number> {
  const found = publisherOf();
  if ("missing" in found && !isDry) {
    console.error(`release: ${found.missing}`);
    return 1;
  }
  const publisher = "missing" in found ? undefined : found;
  const outdir = mkdtempSync(join(tmpdir(), "toolpact-release-"));
  try {
    await build();
    const published = packages().filter(({ isPrivate }) => !isPrivate);
    const tarballs = new Map<Package, string>();
    for (const pkg of published) tarballs.set(pkg, await packPackage(pkg, publisher, outdir));
    await packServers(publisher, outdir);
    if (!isDry) return await publish([...tarballs.values()]);
    for (const pkg of published) await tryPackage(pkg, tarballs, outdir);
    console.log(`All ${published.length} packages install and run.`);
    if ("missing" in found) console.log(`Not ready for release: ${found.missing}`);
    return 0;
  } catch (error) {
    console.error(`release: ${(error as Error).message}`);
    return 1;
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

async function packServers(publisher: Publisher | undefined, outdir: string): Promise<void> {
  for (const server of shippedServers) {
    const pkg = packageOf(server);
    await packBundle(pkg, publisher, outdir);
    if (publisher !== undefined)
      writeFileSync(join(outdir, `${server.name}.server.json`), jsonText(serverJson(server, pkg, publisher)));
  }
}

/** Those that others depend on go first. */
async function publish(tarballs: readonly string[]): Promise<number> {
  for (const tarball of tarballs) {
    const code = await runShown("npm", ["publish", tarball, "--access", "public", "--provenance"]);
    if (code !== 0) return code;
  }
  return 0;
}

/** Installs a package as a stranger does, with our own packages from their tarballs, and runs what its README says. */
async function tryPackage(
  pkg: Package,
  tarballs: ReadonlyMap<Package, string>,
  outdir: string,
): Promise<void> {
  const folder = join(outdir, "tried", pkg.name);
  mkdirSync(folder, { recursive: true });
  const own = [...tarballs].filter(([other]) => other === pkg || needs(pkg, other)).map(([, file]) => file);
  writeFileSync(join(folder, "package.json"), "{}");
  const installed = await run(
    "npm",
    ["install", "--no-audit", "--no-fund", "--cache", join(outdir, "cache", pkg.name), ...own],
    folder,
  );
  if (!installed.ok) throw new Error(`${pkg.name} cannot be installed:\n${installed.output}`);
  const [command = "node", ...args] = FIRST_COMMANDS[pkg.name] ?? [
    "node",
    "--input-type=module",
    "-e",
    `await import("${pkg.name}")`,
  ];
  const ran = await run(command, args, folder);
  if (!ran.ok) throw new Error(`${[command, ...args].join(" ")} failed:\n${ran.output}`);
  console.log(`ok  ${pkg.name}: ${[command, ...args].join(" ")}`);
}

/** Whether a published package installs another one of ours. A bundled command installs none. */
function needs(pkg: Package, other: Package): boolean {
  if (shippedServers.some(({ name }) => name === pkg.name)) return false;
  return pkg.dependencies.some(
    (name) =>
      name === other.name || packages().some((middle) => middle.name === name && needs(middle, other)),
  );
}
