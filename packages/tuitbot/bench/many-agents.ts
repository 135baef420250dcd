import { spawn } from "node:child_process";
import { once } from "node:events";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { postingEnv } from "./posting-env.ts";
import { signedInTuitbot } from "./signed-in-tuitbot.ts";

export interface ManyAgentsOptions {
  /** No more than X lets a person post in a window. */
  readonly agents?: number;
  readonly rounds?: number;
}

/** Agents that all post at the same moment, each a client of its own, on one server and one SQLite file. */
export async function benchManyAgents(options: ManyAgentsOptions = {}): Promise<readonly Figure[]> {
  const { agents = 64, rounds = 6 } = options;
  await using tuitbot = await signedInTuitbot();
  await using server = await httpServer(tuitbot.serve("write"), postingEnv(tuitbot.env));
  const clients = await Promise.all(Array.from({ length: agents }, () => agentAt(server)));
  const took: number[] = [];
  const seconds: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    await tuitbot.x.nextWindow();
    const started = performance.now();
    await Promise.all(
      clients.map(async (client, index) => {
        const text = `Agent ${index}, round ${round}`;
        const { isError, content } = await client.callTool({ name: "x_post_tweet", arguments: { text } });
        if (isError) throw new Error(JSON.stringify(content));
        // The first round fills the caches.
        if (round > 0) took.push(performance.now() - started);
      }),
    );
    if (round > 0) seconds.push((performance.now() - started) / 1_000);
  }
  await Promise.all(clients.map((client) => client.close()));
  return [
    figure(`${agents} agents on one server, posts a second`, agents / median(seconds), "/s"),
    figure(`${agents} agents on one server, a post, p50`, median(took), "ms"),
    figure(`${agents} agents on one server, the last post of all`, Math.max(...took), "ms"),
  ];
}

async function agentAt({ url, token }: { url: string; token: string }): Promise<Client> {
  const client = new Client({ name: "tuitbot-bench", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

async function httpServer(serve: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [...serve, "--http", "0", "--output", "json"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  const { url, token } = JSON.parse(String(line)) as { url: string; token: string };
  return {
    url,
    token,
    async [Symbol.asyncDispose]() {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}

if (import.meta.main) console.table(await benchManyAgents());
