import type { Clock, Json } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type ReplyCode, type Result } from "../errors.ts";
import { waitForEvent } from "../wait-for-event.ts";
import { type Control, isOver } from "./control.ts";
import type { Message } from "./debugger/message-stream.ts";
import type { Session } from "./debugger/session.ts";
import type { Value } from "./debugger/value.ts";
import { type Describe, jsonOfValue, objectsIn } from "./debugger/value-to-json.ts";
import { isOwn } from "./engine-messages.ts";
import type { GameLog } from "./game-log.ts";
import type { BreakStop, GameAnswer, StackFrame, Variable, Wait } from "./game-shapes.ts";

const TIMEOUT_MS = 15_000;
/** A limit, because a game that fails in every frame would be stopped most of the time. */
const MAX_LOOKS = 30;
const KINDS = ["local", "member", "global"] as const;
const RESUME = { next: "next", into: "step", out: "out", continue: "continue" } as const;

export type Resume = keyof typeof RESUME;

/** Stops of a game in the debugger: at breakpoints, at errors, after steps. */
export class Stops {
  current: BreakStop | undefined;
  private readonly session: Session;
  private readonly control: Control;
  private readonly log: GameLog;
  private readonly stopAtErrors: boolean;
  private readonly clock: Clock;
  private thread: bigint | undefined;
  /** The engine's stack index of each reported frame. */
  private frames: readonly number[] = [];
  private readonly waiting = new Set<(stop: BreakStop) => void>();
  /** Receives the next answer of the debugger. Answers have no ids, so only one request runs at a time. */
  private listening: ((message: Message) => void) | undefined;
  private queue: Promise<unknown> = Promise.resolve();
  /** The number of stops at errors to read their variables. */
  private looks = 0;

  constructor(session: Session, control: Control, log: GameLog, stopAtErrors: boolean, clock: Clock) {
    this.session = session;
    this.control = control;
    this.log = log;
    this.stopAtErrors = stopAtErrors;
    this.clock = clock;
  }

  hear(message: Message): void {
    if (message.name === "debug_enter") void this.enter(message);
    else if (message.name === "debug_exit") this.current = undefined;
    else this.listening?.(message);
  }

  wait({ timeoutMs = TIMEOUT_MS, signal }: Wait = {}): GameAnswer<BreakStop> {
    if (this.current !== undefined) return Promise.resolve(ok(this.current));
    if (!this.session.isOpen) return Promise.resolve(isOver());
    return waitForEvent<Result<BreakStop, ReplyCode>>(
      { clock: this.clock, timeoutMs, signal },
      () =>
        errors.fail("E_TIMEOUT", "The game did not stop in that time.", {
          suggestedFix: "It is still running. Wait longer, set a breakpoint on a line that runs, or break.",
        }),
      (resolve) => {
        const stopped = (stop: BreakStop) => resolve(ok(stop));
        this.waiting.add(stopped);
        return [() => this.waiting.delete(stopped), this.session.onClose(() => resolve(isOver()))];
      },
    );
  }

  async resume(how: Resume, wait: Wait = {}): GameAnswer<BreakStop | undefined> {
    if (this.current === undefined) return doesNotStand();
    this.current = undefined;
    this.session.send(RESUME[how], [], this.thread);
    return how === "continue" ? ok(undefined) : this.wait(wait);
  }

  locals(frame: number): GameAnswer<readonly Variable[]> {
    if (this.current === undefined) return Promise.resolve(doesNotStand());
    if (frame >= this.current.stack.length)
      return Promise.resolve(
        errors.fail("E_NOT_FOUND", `The stack has ${this.current.stack.length} frames, from 0 on.`),
      );
    return this.inTurn(() => this.variables(frame));
  }

  evaluate(expression: string, frame: number): GameAnswer<Json> {
    if (this.current === undefined) return Promise.resolve(doesNotStand());
    return this.inTurn(async () => {
      const returned = await this.question(
        "evaluate",
        [expression, this.engineFrame(frame)],
        "evaluation_return",
      );
      if (!returned.ok) return returned;
      const [, , , value = null] = returned.value.data;
      if (value === null) {
        // The reason for a failed expression arrives as an error after its value, so one more request is made.
        await this.question("get_stack_dump", [], "stack_dump");
        const error = this.log.forgetError(({ source }) => source?.includes("expression.cpp") === true);
        if (error !== undefined)
          return errors.fail("E_SCHEMA_VALIDATION", `The expression failed: ${error.message}`);
      }
      return ok(jsonOfValue(value, await this.describe([value])));
    });
  }

