import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { Metafile } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { buildCommand } from "./build.ts";
import { type Package, packages, root } from "./packages.ts";
import { thirdPartiesIn } from "./third-party.ts";

const commands = packages().filter(({ bins, isPrivate }) => bins.length > 0 && !isPrivate);

test.each(commands)(
  "next to the bundle of $name are the licences and the list of what it contains",
  { timeout: 120_000 },
  async (pkg) => {
    const folder = mkdtempSync(join(tmpdir(), "toolpact-notices-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await buildCommand(pkg, folder);
    const { components, metadata } = JSON.parse(readFileSync(join(folder, "sbom.cdx.json"), "utf8"));
    expect(metadata.component).toMatchObject({ name: pkg.name, version: pkg.version });
    const notices = readFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), "utf8");
    const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
    const versionsOf = (name: string) =>
      Object.entries<{ version: string }>(lock.packages)
        .filter(([path]) => path.endsWith(`node_modules/${name}`))
        .map(([, { version }]) => version);
    for (const { name, version, purl, licenses } of components) {
      expect(versionsOf(name), name).toContain(version);
      expect(purl).toBe(`pkg:npm/${name.replace("@", "%40")}@${version}`);
      expect(notices).toContain(`${name} ${version} (${licenses[0].license.id})\n`);
    }
    const inBundle = components.map(({ name }: { name: string }) => name);
    // Computed from the sources, independent of the bundler.
    expect(inBundle).toEqual(expect.arrayContaining(importedBy(pkg)));
    if (inBundle.includes("zod")) expect(notices).toContain("Colin McDonnell");
  },
);

test("a package with a disallowed license stops the build, unless nothing of it is left", () => {
  const folder = mkdtempSync(join(tmpdir(), "toolpact-licence-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const copyleft = join(folder, "node_modules/@some/copyleft");
  mkdirSync(copyleft, { recursive: true });
  writeFileSync(
    join(copyleft, "package.json"),
    JSON.stringify({ name: "@some/copyleft", version: "1.2.3", license: "GPL-3.0-only" }),
  );
  const metafileWith = (bytesInOutput: number) => {
    const inputs = { [relative(process.cwd(), join(copyleft, "index.js"))]: { bytesInOutput } };
    return { inputs: {}, outputs: { "cli.js": { inputs } } } as unknown as Metafile;
  };
  expect(() => thirdPartiesIn(metafileWith(1))).toThrow("@some/copyleft 1.2.3 is in the bundle");
  expect(thirdPartiesIn(metafileWith(0))).toEqual([]);
});

/** For more than types. */
function importedBy({ folder }: Package): string[] {
  const names = new Set<string>();
  const seen = new Set<string>();
  const read = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(IMPORT)) {
      if (/^\.+\/.*\.ts$/.test(specifier)) read(join(dirname(file), specifier));
      else names.add(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
    }
  };
  read(join(folder, "src/main.ts"));
  // Optional, and installed next to a command.
  return [...names].filter((name) => !/^(?:\.|node:|@toolpact|@opentelemetry\/|esbuild$)/.test(name)).sort();
}

const IMPORT = /(?:^(?:import|export) (?!type )[^;]*?from |import\()"([^"]+)"/gm;
