import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Package, root } from "../packages.ts";
import { run } from "../run.ts";
import { jsonText } from "./client-files.ts";
import { manifestOf } from "./manifests.ts";
import type { Publisher } from "./publisher.ts";

/**
 * Packs a built package as it is published: its files, a manifest without checkout-only members, and a
 * README whose links point to the repository, because the linked files are not in the package. Without a publisher
 * the links are unchanged.
 */
export async function packPackage(
  pkg: Package,
  publisher: Publisher | undefined,
  outdir: string,
): Promise<string> {
  const folder = await stagePackage(pkg, publisher, join(outdir, "staged", pkg.name));
  return join(outdir, await npmPack(folder, outdir));
}

/** Copies a package's published files into a folder, with the published manifest and README. */
export async function stagePackage(
  pkg: Package,
  publisher: Publisher | undefined,
  folder: string,
): Promise<string> {
  for (const file of await publishedFiles(pkg)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(pkg.folder, file), join(folder, file));
  }
  const { devDependencies: _checkoutOnly, ...manifest } = manifestOf(pkg, publisher);
  writeFileSync(join(folder, "package.json"), jsonText(manifest));
  const readme = readFileSync(join(pkg.folder, "README.md"), "utf8");
  writeFileSync(join(folder, "README.md"), publisher ? withAbsoluteLinks(readme, pkg, publisher) : readme);
  return folder;
}

/** A package's README with absolute links and pictures. */
export function withAbsoluteLinks(page: string, { folder }: Package, { repository }: Publisher): string {
  return page.replace(/\]\((?!#|[a-z]+:)([^)]+)\)/g, (_link, target: string) => {
    const path = relative(root, join(folder, target));
    return `](${repository}/${/\.(svg|png)$/.test(path) ? "raw" : "blob"}/main/${path})`;
  });
}

/** The paths of the files npm publishes. */
export async function publishedFiles({ folder, name }: Package): Promise<readonly string[]> {
  const { ok, output } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], folder);
  if (!ok) throw new Error(`${name} cannot be packed:\n${output}`);
  const report = JSON.parse(output);
  const [packed] = Array.isArray(report) ? report : Object.values(report);
  return packed.files.map(({ path }: { readonly path: string }) => path);
}

async function npmPack(folder: string, outdir: string): Promise<string> {
  const { ok, output } = await run(
    "npm",
    ["pack", "--silent", "--ignore-scripts", "--pack-destination", outdir],
    folder,
  );
  if (!ok) throw new Error(`${folder} cannot be packed:\n${output}`);
  return output.trim();
}
