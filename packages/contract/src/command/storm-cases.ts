import type { JsonObject } from "../json.ts";
import { type Probe, readAll } from "./storm-probes.ts";
import { type StormAnswer, type StormServer, startServer } from "./storm-server.ts";

/** `sample` returns fresh arguments for each call. */
export interface StormTool {
  readonly name: string;
  /** True if each call has other arguments, and so each should have an effect. */
  readonly isFresh: boolean;
  readonly args: () => JsonObject;
}

export interface StormOptions {
  readonly command: readonly string[];
  readonly probes: readonly Probe[];
  /** A server that is silent for this long counts as hung. */
  readonly timeoutMs: number;
}

export const CASES = [
  "calm",
  "lost answer, same process",
  "lost answer, new process",
  "killed while it works",
  "cancelled",
  "slow reader",
  "two clients",
  "moved clock",
] as const;
export type CaseName = (typeof CASES)[number];

export type Finding =
  | "effect"
  | "no effect"
  | "effect once"
  | "acted twice"
  | "lost an effect"
  | "acted after it was cancelled"
  | "error"
  | "hung"
  | "crashed"
  | "kept running";

export interface CaseResult {
  readonly name: CaseName;
  readonly findings: readonly Finding[];
}

export const PROBLEMS: ReadonlySet<Finding> = new Set([
  "acted twice",
  "lost an effect",
  "hung",
  "crashed",
  "kept running",
]);

/** Runs each case in a new process. */
export async function stormTool(tool: StormTool, options: StormOptions): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  const calm = await calmCase(tool, options);
  results.push({ name: "calm", findings: calm.findings });
  // A tool that does not answer under normal conditions is not tested further.
  if (calm.findings.includes("hung") || calm.findings.includes("crashed")) return results;
  const expected = { ...calm, hasEffect: calm.hasEffect && tool.isFresh };
  for (const [name, run] of Object.entries(RUNS) as [CaseName, Run][])
    results.push({ name, findings: await run(tool, options, expected) });
  return results;
}

interface Calm {
  readonly findings: readonly Finding[];
  readonly hasEffect: boolean;
  readonly tookMs: number;
}

type Run = (tool: StormTool, options: StormOptions, calm: Calm) => Promise<readonly Finding[]>;

async function calmCase({ name, args }: StormTool, options: StormOptions): Promise<Calm> {
  const { value, ended } = await withServer(options, async (server) => {
    const before = await readAll(options.probes);
    const began = performance.now();
    const answer = await server.request("tools/call", { name, arguments: args() });
    const tookMs = performance.now() - began;
    const hasEffect = (await readAll(options.probes)) !== before;
    return { answer, hasEffect, tookMs };
  });
  const { answer, ...calm } = value;
  return { ...calm, findings: [...problemsOf(answer), calm.hasEffect ? "effect" : "no effect", ...ended] };
}

