import type { AnyErrorSet } from "../errors.ts";
import type { JsonObject, JsonSchema } from "../json.ts";
import type { Manifest } from "../manifest.ts";
import type { McpApp } from "../mcp/app.ts";
import { envelopeOf, problemsOf, type ReadEnvelope, readEnvelope } from "./answer-problems.ts";
import { type HostileArguments, hostileArguments } from "./hostile-arguments.ts";
import { type RawAnswer, rawConnection } from "./raw-connection.ts";
import { sampleArguments } from "./sample-arguments.ts";

export interface FuzzOptions {
  readonly errors: AnyErrorSet;
  readonly manifest?: Manifest;
  /** Valid arguments by tool, as a start: they reach deeper than arguments generated from the schema. */
  readonly samples?: Readonly<Record<string, readonly JsonObject[]>>;
  /** Only these tools; default: all listed ones. */
  readonly tools?: readonly string[];
  /** Per tool, sampled by the seed; default 300. */
  readonly callsPerTool?: number;
  readonly seed?: number;
  /** Per call; default five seconds. */
  readonly patienceMs?: number;
  /** Reads an envelope of your own format; undefined if it is not one. */
  readonly readEnvelope?: ReadEnvelope;
}

export interface Finding {
  readonly tool: string;
  readonly problem: string;
  readonly what: string;
  readonly args: string;
  readonly times: number;
}

/** The calls, their answers, and the violations. */
export interface FuzzResult {
  readonly calls: number;
  /** By code, and `ok`. */
  readonly answers: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
}

const SHOWN_CHARACTERS = 200;

/**
 * Sends hostile arguments to every tool of an app: wrong types, missing and unknown members, control characters, lone
 * surrogates, paths, huge and deep values. Every answer must be the envelope, with a code of the closed set other
 * than the internal one, and must not show a stack trace. The tools do run: use disposable data.
 *
 * ```ts
 * const { findings } = await fuzz(app, { errors });
 * if (findings.length > 0) throw new Error(JSON.stringify(findings, null, 2));
 * ```
 */
export async function fuzz(app: McpApp, options: FuzzOptions): Promise<FuzzResult> {
  const { callsPerTool = 300, seed = 1, patienceMs = 5_000, tools: only } = options;
  const random = seeded(seed);
  const findings = new Map<string, Finding & { times: number }>();
  const answers: Record<string, number> = {};
  let calls = 0;
  const connection = await rawConnection(app);
  try {
    const tools = app.surface.tools.filter(({ name }) => only?.includes(String(name)) ?? true);
    for (const { name, inputSchema } of tools) {
      const tool = String(name);
      const good = options.samples?.[tool] ?? sampleArguments(inputSchema as JsonSchema);
      const chosen = choose(
        good.flatMap((args) => [...hostileArguments(args)]),
        callsPerTool,
        random,
      );
      for (const hostile of chosen) {
        calls += 1;
        const answer = await connection.call(tool, hostile.json, patienceMs);
        const ended = endingOf(answer, options.readEnvelope ?? readEnvelope);
        answers[ended] = (answers[ended] ?? 0) + 1;
        for (const problem of problemsOf(tool, answer, options)) note(tool, problem, hostile);
      }
    }
  } finally {
    await connection.close();
  }
  return { calls, answers, findings: [...findings.values()] };

  function note(tool: string, problem: string, { what, json }: HostileArguments): void {
    const key = `${tool} ${problem}`;
    const known = findings.get(key);
    if (known !== undefined) known.times += 1;
    else {
      const args = json.length > SHOWN_CHARACTERS ? `${json.slice(0, SHOWN_CHARACTERS)}…` : json;
      findings.set(key, { tool, problem, what, args, times: 1 });
    }
  }
}

function endingOf(answer: RawAnswer, read: ReadEnvelope): string {
  if (answer.kind !== "result") return answer.kind;
  const envelope = read(envelopeOf(answer.result));
  return envelope === undefined ? "no envelope" : (envelope.code ?? "ok");
}

/** Deterministic for a seed, always with the first. */
function choose<T>(all: readonly T[], most: number, random: () => number): T[] {
  if (all.length <= most) return [...all];
  const [first, ...rest] = all;
  const shuffled = rest.map((item) => ({ item, at: random() })).sort((a, b) => a.at - b.at);
  return [first as T, ...shuffled.slice(0, most - 1).map(({ item }) => item)];
}

/** From 0 to 1. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
