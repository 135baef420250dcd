import type { Clock, Failure, Json, JsonObject, Outcome } from "@toolpact/contract";
import type { GodotCode } from "../errors.ts";
import type { GodotBinary } from "../godot/binary.ts";
import type { Environment } from "../godot/environment.ts";

/** A display of the person's or a virtual one, whichever there is; a virtual one; none, and no pictures. */
export type DisplayChoice = "auto" | "virtual" | "none";

export interface GameOptions {
  readonly binary: GodotBinary;
  /** Real path of the project's folder. Nothing is written into it. */
  readonly project: string;
  readonly env: Environment;
  /** Where pictures go. */
  readonly folder: string;
  /** `res://….tscn`; the project's main scene unless set. */
  readonly scene?: string;
  readonly display?: DisplayChoice;
  /** Every frame lasts exactly one part of this of a second, so that the same inputs make the same game. */
  readonly fixedFps?: number;
  readonly breakpoints?: readonly Place[];
  /** True stops the game at script errors; otherwise they are noted with their stack and the game goes on. */
  readonly stopAtErrors?: boolean;
  /** Given after `--`: what `OS.get_cmdline_user_args()` tells the game. */
  readonly userArgs?: readonly string[];
  /** How long the first frame may take. */
  readonly startMs?: number;
  readonly clock?: Clock;
  /** Hears how far the start is, of four steps, of which the first is the caller's. */
  readonly onProgress?: (message: string, done: number) => void;
  readonly signal?: AbortSignal;
}

/** A game that runs, or ran: its output and how it ended stay readable. */
export interface Game {
  readonly pid: number;
  readonly started: Started;
  status(): GameStatus;
  /** Resolves when it has ended, by itself or not. */
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
   * Gives inputs to the game, each in the frame it asks for; answers when the last was given. A paused game is given
   * them as it is stepped.
   */
  input(
    events: readonly GameInput[],
    options?: Wait,
  ): Answer<{ readonly frames: readonly number[]; readonly frame: number }>;
  /** Looks at a GDScript expression every frame, from a node, until it is true. */
  waitUntil(
    condition: { readonly expression: string; readonly node?: string },
    options?: Wait,
  ): Answer<{ readonly frame: number; readonly value: Json }>;
  /** Lets so many frames pass; of a paused game, exactly so many. */
  step(frames: number, options?: Wait): Answer<{ readonly frame: number }>;
  /** Stands still between two frames; the game's own `paused` stays as it is. */
  pause(options?: Wait): Answer<{ readonly frame: number }>;
  /** Goes on after `pause`. */
  resume(options?: Wait): Answer<{ readonly frame: number }>;
  screenshot(query?: ScreenshotQuery, options?: Wait): Answer<Screenshot>;

  setBreakpoint(place: Place, on: boolean): void;
  breakpoints(): readonly Place[];
  /** Stops in whatever script line runs next, an endless loop included. */
  break(options?: Wait): Answer<Stop>;
  /** Why and where the game stands, when it does: at a breakpoint, an error, or after a step. */
  stop(): Stop | undefined;
  waitForStop(options?: Wait): Answer<Stop>;
  locals(frame: number, options?: Wait): Answer<readonly Variable[]>;
  /** In a frame of the stack where the game stands; from a node where it runs. */
  evaluate(
    expression: string,
    at?: { readonly frame?: number; readonly node?: string },
    options?: Wait,
  ): Answer<Json>;
  /** One line on, into, or out of the function, or on to the next stop. */
  resumeStop(how: "next" | "into" | "out" | "continue", options?: Wait): Answer<Stop | undefined>;

  monitors(options?: Wait): Answer<Readonly<Record<string, number>>>;
  /** Where the scripts' time goes, over some frames. */
  profile(frames: number, options?: Wait): Answer<readonly ProfiledFunction[]>;

  /** Waits until all that was written before is heard. */
  flush(): Promise<void>;
  output(query?: OutputQuery): OutputPage;
  errors(query?: OutputQuery): ErrorPage;

  /** Ends the game with all it started. */
  end(): Promise<GameExit>;
}

export type Answer<T> = Promise<Outcome<T, Failure<GodotCode>>>;

export interface Wait {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** What was known with the first frame. */
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
  /** The last it wrote, where it ended by a crash. */
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
  /** All that fit the query. */
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
  /** Defaults too. */
  readonly all?: boolean;
}

/** An input, `frames` after the one before it. */
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

/** Down or up; else both, with `hold` frames between them. */
export interface Press {
  readonly pressed?: boolean;
  readonly hold?: number;
}

export type MouseButton = "left" | "right" | "middle" | "wheel_up" | "wheel_down";

export interface ScreenshotQuery {
  /** Longest side of the picture in the answer; the one in the file is whole. */
  readonly maxSize?: number;
}

export interface Screenshot {
  readonly width: number;
  readonly height: number;
  /** Of the picture in `png`. */
  readonly shown: { readonly width: number; readonly height: number };
  /** Of the picture in `png` to the whole one, whose x and y inputs are given in. */
  readonly scale: number;
  /** Base64. */
  readonly png: string;
  /** Of the whole picture. */
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
  /** Lines that were forgotten, because there were too many. */
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
  /** Where in the engine it was made, when it was not in the script itself. */
  readonly source?: string;
  readonly stack: readonly StackFrame[];
  /** Of the topmost frame, where a script failed. */
  readonly locals?: readonly Variable[];
  /** How often it came, one after the other. */
  readonly times: number;
}
