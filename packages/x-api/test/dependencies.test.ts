import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const NODE_MODULES = join(import.meta.dirname, "../../../node_modules");

test("installing x-api installs two small packages and no MCP server dependencies", () => {
  expect(installedWith("@toolpact/x-api")).toEqual(["@toolpact/file-lock", "@toolpact/outcome"]);
  expect(installedWith("@toolpact/x-sandbox")).toEqual([
    "@toolpact/x-api",
    "@toolpact/file-lock",
    "@toolpact/outcome",
  ]);
  expect(installedWith("@toolpact/contract")).toContain("zod");
});

function installedWith(name: string, seen = new Set<string>()): string[] {
  const {
    dependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = JSON.parse(readFileSync(join(NODE_MODULES, name, "package.json"), "utf8"));
  const peers = Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
  for (const dependency of [...Object.keys(dependencies), ...peers]) {
    if (seen.has(dependency)) continue;
    seen.add(dependency);
    installedWith(dependency, seen);
  }
  return [...seen];
}
