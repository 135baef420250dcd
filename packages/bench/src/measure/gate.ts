import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildCommand } from "../../../../scripts/build.ts";
import { packages } from "../../../../scripts/packages.ts";
import { atMost, type Figure, figure } from "../figure.ts";
import type { Connection } from "../wire/connection.ts";
import { openStdio } from "../wire/stdio-client.ts";
import { median } from "./statistics.ts";

const POLICY = `
[tools]
echo = "read_only"
get-sum = "allow"
`;

export interface GateOptions {
  readonly starts?: number;
  readonly calls?: number;
  readonly warmUp?: number;
}

/**
 * A server over stdio alone, behind a bare relay and behind a gate: start, read, and an allowed call whose receipt is
 * on disk first, as is each request of its relay. They alternate.
 */
export async function benchGate({
  starts = 10,
  calls = 200,
  warmUp = 50,
}: GateOptions = {}): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolpact-gate-bench-"));
  try {
    const open = await openers(folder);
    const started = noTimes();
    for (let round = 0; round <= starts; round++)
      for (const who of inTurn(WITH_RELAY, round)) {
        const { ms, value } = await timed(open[who]);
        await value.close();
        // The first start warms the caches.
        if (round > 0) started[who].push(ms);
      }
    const connections = {
      alone: await open.alone(),
      relay: await open.relay(),
      "durable relay": await open["durable relay"](),
      gate: await open.gate(),
    };
    const read = (nth: number) => call("echo", { message: `${nth}` });
    const change = (nth: number) => call("get-sum", { a: nth, b: 1 });
    const all = { connections, calls, warmUp };
    const rows = [
      ...compared("start to first answer", started, WITH_RELAY, 1.3),
      ...compared("a read", await called(WITH_RELAY, read, all), WITH_RELAY, 1.5),
      ...compared("an allowed call", await called(WITH_DISK, change, all), WITH_DISK, 3),
    ];
    for (const connection of Object.values(connections)) await connection.close();
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const WITH_RELAY = ["alone", "relay", "gate"] as const;
const WITH_DISK = ["alone", "durable relay", "gate"] as const;
type Who = (typeof WITH_RELAY | typeof WITH_DISK)[number];

function noTimes(): Record<Who, number[]> {
  return { alone: [], relay: [], "durable relay": [], gate: [] };
}

function inTurn(those: readonly Who[], round: number): readonly Who[] {
  const first = round % those.length;
  return [...those.slice(first), ...those.slice(0, first)];
}

async function openers(folder: string): Promise<Readonly<Record<Who, () => Promise<Connection>>>> {
  const [command, contract] = ["toolpact", "@toolpact/contract"].map((wanted) =>
    packages().find(({ name }) => name === wanted),
  );
  if (command === undefined || contract === undefined) throw new Error("packages/toolpact is missing.");
  await buildCommand(command, join(folder, "dist"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const policy = join(folder, "gate.toml");
  writeFileSync(policy, POLICY);
  // The contract's tests use the same server.
  const ofContract = createRequire(join(contract.folder, "package.json"));
  const server = ofContract.resolve("@modelcontextprotocol/server-everything/dist/index.js");
  const gate = ["gate", "--policy", policy, "--", process.execPath, server];
  // The server uses the older protocol revision.
  const relay = fileURLToPath(new URL("../servers/stdio-relay.ts", import.meta.url));
  return {
    alone: () => openStdio(server, "legacy"),
    relay: () => openStdio(relay, "legacy", [server]),
    "durable relay": () => openStdio(relay, "legacy", [server, join(folder, "relay.bin")]),
    gate: () => openStdio(join(folder, "dist/cli.js"), "legacy", gate),
  };
}

function call(name: string, args: object) {
  return { method: "tools/call", params: { name, arguments: args } };
}

interface Calls {
  readonly connections: Readonly<Record<Who, Connection>>;
  readonly calls: number;
  readonly warmUp: number;
}

async function called(
  those: readonly Who[],
  request: (nth: number) => ReturnType<typeof call>,
  { connections, calls, warmUp }: Calls,
): Promise<Readonly<Record<Who, readonly number[]>>> {
  const took = noTimes();
  for (let round = 0; round < warmUp + calls; round++)
    for (const who of inTurn(those, round)) {
      const { ms } = await timed(() => connections[who].request(request(round)));
      if (round >= warmUp) took[who].push(ms);
    }
  return took;
}

async function timed<T>(act: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const began = performance.now();
  const value = await act();
  return { ms: performance.now() - began, value };
}

function compared(
  action: string,
  took: Readonly<Record<Who, readonly number[]>>,
  [alone, floor, gate]: typeof WITH_RELAY | typeof WITH_DISK,
  goal: number,
): readonly Figure[] {
  const [direct, relayed, gated] = [median(took[alone]), median(took[floor]), median(took[gate])];
  return [
    figure(`${action}, server alone, p50`, direct, "ms"),
    figure(`${action}, through a ${floor}, p50`, relayed, "ms"),
    figure(`${action}, through the gate, p50`, gated, "ms"),
    figure(`${action}, through a ${floor}, times the server alone`, relayed / direct, "×"),
    atMost(`${action}, through the gate, times the server alone`, gated / direct, "×", goal),
    figure(`${action}, through the gate, times the ${floor}`, gated / relayed, "×"),
  ];
}

if (import.meta.main) console.table(await benchGate());
