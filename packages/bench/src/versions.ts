import { readFileSync } from "node:fs";
import type { TargetName } from "./targets.ts";

/** Fetched for a run. */
export const NEWEST = { xmcp: "1.1.3", "mcp-use": "2.5.2" } as const;

export function versionsOf(): Readonly<Record<TargetName, string>> {
  const { dependencies } = packageJson("../package.json");
  const of = (name: string) => dependencies[name] ?? "unknown";
  return {
    node: process.version.slice(1),
    "sdk-v2": of("@modelcontextprotocol/server"),
    "sdk-v2-built": of("@modelcontextprotocol/server"),
    "sdk-v1": of("@modelcontextprotocol/sdk"),
    fastmcp: of("fastmcp"),
    "mcp-ts-core": of("@cyanheads/mcp-ts-core"),
    ...NEWEST,
    toolpact: packageJson("../../contract/package.json").version,
  };
}

function packageJson(path: string): {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
} {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
}
