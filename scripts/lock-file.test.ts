import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./packages.ts";

interface LockedPackage {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

test("the lock file has the packages of every platform, which npm ci requires", () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !placesFor(path, name).some((place) => place in packages))
      .map((name) => `${name} of ${path}`),
  );
  expect(missing).toEqual([]);
});

/** As Node looks for it. */
function placesFor(path: string, name: string): readonly string[] {
  const parent = path.lastIndexOf("/node_modules/");
  const here = `${path === "" ? "" : `${path}/`}node_modules/${name}`;
  if (path === "") return [here];
  return [here, ...placesFor(parent === -1 ? "" : path.slice(0, parent), name)];
}
