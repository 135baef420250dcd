import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Package, packages, root } from "./packages.ts";
import { pageOf, pageSources } from "./page.ts";

/** Compares contents, not times: switching branches and back causes no rebuild. */
export function isBuilt(pkg: Package, all: readonly Package[] = packages()): boolean {
  const file = join(pkg.folder, "dist", STAMP);
  return existsSync(file) && readFileSync(file, "utf8") === sourcesDigest(pkg, all);
}

export function stampBuild(outdir: string, digest: string): void {
  writeFileSync(join(outdir, STAMP), digest);
}

const STAMP = "sources.sha256";

/** Sources, bundler settings and installed packages. */
export function sourcesDigest(pkg: Package, all: readonly Package[] = packages()): string {
  const hash = createHash("sha256");
  const page = pageOf(pkg);
  const patterns = [
    ...withDependencies(pkg, all).flatMap(({ folder }) => [
      join(folder, "src/**/*"),
      join(folder, "package.json"),
    ]),
    ...(page === undefined ? [] : pageSources(page)),
    join(root, "scripts/*.ts"),
    join(root, "package-lock.json"),
  ];
  const files = patterns.flatMap((pattern) => globSync(pattern, { withFileTypes: true }));
  for (const path of files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .sort()) {
    if (path.endsWith(".test.ts")) continue;
    hash
      .update(`${path.slice(root.length)}\n`)
      .update(readFileSync(path))
      .update("\n");
  }
  return hash.digest("hex");
}

function withDependencies(pkg: Package, all: readonly Package[]): readonly Package[] {
  const found = new Set<Package>();
  const add = (name: string) => {
    const one = all.find((candidate) => candidate.name === name);
    if (one === undefined || found.has(one)) return;
    found.add(one);
    for (const dependency of one.dependencies) add(dependency);
  };
  add(pkg.name);
  return [...found];
}
