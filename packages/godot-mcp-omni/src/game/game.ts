import type { Clock, Failure, Json, JsonObject, Outcome } from "@toolpact/contract";
import type { ReplyCode } from "../errors.ts";
import type { GodotBinary } from "../godot/binary.ts";
import type { Environment } from "../godot/environment.ts";

/** `auto`: the person's display, else a virtual one. `none`: no display and no pictures. */
export type DisplayChoice = "auto" | "virtual" | "none";

export interface GameOptions {
  readonly binary: GodotBinary;
  /** Real path of the project's folder. Nothing is written into it. */
  readonly project: string;
  readonly env: Environment;
  /** Where pictures go. */
  readonly folder: string;
  /** `res://….tscn`; default: the main scene of the project. */
  readonly scene?: string;
  readonly display?: DisplayChoice;
  /** Every frame lasts exactly 1/n second of game time, so that the same inputs give the same game. */
  readonly fixedFps?: number;
  readonly breakpoints?: readonly Place[];
  /** Whether the game stops at script errors. Otherwise they are recorded with their stack and the game continues. */
  readonly stopAtErrors?: boolean;
  /** Passed after `--`, for `OS.get_cmdline_user_args()`. */
  readonly userArgs?: readonly string[];
  /** How long the first frame may take. */
  readonly startMs?: number;
  readonly clock?: Clock;
  /** Receives the progress of the start in four steps; the first is the caller's. */
  readonly onProgress?: (message: string, done: number) => void;
  readonly signal?: AbortSignal;
}

/** A running game, or one that has ended: its output and exit stay readable. */
export interface Game {
  readonly pid: number;
  readonly started: Started;
  status(): GameStatus;
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<GameExit>;

  tree(query?: TreeQuery, options?: Wait): Answer<TreePage>;
  inspect(node: string, query?: InspectQuery, options?: Wait): Answer<LiveObject>;
  /** Sets one property and reads it back. */
  set(
    node: string,
    property: string,
    value: Json,
    options?: Wait,
  ): Answer<{ readonly old: Json; readonly value: Json }>;
  /**
   * Sends inputs, each in its frame, and returns after the last. A paused game receives them as it is stepped.
   */
  input(
    events: readonly GameInput[],
    options?: Wait,
  ): Answer<{ readonly frames: readonly number[]; readonly frame: number }>;
  /** Evaluates a GDScript expression every frame, relative to a node, until it is true. */
  waitUntil(
    condition: { readonly expression: string; readonly node?: string },
    options?: Wait,
  ): Answer<{ readonly frame: number; readonly value: Json }>;
  /** Lets a number of frames pass; in a paused game exactly that many. */
  step(frames: number, options?: Wait): Answer<{ readonly frame: number }>;
  /** Pauses the game between two frames, without `SceneTree.paused`. */
  pause(options?: Wait): Answer<{ readonly frame: number }>;
  /** Continues after `pause`. */
  resume(options?: Wait): Answer<{ readonly frame: number }>;
  screenshot(query?: ScreenshotQuery, options?: Wait): Answer<Screenshot>;

  setBreakpoint(place: Place, on: boolean): void;
  breakpoints(): readonly Place[];
  /** Stops at the next script line, also in an endless loop. */
  break(options?: Wait): Answer<Stop>;
  /** Where and why the game is stopped: at a breakpoint, at an error, or after a step. */
  stop(): Stop | undefined;
  waitForStop(options?: Wait): Answer<Stop>;
  locals(frame: number, options?: Wait): Answer<readonly Variable[]>;
  /** In a stack frame of a stopped game, or relative to a node of a running one. */
  evaluate(
    expression: string,
    at?: { readonly frame?: number; readonly node?: string },
    options?: Wait,
  ): Answer<Json>;
  /** Steps over, into or out of a function, or continues to the next stop. */
  resumeStop(how: "next" | "into" | "out" | "continue", options?: Wait): Answer<Stop | undefined>;

  monitors(options?: Wait): Answer<Readonly<Record<string, number>>>;
  /** Profiles scripts over some frames. */
  profile(frames: number, options?: Wait): Answer<readonly ProfiledFunction[]>;

  /** Waits until all earlier output has arrived. */
  flush(): Promise<void>;
  output(query?: OutputQuery): OutputPage;
  errors(query?: OutputQuery): ErrorPage;

  /** Ends the game and its child processes. */
  end(): Promise<GameExit>;
}

export type Answer<T> = Promise<Outcome<T, Failure<ReplyCode>>>;

