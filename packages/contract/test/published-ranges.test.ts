import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { stagePackage } from "../../../scripts/distribution/pack.ts";
import { isLibrary, packages } from "../../../scripts/packages.ts";

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const folder = mkdtempSync(join(tmpdir(), "toolpact-ranges-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const libraries = packages().filter((pkg) => !pkg.isPrivate && isLibrary(pkg));

describe.each(libraries)("the published $name", (pkg) => {
  test("takes later patches and minor versions of what it depends on", async () => {
    const staged = await stagePackage(pkg, undefined, join(folder, pkg.name));
    const manifest: Manifest = JSON.parse(readFileSync(join(staged, "package.json"), "utf8"));
    const { dependencies = {}, peerDependencies = {} } = manifest;
    for (const [name, range] of Object.entries({ ...dependencies, ...peerDependencies }))
      expect(range, name).toMatch(/^(\^|>=)\d+\.\d+\.\d+$/);
    if (pkg.name !== "@toolpact/contract") return;
    // Two copies have different types, so the app and the library share one.
    for (const [name, range] of [
      ["zod", /^\^4\.\d+\.\d+$/],
      ["@modelcontextprotocol/server", /^\^2\.\d+\.\d+$/],
    ] as const) {
      expect(dependencies).not.toHaveProperty(name);
      expect(peerDependencies[name]).toMatch(range);
      expect(Object.keys(manifest.peerDependenciesMeta ?? {})).not.toContain(name);
    }
  });
});
