import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors } from "../errors.ts";
import type { ChangedFile } from "./changed-files.ts";
import type { Control } from "./control.ts";
import type { Session } from "./debugger/session.ts";
import { evaluateCode } from "./evaluate.ts";
import { earlierPicture, filmFrames, markChanges, nothingToSee } from "./film.ts";
import type { GameLog } from "./game-log.ts";
import type {
  BreakStop,
  Film,
  FilmQuery,
  GameAnswer,
  GameExit,
  GameStatus,
  InspectQuery,
  LiveObject,
  OutputQuery,
  Place,
  ScreenPage,
  Screenshot,
  ScreenshotQuery,
  Started,
  TreePage,
  TreeQuery,
  Wait,
  WaitConditions,
  WatchQuery,
} from "./game-shapes.ts";
import type { GuardedProcess } from "./guarded-process.ts";
import { hotReload } from "./hot-reload.ts";
import type { GameInput, InputsSent, Stepped, StepQuery } from "./input-shapes.ts";
import type { Profiler } from "./profiler.ts";
import type { Resume, Stops } from "./stops.ts";
import { lastSeen, waitFor } from "./wait.ts";

export interface Parts {
  readonly session: Session;
  readonly process: GuardedProcess;
  readonly control: Control;
  readonly stops: Stops;
  readonly log: GameLog;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly profiler: Profiler;
  readonly folder: string;
  readonly breakpoints: readonly Place[];
  readonly started: Started;
  /** Whether it was paused at its start. */
  readonly isPaused: boolean;
  /** Resolves when it has ended, for any reason. */
  readonly ended: Promise<GameExit>;
  readonly end: () => Promise<GameExit>;
}

/** The condition on which a paused game continues. */
export interface Pace {
  beforeFrame?: (() => Promise<void>) | undefined;
}

const DEFAULT_SIZE = 960;
const MAX_PICTURES = 50;
/** How long to wait for a hanging game before its output is read. */
const FLUSH_MS = 1_000;
const PAUSE_TRIES = 20;

type Frame = { readonly frame: number };

/** Makes the engine connect the callable that suspends a game; the control script takes and calls it. */
export function askToSuspend(session: Session): void {
  // With node picking on, the engine does not deliver inputs to a suspended game.
  session.send("scene:runtime_node_select_set_type", [0n]);
  session.send("scene:suspend_changed", [true]);
  session.send("scene:next_frame");
}

/**
 * A running game, or one that has ended: its output and exit stay readable. Each request goes to the control script,
 * the debugger or the log.
 */
export class Game {
  readonly pid: number;
  readonly started: Started;
  readonly ended: Promise<GameExit>;
  private readonly parts: Parts;
  private exit: GameExit | undefined;
  private isPaused: boolean;
  private canPause: boolean;
  private pictures = 0;
  private films = 0;
  private places: readonly Place[];

  constructor(parts: Parts) {
    this.parts = parts;
    this.pid = parts.process.pid ?? 0;
    this.started = parts.started;
    this.places = parts.breakpoints;
    this.ended = parts.ended;
    this.isPaused = parts.isPaused;
    this.canPause = parts.isPaused;
    void parts.ended.then((exit) => {
      this.exit = exit;
    });
  }

  status(): GameStatus {
    const { log, stops } = this.parts;
    const alive = stops.current !== undefined ? "stopped" : this.isPaused ? "paused" : "running";
    return {
      state: this.exit === undefined ? alive : "ended",
      lines: log.lineCount,
      errors: log.errorCount,
      ...(this.exit !== undefined && { exit: this.exit }),
    };
  }

  tree(query: TreeQuery = {}, wait?: Wait): GameAnswer<TreePage> {
    return this.parts.control.ask("tree", { ...query }, wait);
  }

  /** Lists the screen content: controls with their text, and 2D and 3D nodes in view. */
  async screen(query: Pick<TreeQuery, "after" | "limit"> = {}, wait?: Wait): GameAnswer<ScreenPage> {
    return this.stands() ?? this.parts.control.ask("screen", { ...query }, wait);
  }

  inspect(node: string, query: InspectQuery = {}, wait?: Wait): GameAnswer<LiveObject> {
    return this.parts.control.ask("inspect", { node, ...query }, wait);
  }

  set(node: string, property: string, value: Json, wait?: Wait): GameAnswer<{ old: Json; value: Json }> {
    return this.parts.control.ask("set", { node, property, value }, wait);
  }

