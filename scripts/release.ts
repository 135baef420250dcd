import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "./build.ts";
import { jsonText } from "./distribution/client-files.ts";
import { packBundle } from "./distribution/mcpb.ts";
import { packPackage } from "./distribution/pack.ts";
import { type Publisher, publisherOf } from "./distribution/publisher.ts";
import { serverJson } from "./distribution/server-json.ts";
import { shippedServers } from "./distribution/servers.ts";
import { isLibrary, type Package, packageNamed, packages, root } from "./packages.ts";
import { run, runShown } from "./run.ts";

/**
 * Packs all published packages into `dist/release`, with bundles, registry entries and bills of materials,
 * and publishes them. `--dry-run` installs each into an empty folder and runs its first command instead.
 */
const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } });

/** Packages without a command are imported. */
const FIRST_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  tuitbot: ["npx", "tuitbot", "demo"],
  "godot-mcp-omni": ["npx", "godot-mcp-omni", "setup", "--help"],
  toolpact: ["npx", "toolpact", "gate", "--help"],
  "create-toolpact": ["npx", "create-toolpact", "my-server"],
  "@toolpact/x-api": ["npx", "x-api", "--help"],
  "@toolpact/x-sandbox": ["npx", "x-sandbox", "--help"],
};

/** npm signs only packages whose manifest names the repository. */
const PUBLISH = ["publish", "--access", "public", "--provenance"];

process.exitCode = await release(values["dry-run"]);

async function release(isDry: boolean): Promise<number> {
  const found = publisherOf();
  if ("missing" in found && !isDry) {
    console.error(`release: ${found.missing}`);
    return 1;
  }
  const publisher = "missing" in found ? undefined : found;
  const outdir = join(root, "dist/release");
  const tried = mkdtempSync(join(tmpdir(), "toolpact-release-"));
  try {
    rmSync(outdir, { recursive: true, force: true });
    mkdirSync(outdir, { recursive: true });
    await build();
    const published = packages().filter(({ isPrivate }) => !isPrivate);
    const tarballs = new Map<Package, string>();
    for (const pkg of published) tarballs.set(pkg, await packPackage(pkg, publisher, outdir));
    await packServers(publisher, outdir);
    rmSync(join(outdir, "staged"), { recursive: true });
    for (const pkg of published) await writeSbom(pkg, tarballs, tried, outdir);
    if (!isDry) return await publish([...tarballs.values()]);
    for (const pkg of published) await tryPackage(pkg, join(tried, pkg.name));
    for (const tarball of tarballs.values()) await wouldPublish(tarball);
    console.log(`All ${published.length} packages install and run. What would be released is in ${outdir}.`);
    if ("missing" in found) console.log(`Not ready for release: ${found.missing}`);
    return 0;
  } catch (error) {
    console.error(`release: ${(error as Error).message}`);
    return 1;
  } finally {
    rmSync(tried, { recursive: true });
  }
}

/** In CycloneDX: the bundled packages, or those npm installs with a library. */
async function writeSbom(
  pkg: Package,
  tarballs: ReadonlyMap<Package, string>,
  tried: string,
  outdir: string,
): Promise<void> {
  const installed = join(tried, pkg.name);
  await install(pkg, tarballs, installed);
  const file = join(outdir, `${pkg.name.replace("@", "").replace("/", "-")}.cdx.json`);
  if (!isLibrary(pkg)) {
    copyFileSync(join(pkg.folder, "dist/sbom.cdx.json"), file);
    return;
  }
  const listed = await run("npm", ["sbom", "--sbom-format", "cyclonedx"], installed);
  if (!listed.ok) throw new Error(`What ${pkg.name} brings cannot be listed:\n${listed.output}`);
  writeFileSync(file, listed.output);
}

/** npm's checks, without sending. The hosted CI signs. */
async function wouldPublish(tarball: string): Promise<void> {
  const { ok, output } = await run("npm", [...PUBLISH, "--dry-run", tarball]);
  if (!ok) throw new Error(`npm would not publish ${tarball}:\n${output}`);
}

async function packServers(publisher: Publisher | undefined, outdir: string): Promise<void> {
  for (const server of shippedServers) {
    const pkg = packageNamed(server.name);
    await packBundle(pkg, publisher, outdir);
    if (publisher !== undefined)
      writeFileSync(join(outdir, `${server.name}.server.json`), jsonText(serverJson(server, pkg, publisher)));
  }
}

/** Dependencies first. */
async function publish(tarballs: readonly string[]): Promise<number> {
  for (const tarball of tarballs) {
    const code = await runShown("npm", [...PUBLISH, tarball]);
    if (code !== 0) return code;
  }
  return 0;
}

/** Our packages come from their tarballs. */
async function install(pkg: Package, tarballs: ReadonlyMap<Package, string>, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const own = [...tarballs].filter(([other]) => other === pkg || needs(pkg, other)).map(([, file]) => file);
  writeFileSync(join(folder, "package.json"), jsonText({ name: "tried", version: "1.0.0" }));
  const cache = `${folder}.cache`;
  const installed = await run(
    "npm",
    ["install", "--no-audit", "--no-fund", "--cache", cache, ...own],
    folder,
  );
  if (!installed.ok) throw new Error(`${pkg.name} cannot be installed:\n${installed.output}`);
}

async function tryPackage(pkg: Package, folder: string): Promise<void> {
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

/** A bundled command installs none of ours. */
function needs(pkg: Package, other: Package): boolean {
  if (shippedServers.some(({ name }) => name === pkg.name)) return false;
  return pkg.dependencies.some(
    (name) =>
      name === other.name || packages().some((middle) => middle.name === name && needs(middle, other)),
  );
}
