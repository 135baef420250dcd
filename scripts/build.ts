import { readdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { isBuilt, sourcesDigest, stampBuild } from "./build-stamp.ts";
import { bundle } from "./bundle.ts";
import { isLibrary, type Package, packageNamed, packages } from "./packages.ts";
import { buildPage, pageOf } from "./page.ts";
import { run } from "./run.ts";
import { noticesOf, sbomOf, thirdPartiesIn } from "./third-party.ts";

/** Builds all published packages: libraries with the compiler, commands as bundles. */
export async function build(): Promise<void> {
  for (const pkg of packages().filter((one) => !one.isPrivate)) {
    await rm(join(pkg.folder, "dist"), { recursive: true, force: true });
    await compile(pkg);
    await buildCommand(pkg);
  }
}

async function compile(pkg: Package): Promise<void> {
  if (!isLibrary(pkg)) return;
  const { name, folder } = pkg;
  const compiled = await run("tsc", ["-p", "tsconfig.build.json"], folder);
  if (!compiled.ok) throw new Error(`${name} does not build:\n${compiled.output}`);
}

/**
 * Returns a package whose command is built from the current sources. A current build is left alone, because others may
 * be reading it.
 */
export async function builtPackage(name: string): Promise<Package> {
  const pkg = packageNamed(name);
  if (!isBuilt(pkg)) await buildCommand(pkg);
  return pkg;
}

/** Bundles a package's command with its imports, licenses and bill of materials. */
export async function buildCommand(pkg: Package, outdir: string = join(pkg.folder, "dist")): Promise<void> {
  const { name, version, folder, bins } = pkg;
  if (bins.length === 0) return;
  // Computed before bundling: sources that change meanwhile are not in it.
  const digest = sourcesDigest(pkg);
  const made = await bundle({ entries: { cli: join(folder, "src/main.ts") }, outdir });
  await removeOthers(outdir, Object.keys(made.outputs));
  const page = pageOf(pkg);
  if (page !== undefined) await buildPage(page, join(outdir, "web"));
  const parties = thirdPartiesIn(made, page);
  await writeFile(join(outdir, "THIRD-PARTY-NOTICES.txt"), noticesOf(name, parties));
  await writeFile(join(outdir, "sbom.cdx.json"), sbomOf({ name, version }, parties));
  stampBuild(outdir, digest);
}

/** Deletes lazily loaded parts of earlier builds. Their names depend on their content, so nothing loads them. */
async function removeOthers(outdir: string, made: readonly string[]): Promise<void> {
  const names = new Set(made.map((path) => basename(path)));
  const others = (await readdir(outdir)).filter((name) => /-[0-9A-Z]{8}\.js$/.test(name) && !names.has(name));
  await Promise.all(others.map((name) => rm(join(outdir, name), { force: true })));
}

if (import.meta.main) {
  await build();
  console.log("Built every package into its dist folder.");
}