  /**
   * Sends inputs, each in its frame, and returns after the last. A paused game receives them as it is stepped.
   */
  async input(events: readonly GameInput[], wait?: Wait): GameAnswer<InputsSent> {
    // Inputs are JSON; their interfaces only lack an index signature.
    const given = { events: events as unknown as readonly JsonObject[], queue: this.isPaused };
    return this.stands() ?? this.parts.control.ask("input", given, wait);
  }

  /** Waits until all conditions are met. Returns the value of a single condition, or one value per name. */
  async waitUntil(
    conditions: WaitConditions,
    wait?: Wait,
  ): GameAnswer<Frame & { value: Json; line?: number }> {
    return this.whileRunning(() => waitFor(this.parts, conditions, this.isPaused, wait));
  }

  /** Evaluates expressions at the end of each frame: rows of the frame and the values. */
  async watch(query: WatchQuery, wait?: Wait): GameAnswer<Frame & { rows: readonly (readonly Json[])[] }> {
    return this.whileRunning(() => this.parts.control.ask("watch", { ...query, pause: this.isPaused }, wait));
  }

  /** Runs a number of frames; in a paused game exactly that many. */
  async frames(count: number, wait?: Wait): GameAnswer<Frame> {
    return this.stands() ?? this.parts.control.ask("frames", { count, pause: this.isPaused }, wait);
  }

  /**
   * Runs frames with inputs until a condition holds, and compares the game before and after. Other paused games run one
   * frame before each of its own, in order: all of them share one clock.
   */
  async step(query: StepQuery, wait?: Wait, others: readonly Game[] = []): GameAnswer<Stepped> {
    const { events = [], ...rest } = query;
    const paced = this.isPaused ? others.filter((other) => other.status().state === "paused") : [];
    const given = {
      ...rest,
      // Inputs are JSON; their interfaces only lack an index signature.
      events: events as unknown as readonly JsonObject[],
      pause: this.isPaused,
      together: paced.length > 0,
    };
    if (paced.length > 0)
      this.parts.pace.beforeFrame = async () => {
        for (const other of paced) await other.frames(1, wait);
      };
    try {
      return await this.whileRunning(() => this.parts.control.ask("step", given, wait));
    } finally {
      this.parts.pace.beforeFrame = undefined;
    }
  }

  /** The current values that a condition compares, for a message. */
  lastSeen(expression: string, node?: string): Promise<string> {
    return lastSeen(this.parts, { expression, ...(node !== undefined && { node }) }, ["expression"]);
  }

  /** Pauses the game between two frames, without `SceneTree.paused`. */
  async pause(wait?: Wait): GameAnswer<Frame> {
    const stands = this.stands();
    if (stands !== undefined) return stands;
    for (let tries = 0; ; tries++) {
      if (!this.canPause) askToSuspend(this.parts.session);
      const paused = await this.parts.control.ask<Frame>("pause", {}, wait);
      if (paused.ok) {
        this.canPause = true;
        this.isPaused = true;
        return paused;
      }
      if (tries === PAUSE_TRIES || !this.parts.session.isOpen) return paused;
    }
  }

  async resume(wait?: Wait): GameAnswer<Frame> {
    this.isPaused = false;
    this.letRun();
    return this.parts.control.ask("frame", {}, wait);
  }

  async screenshot(
    { maxSize = DEFAULT_SIZE, since }: ScreenshotQuery = {},
    wait?: Wait,
  ): GameAnswer<Screenshot> {
    if (this.started.display === "none") return nothingToSee();
    const earlier =
      since === undefined ? undefined : earlierPicture(this.parts.folder, this.pid, this.pictures, since);
    if (earlier !== undefined && !earlier.ok) return earlier;
    const path = join(this.parts.folder, `${this.pid}-${++this.pictures}.png`);
    const taken = await this.parts.control.ask<Omit<Screenshot, "path" | "scale">>(
      "screenshot",
      { path, maxSize, now: this.parts.stops.current !== undefined },
      wait,
    );
    if (!taken.ok) return taken;
    await rm(join(this.parts.folder, `${this.pid}-${this.pictures - MAX_PICTURES}.png`), { force: true });
    const { shown, width } = taken.value;
    const shot = { ...taken.value, scale: shown.width / width, path };
    return earlier === undefined ? ok(shot) : markChanges(shot, earlier.value);
  }

