import type { Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors } from "../errors.ts";
import type { Control } from "./control.ts";
import type { GameLog } from "./game-log.ts";
import type { GameAnswer, Wait } from "./game-shapes.ts";
import type { Stops } from "./stops.ts";

/** The answer of the control script; the last three fields only for statements. */
interface Evaluated {
  readonly value: Json;
  /** The engine's names of the scripts. */
  readonly scripts?: readonly string[];
  /** The number of lines before the first statement. */
  readonly head?: number;
  readonly compiled?: boolean;
}

export async function evaluateCode(
  parts: { readonly control: Control; readonly stops: Stops; readonly log: GameLog },
  params: JsonObject,
  wait: Wait | undefined,
): GameAnswer<Json> {
  const { control, stops, log } = parts;
  const before = log.errors().next;
  // The caller's mistake is no reason to stop the game.
  stops.ignoreErrors(true);
  const answer = await control.ask<Evaluated>("evaluate", params, wait);
  stops.ignoreErrors(false);
  if (!answer.ok) return answer;
  const { value, scripts = [], head = 0, compiled = true } = answer.value;
  if (scripts.length === 0) return ok(value);
  // Errors arrive after the value.
  await control.ask("flush", {}, { timeoutMs: FLUSH_MS });
  const found = log.errorsAfter(before).filter(({ severity }) => severity === "error");
  log.forgetErrors(before, ({ path }) => scripts.includes(path));
  const error = found.find(({ path, message }) => path === scripts.at(-1) && !message.includes(NO_VALUE));
  if (error === undefined)
    return compiled ? ok(value) : errors.fail("E_SCHEMA_VALIDATION", "The code cannot be read.");
  const line = Math.max(1, error.line - head);
  return errors.fail("E_SCHEMA_VALIDATION", `Line ${line}: ${error.message}`, { details: { line } });
}

const FLUSH_MS = 1_000;
/** The last statement called a function without a return value; the call was made. */
const NO_VALUE = "Trying to get a return value of a method that returns";
