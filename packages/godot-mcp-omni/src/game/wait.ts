import type { Clock, Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type ReplyCode, type Result } from "../errors.ts";
import { waitForEvent } from "../wait-for-event.ts";
import { type Control, isOver } from "./control.ts";
import type { Session } from "./debugger/session.ts";
import type { GameLog } from "./game-log.ts";
import type { GameAnswer, Wait, WaitConditions } from "./game-shapes.ts";

export interface WaitParts {
  readonly session: Session;
  readonly control: Control;
  readonly log: GameLog;
  readonly clock: Clock;
}

interface Came {
  readonly frame?: number;
  readonly value: Json;
  /** After a line: the number of lines up to it. */
  readonly line?: number;
}

interface Condition {
  readonly name: string;
  /** The message for a timeout; the time is appended. */
  readonly missed: string;
  readonly wait: (wait: Wait) => GameAnswer<Came>;
}

/** How long a game may take for a frame before it counts as hanging. */
const ALIVE_MS = 3_000;

/** Waits until all conditions are met. A paused game runs meanwhile. */
export async function waitFor(
  parts: WaitParts,
  conditions: WaitConditions,
  isPaused: boolean,
  wait: Wait = {},
): GameAnswer<{ frame: number; value: Json; line?: number }> {
  const { control } = parts;
  const isOne = conditionsOf(parts, conditions, false).length === 1 && conditions.line === undefined;
  // The control script can pause the game again in the frame of one condition.
  const all = conditionsOf(parts, conditions, isPaused && isOne);
  if (isPaused && !isOne) parts.session.send("scene:suspend_changed", [false]);
  const came = await Promise.all(
    all.map(async (condition) => ({ condition, answer: await condition.wait(wait) })),
  );
  const failed = came.flatMap(({ condition, answer }) => (answer.ok ? [] : [{ condition, answer }]));
  const [first] = failed;
  const other = failed.find(({ answer }) => answer.failure.code !== "E_TIMEOUT");
  if (other !== undefined) return other.answer;
  if (first !== undefined && wait.signal?.aborted) return first.answer;
  // A condition that is not met is not a hang: a hanging game draws no frames either.
  const alive = await control.ask<{ frame: number }>(
    "frames",
    { count: first === undefined || isPaused ? 0 : 1 },
    { timeoutMs: ALIVE_MS },
  );
  if (first !== undefined) {
    if (!alive.ok) return first.answer;
    const within = wait.timeoutMs === undefined ? "" : ` within ${wait.timeoutMs} ms`;
    const missed = failed.map(({ condition }) => `${condition.missed}${within}.`).join(" ");
    const seen = await lastSeen(
      parts,
      conditions,
      failed.map(({ condition }) => condition.name),
    );
    return errors.fail("E_TIMEOUT", `${missed} The game runs on, at frame ${alive.value.frame}.${seen}`, {
      suggestedFix: "Wait longer with timeoutMs, or look at the game with inspect, output or evaluate.",
      details: { missed: failed.map(({ condition }) => condition.name) },
    });
  }
  const values = came.flatMap(({ condition, answer }) =>
    answer.ok ? [{ ...answer.value, name: condition.name }] : [],
  );
  const line = values.find((value) => value.line !== undefined)?.line;
  const frame = Math.max(0, ...values.map((value) => value.frame ?? 0), alive.ok ? alive.value.frame : 0);
  const value =
    values.length === 1
      ? (values[0]?.value ?? null)
      : Object.fromEntries(values.map(({ name, value }) => [name, value]));
  return ok({ frame, value, ...(line !== undefined && { line }) });
}

function conditionsOf(parts: WaitParts, conditions: WaitConditions, pause: boolean): readonly Condition[] {
  const { expression, signal, node, gone = false, frames, line, after = 0 } = conditions;
  const ask = (operation: string, params: JsonObject) => (wait: Wait) =>
    parts.control.ask<Came>(operation, { ...params, pause }, wait);
  const on = node === undefined ? {} : { node };
  const all: Condition[] = [];
  if (expression !== undefined)
    all.push({
      name: "expression",
      missed: `${expression.slice(0, 200)} did not become true`,
      wait: ask("until", { expression, ...on }),
    });
  if (signal !== undefined)
    all.push({
      name: "signal",
      missed: `The signal ${signal.slice(0, 80)} did not come`,
      wait: ask("until_signal", { signal, ...on }),
    });
  if (node !== undefined && ((expression === undefined && signal === undefined) || gone))
    all.push({
      name: "node",
      missed: `The node ${node.slice(0, 200)} did not ${gone ? "vanish" : "appear"}`,
      wait: ask("until_node", { node, gone }),
    });
  if (frames !== undefined)
    all.push({
      name: "frames",
      missed: `${frames} frames did not pass`,
      wait: async (wait) => {
        const passed = await parts.control.ask<{ frame: number }>("frames", { count: frames, pause }, wait);
        return passed.ok ? ok({ ...passed.value, value: frames }) : passed;
      },
    });
  if (line !== undefined)
    all.push({
      name: "line",
      missed: `No line with ${JSON.stringify(line.slice(0, 80))} was printed`,
      wait: (wait) => untilLine(parts, line, after, wait),
    });
  return all;
}

function untilLine(
  { log, session, clock }: WaitParts,
  text: string,
  after: number,
  { timeoutMs = TIMEOUT_MS, signal }: Wait,
): GameAnswer<Came> {
  return waitForEvent<Result<Came, ReplyCode>>(
    { clock, timeoutMs, signal },
    () => errors.fail("E_TIMEOUT", "The line was not printed."),
    (resolve) => {
      let from = after;
      const look = () => {
        const { lines, next } = log.output({ after: from, limit: ALL_LINES });
        const index = lines.findIndex((line) => line.text.includes(text));
        if (index !== -1)
          resolve(ok({ value: lines[index]?.text ?? "", line: next - lines.length + index + 1 }));
        from = next;
      };
      look();
      return [log.onWrite(look), session.onClose(() => resolve(isOver()))];
    },
  );
}

const TIMEOUT_MS = 15_000;
const ALL_LINES = 10_000;

/** The last values of unmet conditions, for a message. */
export async function lastSeen(
  { control, log }: WaitParts,
  { expression, node }: WaitConditions,
  missed: readonly string[],
): Promise<string> {
  const seen: string[] = [];
  if (missed.includes("expression") && expression !== undefined) {
    const params = { expression, ...(node !== undefined && { node }) };
    const last = await control.ask<{ text: string; value: Json }>("last_seen", params, {
      timeoutMs: ALIVE_MS,
    });
    if (last.ok)
      seen.push(`${last.value.text.slice(0, 100)} is ${JSON.stringify(last.value.value).slice(0, 200)}`);
  }
  const [line] = log.output({ limit: 1 }).lines;
  if (missed.includes("line") && line !== undefined)
    seen.push(`the line ${JSON.stringify(line.text.slice(0, 100))}`);
  return seen.length === 0 ? "" : ` Last seen: ${seen.join(", ")}.`;
}
