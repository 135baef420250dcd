import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildServers } from "../build-servers.ts";
import { atMost, type Figure, figure } from "../figure.ts";
import { openStdio } from "../wire/stdio-client.ts";
import { cpuMs } from "./process-cost.ts";
import { callNoop } from "./requests.ts";
import { median } from "./statistics.ts";

/** As a multiple of the bare SDK. */
const GOAL = 0.7;

/** Next to the packages that the bare server imports. */
const FOLDER = fileURLToPath(new URL("../../dist/older-clients", import.meta.url));

interface OlderClientsOptions {
  readonly rounds?: number;
  readonly callsPerRound?: number;
  readonly warmUp?: number;
}

/** Alternates the bare SDK and this library by round. */
export async function benchOlderClients({
  rounds = 10,
  callsPerRound = 500,
  warmUp = 3,
}: OlderClientsOptions = {}): Promise<readonly Figure[]> {
  await buildServers(FOLDER);
  const courses = await Promise.all(
    ["sdk-v2", "toolpact"].map(async (name) => ({
      name,
      connection: await openStdio(join(FOLDER, `${name}.js`), "legacy"),
      ms: [] as number[],
      cpu: 0,
    })),
  );
  for (let round = 0; round < warmUp + rounds; round++)
    for (const course of round % 2 === 0 ? courses : courses.toReversed()) {
      const before = cpuMs(course.connection.pid);
      for (let nth = 0; nth < callsPerRound; nth++) {
        const started = performance.now();
        await callNoop(course.connection);
        if (round >= warmUp) course.ms.push(performance.now() - started);
      }
      if (round >= warmUp) course.cpu += cpuMs(course.connection.pid) - before;
    }
  for (const { connection } of courses) await connection.close();
  const [bare, ours] = courses;
  if (bare === undefined || ours === undefined) return [];
  return [
    figure("a call over stdio, bare SDK v2, p50", median(bare.ms), "ms"),
    figure("a call over stdio, toolpact, p50", median(ours.ms), "ms"),
    atMost("a call over stdio against SDK v2, p50", median(ours.ms) / median(bare.ms), "×", GOAL),
    atMost("CPU of a call over stdio against SDK v2", ours.cpu / bare.cpu, "×", GOAL),
  ];
}

if (import.meta.main) console.table(await benchOlderClients());