  /** Records some frames into one animated PNG. */
  async film({ frames, maxSize }: FilmQuery, wait?: Wait): GameAnswer<Film> {
    if (this.started.display === "none") return nothingToSee();
    const path = join(this.parts.folder, `${this.pid}-film-${++this.films}`);
    return this.whileRunning(() => filmFrames(this.parts.control, { path, frames, maxSize }, wait), true);
  }

  setBreakpoint(place: Place, on: boolean): void {
    this.parts.session.send("breakpoint", [place.path, BigInt(place.line), on]);
    const others = this.places.filter(({ path, line }) => path !== place.path || line !== place.line);
    this.places = on ? [...others, place] : others;
  }

  breakpoints(): readonly Place[] {
    return this.places;
  }

  /** Stops at the next script line, even in an endless loop. */
  break(wait?: Wait): GameAnswer<BreakStop> {
    if (this.parts.stops.current === undefined) this.parts.session.send("break");
    return this.parts.stops.wait(wait);
  }

  /** The location and reason of a stop: a breakpoint, an error, or the end of a step. */
  stop(): BreakStop | undefined {
    return this.parts.stops.current;
  }

  waitForStop(wait?: Wait): GameAnswer<BreakStop> {
    return this.parts.stops.wait(wait);
  }

  locals(frame: number) {
    return this.parts.stops.locals(frame);
  }

  /** Evaluates in a stack frame of a stopped game, or relative to a node of a running one. */
  async evaluate(
    expression: string,
    at: { readonly frame?: number; readonly node?: string } = {},
    wait?: Wait,
  ): GameAnswer<Json> {
    const { frame, node } = at;
    const { control, stops } = this.parts;
    if (frame !== undefined || (node === undefined && stops.current !== undefined)) {
      // A stack frame does not resolve `$Node`, but its object has `get_node`.
      const plain = await control.ask<{ expression: string }>("rewrite", { expression }, wait);
      return stops.evaluate(plain.ok ? plain.value.expression : expression, frame ?? 0);
    }
    return evaluateCode(
      this.parts,
      { expression, now: stops.current !== undefined, ...(node !== undefined && { node }) },
      wait,
    );
  }

  /** Steps over, into or out of a function, or continues to the next stop. */
  resumeStop(how: Resume, wait?: Wait): GameAnswer<BreakStop | undefined> {
    return this.parts.stops.resume(how, wait);
  }

  async monitors(wait?: Wait): GameAnswer<Readonly<Record<string, number>>> {
    const answer = await this.parts.control.ask<{ monitors: Record<string, number> }>("monitors", {}, wait);
    return answer.ok ? ok(answer.value.monitors) : answer;
  }

  async profile(frames: number, wait?: Wait) {
    return this.whileRunning(() => this.parts.profiler.profile(() => this.frames(frames, wait)));
  }

  /** Waits until all earlier output has arrived. */
  async flush(): Promise<void> {
    if (this.parts.stops.current === undefined)
      await this.parts.control.ask("flush", {}, { timeoutMs: FLUSH_MS });
  }

  output(query?: OutputQuery) {
    return this.parts.log.output(query);
  }

  errors(query?: OutputQuery) {
    return this.parts.log.errors(query);
  }

  /** Reloads files that changed on disk. Returns one line per file that was reloaded or not. */
  reload(changed: readonly ChangedFile[]): Promise<readonly string[]> {
    return hotReload(this.parts, changed);
  }

  /** Ends the game and its child processes. */
  end(): Promise<GameExit> {
    return this.parts.end();
  }

  /** Runs work that needs frames. A paused game runs for that time, then is paused again. */
  private async whileRunning<T>(work: () => GameAnswer<T>, go = false): GameAnswer<T> {
    const stands = this.stands();
    if (stands !== undefined) return stands;
    if (!this.isPaused) return work();
    const working = work();
    if (go) this.letRun();
    const answer = await working;
    // After a timeout it still runs.
    await this.parts.control.ask("pause", {});
    return answer;
  }

  private letRun(): void {
    this.parts.session.send("scene:suspend_changed", [false]);
  }

  private stands() {
    const stop = this.parts.stops.current;
    if (stop === undefined) return undefined;
    const [top] = stop.stack;
    return errors.fail(
      "E_UNSUPPORTED",
      `The game is stopped${top === undefined ? "" : ` at ${top.path}:${top.line}`}: ${stop.reason}`,
      { suggestedFix: "Let it continue with continue." },
    );
  }
}
