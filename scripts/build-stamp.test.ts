import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isBuilt, sourcesDigest, stampBuild } from "./build-stamp.ts";
import type { Package } from "./packages.ts";

let folder: string;
let all: readonly [app: Package, library: Package, other: Package];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolpact-stamp-"));
  const made = (name: string, dependencies: readonly string[]): Package => {
    write(`${name}/package.json`, JSON.stringify({ name }));
    write(`${name}/src/main.ts`, `export const name = "${name}";`);
    return { name, version: "1.0.0", folder: join(folder, name), isPrivate: true, dependencies, bins: [] };
  };
  all = [made("app", ["library"]), made("library", []), made("other", [])];
  mkdirSync(join(folder, "app/dist"));
  stampBuild(join(folder, "app/dist"), sourcesDigest(all[0], all));
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, content: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

const builtNow = () => isBuilt(all[0], all);

test("a built package is not rebuilt, whatever its file times", () => {
  expect(builtNow()).toBe(true);
  utimesSync(write("app/src/main.ts", 'export const name = "app";'), new Date(), new Date());
  write("other/src/main.ts", "export const name = 1;");
  write("app/src/main.test.ts", "test");
  expect(builtNow()).toBe(true);
});

test.each([
  ["a changed source", "app/src/main.ts"],
  ["a new source", "app/src/deep/new.ts"],
  ["a source of a package that it needs", "library/src/main.ts"],
  ["another version of something it needs", "app/package.json"],
])("%s is built again", (_what, path) => {
  write(path, "changed");
  expect(builtNow()).toBe(false);
});

test("a package without a bundle is built", () => {
  rmSync(join(folder, "app/dist"), { recursive: true });
  expect(builtNow()).toBe(false);
});
