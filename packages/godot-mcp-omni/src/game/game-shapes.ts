import type { Clock } from "@toolpact/contract";
import * as z from "zod";
import type { ReplyCode, Result } from "../errors.ts";
import type { GodotBinary } from "../godot/binary.ts";
import type { Environment } from "../godot/environment.ts";
import { count, json, jsonObject, list, maybe, type place, severity, stackFrame, text } from "../shapes.ts";

/** `auto`: the user's display, else a virtual one. `none`: no display and no screenshots. */
export type DisplayChoice = "auto" | "virtual" | "none";

export interface GameOptions {
  readonly binary: GodotBinary;
  /** Real path of the project's folder. Nothing is written into it. */
  readonly project: string;
  readonly env: Environment;
  /** The folder for screenshots. */
  readonly folder: string;
  /** `res://….tscn`; default: the main scene of the project. */
  readonly scene?: string;
  readonly display?: DisplayChoice;
  /** Every frame lasts exactly 1/n second of game time: the same inputs give the same game. */
  readonly fixedFps?: number;
  /** Whether it waits for its first step before the first frame of its scene. */
  readonly paused?: boolean;
  readonly size?: { readonly width: number; readonly height: number };
  readonly breakpoints?: readonly Place[];
  /** Whether the game stops at script errors. Otherwise they are recorded with their stack and the game continues. */
  readonly stopAtErrors?: boolean;
  /** Passed after `--`, for `OS.get_cmdline_user_args()`. */
  readonly userArgs?: readonly string[];
  /** Time limit of the first frame. */
  readonly startMs?: number;
  /** Whether it runs without network and can write only to the project and the home of games. */
  readonly sandbox?: boolean;
  readonly clock?: Clock;
  /** Receives the progress of the start in four steps; the first is the caller's. */
  readonly onProgress?: (message: string, done: number) => void;
  readonly signal?: AbortSignal;
}

export type GameAnswer<T> = Promise<Result<T, ReplyCode>>;

