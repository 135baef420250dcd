import { fetchMcpUse, mcpUseIsFetched, mcpUseModule } from "./build-mcp-use.ts";
import { buildXmcpServer, fetchXmcp, xmcpIsFetched } from "./build-xmcp.ts";
import type { LeftOut, Target, TargetName } from "./targets.ts";

interface FetchedServer {
  readonly name: TargetName;
  readonly isFetched: () => boolean;
  readonly fetch: () => Promise<string | undefined>;
  /** Points the server to its code. */
  readonly variable: string;
  readonly value: () => Promise<string> | string;
}

const FETCHED: readonly FetchedServer[] = [
  {
    name: "xmcp",
    isFetched: xmcpIsFetched,
    fetch: fetchXmcp,
    variable: "XMCP_BUILT",
    value: buildXmcpServer,
  },
  {
    name: "mcp-use",
    isFetched: mcpUseIsFetched,
    fetch: fetchMcpUse,
    variable: "MCP_USE",
    value: mcpUseModule,
  },
];

/** A quick run uses no network. */
export function isAvailable(name: TargetName): boolean {
  return FETCHED.find((server) => server.name === name)?.isFetched() ?? true;
}

/** Returns those that failed. */
export async function prepareFetched(
  targets: readonly Target[],
  mayFetch: (name: string) => boolean,
): Promise<readonly LeftOut[]> {
  const leftOut: LeftOut[] = [];
  for (const { name, isFetched, fetch, variable, value } of FETCHED) {
    if (!targets.some((target) => target.name === name)) continue;
    const missing =
      mayFetch(name) || isFetched() ? await fetch() : `fetch it with npm run bench -- --quick --only ${name}`;
    const why = missing ?? (await set(variable, value));
    if (why !== undefined) leftOut.push({ name, why });
  }
  return leftOut;
}

async function set(variable: string, value: FetchedServer["value"]): Promise<string | undefined> {
  try {
    process.env[variable] = await value();
    return undefined;
  } catch (error) {
    console.error((error as Error).message);
    return "it cannot be built";
  }
}
