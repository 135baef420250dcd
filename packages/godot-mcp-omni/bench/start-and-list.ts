import { fileURLToPath } from "node:url";
import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { builtServer } from "./built-server.ts";
import { startMcpServer } from "./mcp-server.ts";
import { inScratchProject } from "./scratch-project.ts";

/** As a multiple of the bare server's start, and in bytes of the answer's line. */
const GOALS = { start: 1.3, list: 25_000 };

/**
 * Time from starting the process to the end of the handshake, against the bare MCP SDK with one tool, and the length of
 * the tool list. The two servers alternate; the first start of each fills the caches and does not count.
 */
export async function benchStartAndList({ starts = 20 } = {}): Promise<readonly Figure[]> {
  return inScratchProject(async ({ folder, env }) => {
    const bare = fileURLToPath(new URL("../../tuitbot/bench/bare-server.js", import.meta.url));
    const args = [await builtServer(), "--project", folder, "serve"];
    const servers = [
      { args: [bare], took: [] as number[] },
      { args, took: [] as number[] },
    ];
    for (let round = 0; round <= starts; round++) {
      for (const started of servers) {
        const start = performance.now();
        const server = await startMcpServer(started.args, env);
        if (round > 0) started.took.push(performance.now() - start);
        await server.close();
      }
    }
    const [alone = Number.NaN, ours = Number.NaN] = servers.map(({ took }) => median(took));
    return [
      figure("cold start, the MCP SDK alone with one tool", alone, "ms"),
      figure("cold start", ours, "ms"),
      atMost("cold start against the SDK alone", ours / alone, "times", GOALS.start),
      atMost(
        "tools/list, without output schemas",
        await listBytes([...args, "--no-output-schemas"]),
        "bytes",
        GOALS.list,
      ),
      figure("tools/list", await listBytes(args), "bytes"),
      figure("tools/list, every toolset", await listBytes([...args, "--toolsets", "all"]), "bytes"),
    ];

    async function listBytes(serve: readonly string[]): Promise<number> {
      const server = await startMcpServer(serve, env);
      const { bytes } = await server.request("tools/list");
      await server.close();
      return bytes;
    }
  });
}
