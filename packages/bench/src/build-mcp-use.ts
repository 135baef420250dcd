import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fetchedFolder, fetchPackages, isFetched } from "./fetched-packages.ts";
import { NEWEST } from "./versions.ts";

const MCP_USE = {
  name: "mcp-use",
  version: NEWEST["mcp-use"],
  dependencies: { "mcp-use": NEWEST["mcp-use"], zod: "4.6.7" },
};

export const mcpUseIsFetched = (): boolean => isFetched(MCP_USE);
export const fetchMcpUse = (): Promise<string | undefined> => fetchPackages(MCP_USE);

export function mcpUseModule(): string {
  return pathToFileURL(join(fetchedFolder(MCP_USE), "node_modules/mcp-use/dist/index-node.js")).href;
}
