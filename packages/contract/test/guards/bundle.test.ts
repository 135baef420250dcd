import { build } from "esbuild";
import { expect, test } from "vitest";

/** Imported or contained by a bundle of this file. */
async function packagesOf(file: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [`${import.meta.dirname}/../../src/guards/${file}`],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    packages: "external",
    conditions: ["toolpact-source"],
    logLevel: "silent",
  });
  return Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external === true).map(({ path }) => path),
  );
}

test("the guards bundle without pg, which only the entry for PostgreSQL imports", async () => {
  expect(await packagesOf("index.ts")).not.toContain("pg");
  expect(await packagesOf("postgres.ts")).toContain("pg");
});
