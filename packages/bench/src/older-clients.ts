import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildServers } from "./build-servers.ts";
import { atLeast, atMost, type Figure } from "./figure.ts";
import { median } from "./measure/statistics.ts";
import { type RoundCounts, type SteadyRound, steadyRound } from "./measure/steady-round.ts";
import type { Transport } from "./metrics.ts";
import type { TargetName } from "./targets.ts";
import { openHttp } from "./wire/http-client.ts";
import { openStdio } from "./wire/stdio-client.ts";

const SERVERS = ["node", "sdk-v2", "toolpact"] as const satisfies readonly TargetName[];
const COUNTS: RoundCounts = { listsPerRound: 1, callsPerRound: 200, atOnce: 16 };

/**
 * What a client of before 2026 gets of the servers that the others are compared on in the newest protocol: over HTTP it
 * is in a session where the server keeps any, and each answer is a stream.
 */
export async function benchOlderClients({
  rounds = 20,
  warmUp = 5,
  counts = COUNTS,
}: {
  readonly rounds?: number;
  readonly warmUp?: number;
  readonly counts?: RoundCounts;
} = {}): Promise<readonly Figure[]> {
  // Beside the packages that some of the servers import.
  const folder = fileURLToPath(new URL("../dist/older-clients", import.meta.url));
  try {
    await buildServers(folder);
    const measure = (transport: Transport) => measured(transport, folder, rounds, warmUp, counts);
    const stdio = await measure("stdio");
    const http = await measure("http");
    const name = (what: string) => `a client of 2025-11-25, ${what}`;
    return [
      atMost(name("stdio: tools/call p50 against sdk-v2"), stdio("p50", "sdk-v2"), "times", 0.7),
      atMost(name("stdio: tools/call CPU against sdk-v2"), stdio("cpu", "sdk-v2"), "times", 0.7),
      atLeast(name("http: calls per second against sdk-v2"), http("perSecond", "sdk-v2"), "times", 5),
      atLeast(name("http: calls per second against node"), http("perSecond", "node"), "times", 0.4),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

const METRICS = {
  p50: ({ callsMs }: SteadyRound) => median(callsMs),
  cpu: ({ callsCpuMs }: SteadyRound) => callsCpuMs,
  perSecond: ({ callsPerSecond }: SteadyRound) => callsPerSecond,
};

/** Gives what our server comes to, as a multiple of another. They take turns. */
async function measured(
  transport: Transport,
  folder: string,
  rounds: number,
  warmUp: number,
  counts: RoundCounts,
): Promise<(metric: keyof typeof METRICS, against: (typeof SERVERS)[number]) => number> {
  const open = transport === "http" ? openHttp : openStdio;
  const found: Record<(typeof SERVERS)[number], SteadyRound[]> = { node: [], "sdk-v2": [], toolpact: [] };
  const connections = [];
  for (const name of SERVERS)
    connections.push({ name, connection: await open(join(folder, `${name}.js`), "legacy") });
  for (let round = 0; round < warmUp + rounds; round++)
    for (const { name, connection } of connections) {
      const one = await steadyRound(connection, counts);
      if (round >= warmUp) found[name].push(one);
    }
  await Promise.all(connections.map(({ connection }) => connection.close()));
  return (metric, against) =>
    median(found.toolpact.map(METRICS[metric])) / median(found[against].map(METRICS[metric]));
}
