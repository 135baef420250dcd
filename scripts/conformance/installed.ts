import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../packages.ts";

const require = createRequire(join(root, "packages/conformance/package.json"));

export function installedFile(name: string, file: string): string {
  return require.resolve(`${name}/${file}`);
}

export function installedVersion(name: string): string {
  return (JSON.parse(readFileSync(installedFile(name, "package.json"), "utf8")) as { version: string })
    .version;
}