  /** While ignored, an error neither stops the game nor is inspected. */
  ignoreErrors(on: boolean): void {
    if (this.looks < MAX_LOOKS) this.session.send("set_ignore_error_breaks", [on]);
  }

  private async enter({ thread, data }: Message): Promise<void> {
    const [canContinue, reason] = data;
    this.thread = thread;
    const isError = canContinue === false;
    await this.inTurn(async () => {
      const stack = await this.stack();
      const [top] = stack;
      if (isError && top !== undefined && this.log.lacksLocals(top)) {
        const variables = await this.variables(0);
        if (variables.ok)
          this.log.addLocals(
            top,
            variables.value.filter(({ kind }) => kind !== "global"),
          );
      }
      if (isError && !this.stopAtErrors) {
        if (++this.looks === MAX_LOOKS) this.session.send("set_ignore_error_breaks", [true]);
        this.session.send("continue", [], thread);
        return;
      }
      this.current = { reason: reasonOf(reason), isError, stack };
      for (const stopped of [...this.waiting]) stopped(this.current);
    });
  }

  private async stack(): Promise<readonly StackFrame[]> {
    const dump = await this.question("get_stack_dump", [], "stack_dump");
    if (!dump.ok) return [];
    const [, ...rows] = dump.value.data;
    const all = Array.from({ length: Math.floor(rows.length / 3) }, (_, index) => {
      const [path, line, name] = rows.slice(index * 3);
      return { index, path: String(path), line: Number(line), function: String(name) };
    }).filter(({ path }) => !isOwn(path));
    this.frames = all.map(({ index }) => index);
    return all.map(({ index, ...frame }) => frame);
  }

  private async variables(frame: number): GameAnswer<readonly Variable[]> {
    const rows: (readonly Value[])[] = [];
    let count = -1;
    const heard = await this.question(
      "get_stack_frame_vars",
      [this.engineFrame(frame)],
      "stack_frame_var",
      ({ name, data }) => {
        if (name === "stack_frame_vars") count = Number(data[0]);
        if (name === "stack_frame_var") rows.push(data);
        return rows.length === count;
      },
    );
    if (!heard.ok) return heard;
    const describe = await this.describe(rows.map(([, , , value = null]) => value));
    return ok(
      rows.map(([name, kind, , value = null]) => ({
        name: String(name),
        kind: KINDS[Number(kind)] ?? "local",
        value: jsonOfValue(value, describe),
      })),
    );
  }

  /** Describes the objects in some values; the control script answers even while the game is stopped. */
  private async describe(values: readonly Value[]): Promise<Describe> {
    const ids = [...new Set(values.flatMap(objectsIn).map(String))];
    if (ids.length === 0) return () => undefined;
    const answer = await this.control.ask("describe", { ids });
    // The control describes every object by an object.
    return (id) => (answer.ok ? (answer.value[String(id)] as ReturnType<Describe>) : undefined);
  }

  private engineFrame(frame: number): bigint {
    return BigInt(this.frames[frame] ?? frame);
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.queue.then(work);
    this.queue = turn.catch(() => undefined);
    return turn;
  }

  private question(
    name: string,
    data: readonly Value[],
    answer: string,
    isLast: (message: Message) => boolean = (message) => message.name === answer,
  ): GameAnswer<Message> {
    return waitForEvent<Result<Message, ReplyCode>>(
      { clock: this.clock, timeoutMs: TIMEOUT_MS },
      () => errors.fail("E_TIMEOUT", "The game's debugger did not answer."),
      (resolve) => {
        this.listening = (message) => {
          if (isLast(message)) resolve(ok(message));
        };
        this.session.send(name, data, this.thread);
        const forget = () => {
          this.listening = undefined;
        };
        return [forget, this.session.onClose(() => resolve(isOver()))];
      },
    );
  }
}

function reasonOf(reason: Value | undefined): string {
  return typeof reason === "string" && reason !== "" ? reason : "Break";
}

function doesNotStand() {
  return errors.fail("E_UNSUPPORTED", "The game does not stand at a line of a script.", {
    suggestedFix: "Set a breakpoint and wait for it, or break.",
  });
}
