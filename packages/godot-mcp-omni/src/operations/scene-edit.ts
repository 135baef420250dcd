import * as z from "zod";
import { count, json, jsonObject, list, maybe, point, text } from "../shapes.ts";

/** A cell of a TileMapLayer. Without a tile it is erased; without a source, the only atlas is used. */
export const tile = z.strictObject({
  x: z.int().min(-32768).max(32767),
  y: z.int().min(-32768).max(32767),
  source: z.int().min(0).max(65534).exactOptional(),
  atlas: point(
    z.strictObject({ x: z.int().min(0).max(65535), y: z.int().min(0).max(65535) }),
  ).exactOptional(),
  alternative: z.int().min(0).max(65535).exactOptional(),
});

export type Tile = z.infer<typeof tile>;

export const animationKey = z.strictObject({ time: z.number().min(0), value: json });

export const connection = z.strictObject({
  node: text,
  signal: text,
  to: text,
  method: text,
  flags: list(z.enum(["deferred", "one_shot", "reference_counted"])).exactOptional(),
  binds: list(json).exactOptional(),
  unbinds: count.exactOptional(),
});

export type SignalConnection = z.infer<typeof connection>;

const node = { node: text };
const index = count.exactOptional();
const properties = jsonObject.exactOptional();
/** Names the node an edit makes, for later edits of the batch to reference as `$name`. */
const as = text.regex(/^\w+$/).exactOptional();
const { flags, binds, unbinds, ...ends } = connection.shape;

/** Every kind of scene edit: its members, and the words for the completed edit. */
export const EDITS = {
  add: {
    takes: {
      type: text,
      parent: maybe,
      name: maybe,
      index,
      properties,
      groups: list(text).exactOptional(),
      script: maybe,
      as,
    },
    done: "Added",
  },
  instance: { takes: { source: text, parent: maybe, name: maybe, index, properties, as }, done: "Instanced" },
  remove: { takes: node, done: "Removed" },
  rename: { takes: { ...node, name: text }, done: "Renamed" },
  move: { takes: { ...node, index: count }, done: "Moved" },
  duplicate: { takes: { ...node, name: maybe, as }, done: "Duplicated" },
  reparent: {
    /** `keepGlobalTransform` defaults to true. */
    takes: { ...node, parent: text, index, keepGlobalTransform: z.boolean().exactOptional() },
    done: "Reparented",
  },
  set: { takes: { ...node, properties: jsonObject }, done: "Set" },
  script: { takes: { ...node, script: text.nullable() }, done: "Set the script of" },
  group: { takes: { ...node, group: text, member: z.boolean() }, done: "Set a group of" },
  unique_name: { takes: { ...node, unique: z.boolean() }, done: "Set the unique name of" },
  /** Opens the children of an instance to changes, like the editor's "Editable Children". */
  editable: { takes: { ...node, editable: z.boolean() }, done: "Set editable children of" },
  connect: { takes: { ...ends, flags, binds, unbinds }, done: "Connected" },
  disconnect: { takes: ends, done: "Disconnected" },
  /** With `terrain` the cells get the tiles of that terrain which fit together, like the editor's terrain brush. */
  tiles: {
    takes: {
      ...node,
      cells: list(tile),
      terrain: z.strictObject({ set: count, terrain: z.int().min(-1) }).exactOptional(),
    },
    done: "Set tiles of",
  },
  animation: {
    takes: {
      player: text,
      animation: text,
      ...node,
      property: text,
      keys: z.array(animationKey).min(1),
      length: z.number().exactOptional(),
      replace: z.boolean().exactOptional(),
      loop: z.boolean().exactOptional(),
    },
    done: "Wrote an animation of",
  },
  /** Puts a whole Animation, given as its properties, into a library of the player; the unnamed one by default. */
  animate: {
    takes: { player: text, animation: text, library: maybe, properties: jsonObject },
    done: "Wrote an animation of",
  },
  bake: { takes: node, done: "Baked" },
} as const satisfies Record<string, { readonly takes: z.ZodRawShape; readonly done: string }>;

export type EditKind = keyof typeof EDITS;

/** Kinds that only other actions use: a batch does not offer them. */
export const OF_ACTIONS: readonly EditKind[] = ["animate", "bake"];

// The keys of the table are the kinds, and there are some.
export const KINDS = Object.keys(EDITS) as [EditKind, ...EditKind[]];

export type SceneEdit = {
  [Kind in EditKind]: { kind: Kind } & z.infer<z.ZodObject<(typeof EDITS)[Kind]["takes"]>>;
}[EditKind];