const RUNS: Readonly<Record<Exclude<CaseName, "calm">, Run>> = {
  async "lost answer, same process"(tool, options) {
    const { value, ended } = await withServer(options, async (server) => {
      const call = { name: tool.name, arguments: tool.args() };
      return repeated(options, () => server.request("tools/call", call));
    });
    return [...value, ...ended];
  },
  async "lost answer, new process"(tool, options) {
    const call = { name: tool.name, arguments: tool.args() };
    return repeated(options, async () => {
      const { value } = await withServer(options, async (server) => {
        const answer = await server.request("tools/call", call);
        await server.kill();
        return answer;
      });
      return value;
    });
  },
  async "killed while it works"(tool, options, { tookMs, hasEffect }) {
    const call = { name: tool.name, arguments: tool.args() };
    const states = [await readAll(options.probes)];
    const killed = await startServer(options.command, options.timeoutMs);
    if (typeof killed === "string") return ["crashed"];
    await killed.request("tools/call", call, {
      onSent: () => void setTimeout(() => void killed.kill(), tookMs / 2),
    });
    await killed.kill();
    states.push(await readAll(options.probes));
    const { value: answer, ended } = await withServer(options, (server) =>
      server.request("tools/call", call),
    );
    states.push(await readAll(options.probes));
    return [...problemsOf(answer), ...counted(states, hasEffect), ...ended];
  },
  async cancelled(tool, options, { tookMs }) {
    const before = await readAll(options.probes);
    const { value, ended } = await withServer(options, async (server) => {
      const call = server.request(
        "tools/call",
        { name: tool.name, arguments: tool.args() },
        {
          onSent: (requestId) =>
            void setTimeout(() => server.notify("notifications/cancelled", { requestId }), tookMs / 2),
        },
      );
      // A canceled call may stay unanswered, so another request shows that the server still works.
      await Promise.race([call, new Promise((resolve) => setTimeout(resolve, 2 * tookMs + 100))]);
      return server.request("ping", {});
    });
    const acted = (await readAll(options.probes)) !== before;
    return [...problemsOf(value), ...(acted ? (["acted after it was cancelled"] as const) : []), ...ended];
  },
  async "slow reader"(tool, options) {
    const { value, ended } = await withServer(options, async (server) => {
      const calls = Array.from({ length: 5 }, () =>
        server.request("tools/call", { name: tool.name, arguments: tool.args() }),
      );
      await server.stall(500);
      return Promise.all(calls);
    });
    return [...new Set(value.flatMap(problemsOf)), ...ended];
  },
  async "two clients"(tool, options) {
    const call = { name: tool.name, arguments: tool.args() };
    const both = await Promise.all(
      [1, 2].map(() => withServer(options, (server) => server.request("tools/call", call))),
    );
    return [...new Set(both.flatMap(({ value, ended }) => [...problemsOf(value), ...ended]))];
  },
  async "moved clock"(tool, options, { hasEffect }) {
    const before = await readAll(options.probes);
    const env = {
      ...process.env,
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import ${MOVED}`.trim(),
    };
    const { value, ended } = await withServer(
      options,
      (server) => server.request("tools/call", { name: tool.name, arguments: tool.args() }),
      env,
    );
    const acted = (await readAll(options.probes)) !== before;
    return [...problemsOf(value), ...(hasEffect && !acted ? (["lost an effect"] as const) : []), ...ended];
  },
};

const DAYS_400_MS = 400 * 24 * 3_600_000;
/** Shifts the clock of a server that runs on Node. */
const MOVED = `data:text/javascript,${encodeURIComponent(
  `const now=Date.now;const D=Date;const by=${DAYS_400_MS};globalThis.Date=class extends D{constructor(...a){a.length?super(...a):super(now()+by)}static now(){return now()+by}}`,
)}`;

/** Makes the same call twice, like a client that lost the first answer. */
async function repeated(
  { probes }: StormOptions,
  call: () => Promise<StormAnswer>,
): Promise<readonly Finding[]> {
  const states = [await readAll(probes)];
  const first = await call();
  states.push(await readAll(probes));
  const second = await call();
  states.push(await readAll(probes));
  const problems = [...problemsOf(first), ...problemsOf(second)];
  return [
    ...problems.filter((one) => one !== "error"),
    ...counted(states, first.kind === "result" && states[0] !== states[1]),
  ];
}

function counted([before, between, after]: readonly string[], isExpected: boolean): readonly Finding[] {
  if (before !== between && between !== after) return ["acted twice"];
  if (before !== after) return ["effect once"];
  return isExpected ? ["lost an effect"] : ["no effect"];
}

function problemsOf(answer: StormAnswer): readonly Finding[] {
  switch (answer.kind) {
    case "none":
      return [answer.why === "exit" ? "crashed" : "hung"];
    case "error":
      return ["error"];
    case "result":
      return answer.result.isError === true ? ["error"] : [];
  }
}

async function withServer<T>(
  { command, timeoutMs }: StormOptions,
  work: (server: StormServer) => Promise<T>,
  env?: NodeJS.ProcessEnv,
): Promise<{ readonly value: T; readonly ended: readonly Finding[] }> {
  const server = await startServer(command, timeoutMs, env);
  if (typeof server === "string") throw new Error(`The server cannot be started: ${server}`);
  const value = await work(server);
  return { value, ended: (await server.close()) ? [] : ["kept running"] };
}
