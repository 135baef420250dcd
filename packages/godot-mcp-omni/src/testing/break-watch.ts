import type { Clock } from "@toolpact/contract";
import type { Message } from "../game/debugger/message-stream.ts";
import type { Session } from "../game/debugger/session.ts";
import { jsonOfValue } from "../game/debugger/value-to-json.ts";
import type { StackFrame } from "./test-results.ts";

/** A stop of a script, and the variables of that function. */
export interface Break {
  readonly stack: readonly StackFrame[];
  readonly locals: Readonly<Record<string, string>>;
  /** Godot's message. */
  readonly reason: string;
}

const MAX_VALUE_LENGTH = 300;
const LOCAL = 0;
const ANSWER_MS = 3_000;
/** Each takes some 10 ms, and a loop of errors would use up the time of its test. */
const MAX_BREAKS = 50;

/**
 * Acts as the debugger while tests run: Godot stops at each script error, reports its stack, and continues. Tests can
 * also be stopped on purpose, even in an endless loop.
 */
export class BreakWatch {
  private readonly session: Session;
  private readonly clock: Clock;
  private breaks: Break[] = [];
  private stack: readonly StackFrame[] = [];
  private locals: Record<string, string> = {};
  private reason = "";
  private variables = 0;
  private seen = 0;
  private onBreak: ((at: Break) => void) | undefined;

  constructor(session: Session, clock: Clock) {
    this.session = session;
    this.clock = clock;
    session.onMessage((message) => this.hear(message));
  }

  /** True after too many breaks: Godot no longer stops at errors. */
  get isSpent(): boolean {
    return this.seen >= MAX_BREAKS;
  }

  /** Breaks since the last call. */
  take(): readonly Break[] {
    const taken = this.breaks;
    this.breaks = [];
    return taken;
  }

  /** Stops the running script for good. Undefined if none runs. */
  whereNow(): Promise<Break | undefined> {
    return new Promise((resolve) => {
      const stopTimer = this.clock.after(ANSWER_MS, () => resolve(undefined));
      this.onBreak = (at) => {
        stopTimer();
        resolve(at.stack.length === 0 ? undefined : at);
      };
      this.session.send("break");
    });
  }

  /** Each answer of the debugger leads to the next request. */
  private hear({ name, thread, data }: Message): void {
    switch (name) {
      case "debug_enter":
        this.reason = String(data[1]);
        this.session.send("get_stack_dump", [], thread);
        return;
      case "stack_dump":
        this.stack = framesOf(data);
        this.locals = {};
        if (this.stack.length === 0) this.goOn(thread);
        else this.session.send("get_stack_frame_vars", [0n], thread);
        return;
      case "stack_frame_vars":
        this.variables = Number(data[0]);
        if (this.variables === 0) this.goOn(thread);
        return;
      case "stack_frame_var": {
        const [variable, kind, , value = null] = data;
        if (Number(kind) === LOCAL)
          this.locals[String(variable)] = JSON.stringify(jsonOfValue(value)).slice(0, MAX_VALUE_LENGTH);
        this.variables -= 1;
        if (this.variables === 0) this.goOn(thread);
        return;
      }
    }
  }

  private goOn(thread: bigint): void {
    const at = { stack: this.stack, locals: this.locals, reason: this.reason };
    if (this.onBreak !== undefined) {
      this.onBreak(at);
      return;
    }
    this.breaks.push(at);
    this.seen += 1;
    if (this.seen === MAX_BREAKS) this.session.send("set_ignore_error_breaks", [true]);
    this.session.send("continue", [], thread);
  }
}

/** Three values per frame: file, line, function; their count comes first. */
function framesOf([, ...rows]: Message["data"]): readonly StackFrame[] {
  return Array.from({ length: Math.floor(rows.length / 3) }, (_, index) => {
    const [file, line, name] = rows.slice(index * 3);
    return { file: String(file), line: Number(line), function: String(name) };
  });
}
