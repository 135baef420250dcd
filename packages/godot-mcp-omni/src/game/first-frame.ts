import type { Clock, Failure } from "@toolpact/contract";
import type { ReplyCode } from "../errors.ts";
import { failureOf, parse } from "./control.ts";
import type { Message } from "./debugger/message-stream.ts";
import type { GameExit, Started } from "./game-shapes.ts";
import type { Stops } from "./stops.ts";

/** What happened first: a frame, a stop or the end of the game, or why none of them can. */
export type Came = "frame" | "stop" | "end" | "late" | "aborted" | Failure<ReplyCode>;

export interface FirstFrameOptions {
  readonly stops: Stops;
  readonly ended: Promise<GameExit>;
  readonly clock: Clock;
  readonly startMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Receives the messages of a game until its first frame. */
export class FirstFrame {
  hello: Pick<Started, "scene" | "renderer" | "godot"> = { scene: "", renderer: "", godot: "" };
  private settle: (came: Came) => void = () => {};
  private readonly came: Promise<Came>;

  constructor() {
    this.came = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  hear({ name, data }: Message): void {
    if (name === "mcp:ready") this.settle("frame");
    if (name === "mcp:failed") this.settle(failureOf(parse(data[0])));
    if (name !== "mcp:hello") return;
    const { scene, renderer, godot } = parse(data[0]) ?? {};
    this.hello = { scene: String(scene), renderer: String(renderer), godot: String(godot) };
  }

  async wait({ stops, ended, clock, startMs, signal }: FirstFrameOptions): Promise<Came> {
    const onAbort = () => this.settle("aborted");
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
    void stops.wait({ timeoutMs: startMs }).then((stop) => stop.ok && this.settle("stop"));
    void ended.then(() => this.settle("end"));
    const stopTimer = clock.after(startMs, () => this.settle("late"));
    const came = await this.came;
    stopTimer();
    signal?.removeEventListener("abort", onAbort);
    return came;
  }
}
