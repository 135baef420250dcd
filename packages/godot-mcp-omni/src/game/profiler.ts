import type { Clock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type ReplyCode, type Result } from "../errors.ts";
import { waitForEvent } from "../wait-for-event.ts";
import { isOver } from "./control.ts";
import type { Message } from "./debugger/message-stream.ts";
import type { Session } from "./debugger/session.ts";
import type { GameAnswer, ProfiledFunction } from "./game-shapes.ts";

const TIMEOUT_MS = 15_000;
/** The number of functions to return, the most expensive first. */
const MAX_FUNCTIONS = 64n;
/** Numbers before the functions: the frame, five durations, and a count of servers, which is 0 in a total. */
const HEAD = 7;
/** Per function: id of its signature, calls, own time, total time, time in the engine. */
const WIDTH = 5;

/** Uses Godot's built-in script profiler. */
export class Profiler {
  private readonly session: Session;
  private readonly clock: Clock;
  private readonly signatures = new Map<number, string>();
  private onTotal: ((message: Message) => void) | undefined;

  constructor(session: Session, clock: Clock) {
    this.session = session;
    this.clock = clock;
  }

  hear(message: Message): void {
    const [first, id] = message.data;
    if (message.name === "servers:function_signature" && typeof first === "object" && first !== null)
      this.signatures.set(Number(id), "value" in first ? String(first.value) : "");
    if (message.name === "servers:profile_total") this.onTotal?.(message);
  }

  async profile(work: () => Promise<Result<unknown, ReplyCode>>): GameAnswer<readonly ProfiledFunction[]> {
    this.signatures.clear();
    this.session.send("profiler:servers", [true, [MAX_FUNCTIONS, false]]);
    const done = await work();
    const message = await waitForEvent<Message | undefined>(
      { clock: this.clock, timeoutMs: TIMEOUT_MS },
      () => undefined,
      (resolve) => {
        this.onTotal = resolve;
        this.session.send("profiler:servers", [false]);
        return [this.session.onClose(() => resolve(undefined))];
      },
    );
    this.onTotal = undefined;
    if (!done.ok) return done;
    if (message !== undefined) return ok(this.functions(message));
    return this.session.isOpen ? errors.fail("E_TIMEOUT", "The game sent no profile.") : isOver();
  }

  /** Returns only functions of the project. */
  private functions({ data }: Message): readonly ProfiledFunction[] {
    const numbers = data.slice(HEAD + 1).map(Number);
    return Array.from({ length: Math.floor(numbers.length / WIDTH) }, (_, index) => {
      const [id = 0, calls = 0, self = 0, all = 0] = numbers.slice(index * WIDTH);
      const [path = "", line = "0", name = ""] = this.signatures.get(id)?.split("::") ?? [];
      return {
        path,
        line: Number(line),
        function: name,
        calls,
        totalMs: milliseconds(all),
        selfMs: milliseconds(self),
      };
    })
      .filter(({ path, calls }) => path.startsWith("res://") && calls > 0)
      .sort((a, b) => b.totalMs - a.totalMs);
  }
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e3;
}
