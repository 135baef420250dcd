import * as z from "zod";
import { count, json, list, maybe, point, text } from "../shapes.ts";

const numbers = list(z.number());
const frames = z.int().min(0).max(36_000).exactOptional();
/** The time to send it: frames from the start of the list, or after the previous input. */
const when = { at: frames, frames };
/** Pressed or released; by default both, with `hold` frames in between. */
const press = { ...when, pressed: z.boolean().exactOptional(), hold: frames };
const position = { x: z.number(), y: z.number() };
/** The end of a drag. */
const drag = { toX: z.number().exactOptional(), toY: z.number().exactOptional() };
const device = z.int().min(0).max(15).exactOptional();
/** A name such as `a`, `left_shoulder`, `left_x`, or Godot's number for it. */
const ofPad = z.union([text.min(1), z.int().min(0)]);

export const gameInput = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("key"), key: text.min(1), ...press }),
  z.strictObject({
    kind: z.literal("action"),
    name: text.min(1),
    strength: z.number().min(0).max(1).exactOptional(),
    ...press,
  }),
  z.strictObject({
    kind: z.literal("button"),
    button: z.enum(["left", "right", "middle", "wheel_up", "wheel_down"]).exactOptional(),
    ...position,
    ...drag,
    ...press,
  }),
  z.strictObject({
    kind: z.literal("touch"),
    finger: z.int().min(0).max(9).exactOptional(),
    ...position,
    ...drag,
    ...press,
  }),
  z.strictObject({
    kind: z.literal("pad"),
    button: ofPad.exactOptional(),
    axis: ofPad.exactOptional(),
    value: z.number().min(-1).max(1).exactOptional(),
    device,
    ...press,
  }),
  z.strictObject({ kind: z.literal("move"), ...when, ...position }),
  z.strictObject({
    kind: z.literal("text"),
    ...when,
    text: text.min(1).max(10_000),
    /** The field, which is clicked first. */
    node: maybe,
  }),
  z
    .strictObject({
      kind: z.literal("click"),
      ...when,
      /** The visible text of the target; pass text, node, or x and y. */
      text: text.min(1).exactOptional(),
      node: text.min(1).exactOptional(),
      x: z.number().exactOptional(),
      y: z.number().exactOptional(),
      button: z.enum(["left", "right", "middle"]).exactOptional(),
      /** The target of a drag. */
      toText: text.min(1).exactOptional(),
      toNode: text.min(1).exactOptional(),
      ...drag,
      hold: frames,
    })
    .refine(
      ({ text, node, x, y }) =>
        (x === undefined) === (y === undefined) &&
        [text, node, x].filter((given) => given !== undefined).length === 1,
      "needs text, node, or x and y",
    ),
  z
    .strictObject({
      kind: z.literal("walk"),
      ...when,
      node: text.min(1),
      /** A place in world coordinates, or a node; one of to and toNode. */
      to: z
        .union([
          point(
            z.strictObject({ x: z.number(), y: z.number().exactOptional(), z: z.number().exactOptional() }),
          ),
          text.min(1),
        ])
        .exactOptional(),
      toNode: text.min(1).exactOptional(),
      /** Actions to hold per direction. Default: follow the navigation agent, or hold the usual actions. */
      actions: z.partialRecord(z.enum(["left", "right", "up", "down"]), text).exactOptional(),
      /** The frame of reference for left and right, in 3D. */
      relative: z.enum(["world", "camera", "node"]).exactOptional(),
      /** The distance that counts as arrived. */
      near: z.number().positive().exactOptional(),
      /** Physics ticks after which it gives up. */
      within: z.int().min(1).max(36_000).exactOptional(),
    })
    .refine(({ to, toNode }) => (to === undefined) !== (toNode === undefined), "needs to or toNode"),
]);

const act = z.strictObject({
  kind: z.enum(["click", "type", "walk"]),
  node: maybe,
  x: z.number().exactOptional(),
  y: z.number().exactOptional(),
  position: numbers.exactOptional(),
  distance: z.number().exactOptional(),
  ticks: count.exactOptional(),
});

/** A signal that a node emitted, and the methods connected to it. */
const fired = z.strictObject({ frame: count, node: text, signal: text, times: count, to: list(text) });
const signals = { signals: list(fired).exactOptional(), moreSignals: count.exactOptional() };

/** When inputs were sent, and the results of those by text, node or position. */
export const inputsSent = z.strictObject({
  frame: count,
  frames: list(count),
  acts: list(act).exactOptional(),
  ...signals,
});

/** A number of frames, with inputs, until a condition holds. */
export interface StepQuery {
  /** The maximum, if there is a condition. */
  readonly frames: number;
  /** GDScript, relative to the node. */
  readonly until?: string;
  readonly node?: string;
  readonly events?: readonly GameInput[];
  /** Ends when the last input has been sent. */
  readonly untilSent?: boolean;
  /** Values to report: first, last, and the range of numbers. */
  readonly expressions?: readonly string[];
}

export const stepped = z.strictObject({
  frame: count,
  passed: count,
  met: z.boolean().exactOptional(),
  /** The inputs that were sent, by their index in the list. */
  events: list(z.strictObject({ event: count, frame: count })),
  acts: list(act).exactOptional(),
  /** Differences between before and after. */
  changed: z.strictObject({
    scene: text.exactOptional(),
    paused: z.boolean().exactOptional(),
    values: list(z.strictObject({ node: text, property: text, old: json, new: json })).exactOptional(),
    added: list(text).exactOptional(),
    removed: list(text).exactOptional(),
    more: count.exactOptional(),
  }),
  watched: list(
    z.strictObject({
      expression: text,
      first: json.exactOptional(),
      last: json.exactOptional(),
      min: z.number().exactOptional(),
      max: z.number().exactOptional(),
    }),
  ).exactOptional(),
  ...signals,
});

export type InputsSent = z.infer<typeof inputsSent>;
export type GameInput = z.infer<typeof gameInput>;
export type Stepped = z.infer<typeof stepped>;
