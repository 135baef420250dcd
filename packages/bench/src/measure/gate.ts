import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
 * A server with and without a gate, over stdio: start, read, and an allowed call whose receipt is on disk
 * first. They alternate.
 */
export async function benchGate({
  starts = 10,
  calls = 200,
  warmUp = 50,
}: GateOptions = {}): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolpact-gate-bench-"));
  try {
    const open = await openers(folder);
    const started = { alone: [] as number[], gate: [] as number[] };
    for (let round = 0; round <= starts; round++)
      for (const who of inTurn(round)) {
        const { ms, value } = await timed(open[who]);
        await value.close();
        // The first start warms the caches.
        if (round > 0) started[who].push(ms);
      }
    const connections = { alone: await open.alone(), gate: await open.gate() };
    const rows = [
      ...compared("start to first answer", started, 1.3),
      ...compared(
        "a read",
        await called(connections, calls, warmUp, (nth) => call("echo", { message: `${nth}` })),
        1.5,
      ),
      ...compared(
        "an allowed call",
        await called(connections, calls, warmUp, (nth) => call("get-sum", { a: nth, b: 1 })),
        3,
      ),
    ];
    await connections.gate.close();
    await connections.alone.close();
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Who = "alone" | "gate";
type Took = Readonly<Record<Who, readonly number[]>>;

function inTurn(round: number): readonly Who[] {
  return round % 2 === 0 ? ["alone", "gate"] : ["gate", "alone"];
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
  return {
    alone: () => openStdio(server, "legacy"),
    gate: () => openStdio(join(folder, "dist/cli.js"), "legacy", gate),
  };
}

function call(name: string, args: object) {
  return { method: "tools/call", params: { name, arguments: args } };
}

async function called(
  connections: Readonly<Record<Who, Connection>>,
  calls: number,
  warmUp: number,
  request: (nth: number) => ReturnType<typeof call>,
): Promise<Took> {
  const took = { alone: [] as number[], gate: [] as number[] };
  for (let round = 0; round < warmUp + calls; round++)
    for (const who of inTurn(round)) {
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

function compared(what: string, took: Took, goal: number): readonly Figure[] {
  const [alone, gate] = [median(took.alone), median(took.gate)];
  return [
    figure(`${what}, server alone, p50`, alone, "ms"),
    figure(`${what}, through the gate, p50`, gate, "ms"),
    atMost(`${what}, through the gate, times the server alone`, gate / alone, "×", goal),
  ];
}

if (import.meta.main) console.table(await benchGate());