export interface Wait {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Facts at the first frame. */
export interface Started {
  readonly scene: string;
  readonly display: "screen" | "virtual" | "none";
  readonly renderer: string;
  readonly godot: string;
  readonly startMs: number;
  readonly warnings: readonly string[];
}

export interface GameStatus {
  readonly state: "running" | "paused" | "stopped" | "ended";
  readonly lines: number;
  readonly errors: number;
  readonly exit?: GameExit;
}

export interface GameExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** True when this server ended it. */
  readonly ended: boolean;
  /** The last output, after a crash. */
  readonly crash?: readonly string[];
}

/** A line of a script. */
export interface Place {
  readonly path: string;
  readonly line: number;
}

export interface StackFrame extends Place {
  readonly function: string;
}

export interface Stop {
  readonly reason: string;
  readonly isError: boolean;
  readonly stack: readonly StackFrame[];
}

export interface Variable {
  readonly name: string;
  readonly kind: "local" | "member" | "global";
  readonly value: Json;
}

export interface TreeQuery {
  /** Absolute (`/root/Main/Player`), or from the current scene (`Player`); the root unless set. */
  readonly node?: string;
  readonly depth?: number;
  readonly limit?: number;
  /** `next` of the page before. */
  readonly after?: number;
  readonly type?: string;
  readonly group?: string;
  readonly nameContains?: string;
}

export interface TreePage {
  readonly nodes: readonly LiveNode[];
  /** All that match the query. */
  readonly total: number;
  readonly next?: number;
  readonly frame: number;
}

export interface LiveNode {
  /** `/root/Main/Player` */
  readonly path: string;
  readonly type: string;
  readonly script?: string;
  /** How many it has. */
  readonly children?: number;
}

/** A node or another object of the running game. */
export interface LiveObject extends Omit<LiveNode, "path"> {
  readonly id: string;
  /** Of a node. */
  readonly path?: string;
  readonly groups?: readonly string[];
  readonly properties: JsonObject;
  readonly frame: number;
}

export interface InspectQuery {
  readonly fields?: readonly string[];
  /** Whether to include default values. */
  readonly all?: boolean;
}

/** An input, `frames` frames after the one before it. */
export type GameInput = { readonly frames?: number } & (
  | ({ readonly kind: "key"; readonly key: string } & Press)
  | ({ readonly kind: "action"; readonly name: string; readonly strength?: number } & Press)
  | ({
      readonly kind: "button";
      readonly x: number;
      readonly y: number;
      readonly button?: MouseButton;
    } & Press)
  | { readonly kind: "move"; readonly x: number; readonly y: number }
  | { readonly kind: "text"; readonly text: string }
);

/** Pressed or released; by default both, with `hold` frames in between. */
export interface Press {
  readonly pressed?: boolean;
  readonly hold?: number;
}

export type MouseButton = "left" | "right" | "middle" | "wheel_up" | "wheel_down";

export interface ScreenshotQuery {
  /** Longest side of the picture in the answer; the file has full size. */
  readonly maxSize?: number;
}

export interface Screenshot {
  readonly width: number;
  readonly height: number;
  /** Of the picture in `png`. */
  readonly shown: { readonly width: number; readonly height: number };
  /** Scale of the picture in `png`; inputs use the coordinates of the full one. */
  readonly scale: number;
  /** Base64. */
  readonly png: string;
  /** Of the full picture. */
  readonly path: string;
  readonly frame: number;
}

export interface ProfiledFunction extends Place {
  readonly function: string;
  readonly calls: number;
  readonly totalMs: number;
  readonly selfMs: number;
}

export interface OutputQuery {
  /** `next` of the page before. */
  readonly after?: number;
  readonly limit?: number;
}

export interface OutputPage {
  readonly lines: readonly OutputLine[];
  readonly next: number;
  /** How many lines were dropped because there were too many. */
  readonly dropped: number;
}

export interface OutputLine {
  readonly text: string;
  readonly isError: boolean;
}

export interface ErrorPage {
  readonly errors: readonly GameError[];
  readonly next: number;
  readonly dropped: number;
}

export interface GameError {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly path: string;
  readonly line: number;
  readonly function: string;
  /** Where in the engine it was raised, if not in a script. */
  readonly source?: string;
  readonly stack: readonly StackFrame[];
  /** Variables of the topmost frame, where a script failed. */
  readonly locals?: readonly Variable[];
  /** How often it occurred in a row. */
  readonly times: number;
}