export interface Wait {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Conditions to wait for. */
export interface WaitConditions {
  /** GDScript, relative to the node. */
  readonly expression?: string;
  /** A signal of the node; default: of the current scene. */
  readonly signal?: string;
  /** Without expression and signal: waits until it exists. */
  readonly node?: string;
  /** Waits until the node no longer exists. */
  readonly gone?: boolean;
  readonly frames?: number;
  /** Text that a printed line contains. */
  readonly line?: string;
  /** The number of first lines to ignore. */
  readonly after?: number;
}

export interface WatchQuery {
  readonly expressions: readonly string[];
  readonly node?: string;
  readonly frames: number;
}

/** Facts at the first frame. */
export const started = z.strictObject({
  scene: text,
  display: z.enum(["screen", "virtual", "none"]),
  renderer: text,
  godot: text,
  startMs: z.number(),
});

export type Started = z.infer<typeof started> & { readonly warnings: readonly string[] };

const gameExit = z.strictObject({
  code: z.int().nullable(),
  signal: text.nullable(),
  /** True if this server ended it. */
  ended: z.boolean(),
  /** The last output, after a crash. */
  crash: list(text).exactOptional(),
});

export const gameStatus = z.strictObject({
  state: z.enum(["running", "paused", "stopped", "ended"]),
  lines: count,
  errors: count,
  exit: gameExit.exactOptional(),
});

export const stop = z.strictObject({ reason: text, isError: z.boolean(), stack: list(stackFrame) });

export const variable = z.strictObject({
  name: text,
  kind: z.enum(["local", "member", "global"]),
  value: json,
});

export interface TreeQuery {
  /** Absolute (`/root/Main/Player`), or from the current scene (`Player`); the root unless set. */
  readonly node?: string;
  readonly depth?: number;
  readonly limit?: number;
  /** `next` of the previous page. */
  readonly after?: number;
  readonly type?: string;
  readonly group?: string;
  readonly nameContains?: string;
}

const liveNode = z.strictObject({
  /** `/root/Main/Player` */
  path: text,
  type: text,
  script: maybe,
  children: count.exactOptional(),
});

export const treePage = z.strictObject({
  frame: count,
  nodes: list(liveNode),
  /** All nodes that match the query. */
  total: count,
  next: count.exactOptional(),
});

const numbers = list(z.number());

/** An item on the screen. Positions are pixels of a screenshot, as in inputs. */
const screenItem = z.strictObject({
  path: text,
  /** Its class; `entry` for an entry of a list or a tab. */
  type: text,
  /** Its visible text, placeholder or tooltip. */
  text: maybe,
  /** x, y, width and height of the visible part. */
  rect: numbers.exactOptional(),
  /** The position of a 2D or 3D node. */
  at: numbers.exactOptional(),
  /** Distance from the camera, in 3D. */
  distance: z.number().exactOptional(),
  focus: z.boolean().exactOptional(),
  disabled: z.boolean().exactOptional(),
  /** The state of a control that can be on or off, or selected. */
  on: z.boolean().exactOptional(),
  value: z.number().exactOptional(),
});

export const screenPage = z.strictObject({
  frame: count,
  width: z.number(),
  height: z.number(),
  /** The control that receives keys. */
  focus: maybe,
  items: list(screenItem),
  total: count,
  next: count.exactOptional(),
});

/** A node or another object of the running game. */
export const liveObject = z.strictObject({
  frame: count,
  type: text,
  id: text,
  path: maybe,
  script: maybe,
  groups: list(text).exactOptional(),
  children: count.exactOptional(),
  properties: jsonObject,
});

export interface InspectQuery {
  readonly fields?: readonly string[];
  /** Whether to include default values. */
  readonly all?: boolean;
}

export interface ScreenshotQuery {
  /** Longest side of the returned screenshot; the file has full size. */
  readonly maxSize?: number;
  /** The path of an earlier screenshot, or `last`: changes since then are marked. */
  readonly since?: string;
}

export interface FilmQuery {
  readonly frames: number;
  /** Longest side. */
  readonly maxSize?: number;
}

const size = { width: count, height: count };

export const screenshot = z.strictObject({
  frame: count,
  ...size,
  /** The size of the picture in `png`. */
  shown: z.strictObject(size),
  /** Scale of the picture in `png`; inputs use the coordinates of the full one. */
  scale: z.number(),
  /** The file with the full picture. */
  path: text,
  /** Changes since the earlier one: the share of pixels, and rectangles around them. */
  changed: z
    .strictObject({
      share: z.number(),
      regions: list(z.strictObject({ x: count, y: count, ...size })),
    })
    .exactOptional(),
});

export const film = z.strictObject({
  frame: count,
  /** An animated PNG. */
  path: text,
  ...size,
  /** Its pictures: the frame, and the share of pixels that changed since the previous one. */
  pictures: list(z.strictObject({ frame: count, changed: z.number() })),
});

/** With some of its pictures, in order, as one PNG in base64. */
export type Film = z.infer<typeof film> & { readonly sheet: string };

/** With the picture in base64. */
export type Screenshot = z.infer<typeof screenshot> & { readonly png: string };

export const profiledFunction = stackFrame.extend({
  calls: count,
  totalMs: z.number(),
  selfMs: z.number(),
});

export interface OutputQuery {
  /** `next` of the previous page. */
  readonly after?: number;
  readonly limit?: number;
}

export interface OutputPage {
  readonly lines: readonly OutputLine[];
  readonly next: number;
  /** The number of lines dropped to limit the size. */
  readonly dropped: number;
}

export interface OutputLine {
  readonly text: string;
  readonly isError: boolean;
}

const gameError = stackFrame.extend({
  severity,
  message: text,
  /** The engine location that raised it, if it was not a script. */
  source: maybe,
  stack: list(stackFrame),
  /** Variables of the topmost frame, if a script failed. */
  locals: list(variable).exactOptional(),
  /** The number of consecutive occurrences. */
  times: count,
});

export const errorPage = z.strictObject({ errors: list(gameError), next: count, dropped: count });

export type GameExit = z.infer<typeof gameExit>;
export type GameStatus = z.infer<typeof gameStatus>;
export type Place = z.infer<typeof place>;
export type StackFrame = z.infer<typeof stackFrame>;
export type BreakStop = z.infer<typeof stop>;
export type Variable = z.infer<typeof variable>;
export type TreePage = z.infer<typeof treePage>;
export type ScreenPage = z.infer<typeof screenPage>;
export type LiveObject = z.infer<typeof liveObject>;
export type ProfiledFunction = z.infer<typeof profiledFunction>;
export type ErrorPage = z.infer<typeof errorPage>;
export type GameError = z.infer<typeof gameError>;
