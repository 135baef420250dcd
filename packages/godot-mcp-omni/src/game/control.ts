import type { Clock, Failure, JsonObject } from "@toolpact/contract";
import { failed, ok } from "@toolpact/outcome";
import { errors, type ReplyCode, type Result } from "../errors.ts";
import { waitForEvent } from "../wait-for-event.ts";
import type { Session } from "./debugger/session.ts";
import type { Value } from "./debugger/value.ts";
import type { GameAnswer, Wait } from "./game-shapes.ts";

const TIMEOUT_MS = 15_000;

export class Control {
  private readonly session: Session;
  private readonly clock: Clock;
  private readonly pending = new Map<number, (outcome: Result<JsonObject, ReplyCode>) => void>();
  private count = 0;

  constructor(session: Session, clock: Clock) {
    this.session = session;
    this.clock = clock;
    session.onClose(() => {
      for (const resolve of [...this.pending.values()]) resolve(isOver());
    });
  }

  /** `T` is the shape of the control script's answer. */
  ask<T = JsonObject>(operation: string, params: JsonObject, wait: Wait = {}): GameAnswer<T> {
    if (!this.session.isOpen) return Promise.resolve(isOver());
    const id = ++this.count;
    const { timeoutMs = TIMEOUT_MS, signal } = wait;
    return waitForEvent<Result<T, ReplyCode>>(
      { clock: this.clock, timeoutMs, signal },
      (isAborted) => {
        this.session.send("mcp:cancel", [BigInt(id)]);
        return isAborted
          ? errors.fail("E_TIMEOUT", "The caller cancelled.", { suggestedFix: "Ask again." })
          : errors.fail("E_TIMEOUT", `The game did not answer within ${timeoutMs} ms.`, {
              suggestedFix: "It may be busy or hang: break shows where it is, stop ends it.",
            });
      },
      (resolve) => {
        this.pending.set(id, (outcome) => resolve(outcome as Result<T, ReplyCode>));
        this.session.send("mcp:ask", [BigInt(id), operation, JSON.stringify(params)]);
        return [() => this.pending.delete(id)];
      },
    );
  }

  hear(data: readonly Value[]): void {
    const answer = parse(data[0]);
    if (answer === undefined) return;
    const resolve = this.pending.get(Number(answer.id));
    resolve?.(answer.ok === true ? ok((answer.result ?? {}) as JsonObject) : failed(failureOf(answer.error)));
  }
}

export function parse(text: Value | undefined): JsonObject | undefined {
  // The control script writes objects only.
  return typeof text === "string" ? (JSON.parse(text) as JsonObject) : undefined;
}

/** The control script uses the codes of the catalog. */
export function failureOf(error: unknown): Failure<ReplyCode> {
  return error as Failure<ReplyCode>;
}

export function isOver() {
  return errors.fail("E_NOT_CONNECTED", "The game has ended.", {
    suggestedFix:
      "Read its output with output and errors, and its exit with status; start it again with run.",
  });
}
