import type { Failure, Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { DriverContext } from "../../drivers/ask.ts";
import { errors, type GodotCode, type Result } from "../../errors.ts";
import { SceneText } from "../../formats/scene-text.ts";
import { writeVariant } from "../../formats/variant.ts";
import { MEMBERS } from "../../formats/variant-types.ts";
import type { sceneEdited } from "../../operations/results.ts";
import type { SceneEdit } from "../../operations/scene-edit.ts";
import { variantOf } from "../../scene-model/json-to-variant.ts";
import { follow, pathBetween, propertyPath } from "../../scene-model/scene-tree.ts";
import { jsonOfText } from "../../scene-model/variant-to-json.ts";
import { json } from "../../shapes.ts";
import { editSceneFile } from "../edit-scene.ts";
import { inspect, listMembers } from "../inspector/inspect.ts";
import * as p from "../params.ts";
import type { ToolAnswer } from "../product.ts";

const LOOPS = ["none", "linear", "pingpong"] as const;
const INTERPOLATIONS = ["nearest", "linear", "cubic", "linear_angle", "cubic_angle"] as const;
const UPDATES = ["continuous", "discrete", "capture"] as const;
const EASINGS = { linear: 1, ease_in: 2, ease_out: 0.5, ease_in_out: -2, ease_out_in: -0.5 } as const;

const time = z.number().min(0);
const of = { node: z.string(), enabled: z.boolean().default(true) };
const handle = z.tuple([z.number(), z.number()]);
// The keys of the table are the names of the easings, and there are some.
const easing = z.union([z.number(), z.enum(Object.keys(EASINGS) as [keyof typeof EASINGS])]);

const track = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("property"),
    ...of,
    property: z.string().min(1),
    interpolation: z.enum(INTERPOLATIONS).default("linear"),
    update: z.enum(UPDATES).default("continuous"),
    keys: z.array(z.strictObject({ time, value: json, easing: easing.default(1) })).min(1),
  }),
  z.strictObject({
    kind: z.literal("method"),
    ...of,
    keys: z
      .array(z.strictObject({ time, method: z.string().min(1), args: z.array(json).default([]) }))
      .min(1),
  }),
  z.strictObject({
    kind: z.literal("bezier"),
    ...of,
    property: z.string().min(1),
    keys: z
      .array(
        z.strictObject({
          time,
          value: z.number(),
          in: handle.default([-0.25, 0]),
          out: handle.default([0.25, 0]),
        }),
      )
      .min(1),
  }),
  z.strictObject({
    kind: z.literal("audio"),
    ...of,
    keys: z
      .array(
        z.strictObject({
          time,
          stream: z.string(),
          startOffset: z.number().min(0).default(0),
          endOffset: z.number().min(0).default(0),
        }),
      )
      .min(1),
  }),
  z.strictObject({
    kind: z.literal("animation"),
    ...of,
    keys: z.array(z.strictObject({ time, animation: z.string() })).min(1),
  }),
]);
type Track = z.infer<typeof track>;

export const animationInput = z.strictObject({
  scene: p.scene,
  player: z.string().describe("AnimationPlayer's path"),
  animation: z.string().min(1).describe("Such as walk"),
  library: z.string().optional().describe("Default: the unnamed one"),
  length: z.number().positive().optional().describe("Seconds; default: the last key"),
  step: z.number().positive().optional().describe("Seconds between the marks of the timeline"),
  loop: z.enum(LOOPS).optional().describe("Default: none"),
  reset: z
    .boolean()
    .optional()
    .describe("Also write RESET, in place of an older one, with the values that the properties have now"),
  tracks: z
    .array(p.anyObject)
    .describe(
      '{kind: "property", node, property, interpolation, update, keys: [{time, value, easing}]}, {kind: "method", node, keys: [{time, method, args}]}, {kind: "bezier", node, property, keys: [{time, value, in, out}]}, {kind: "audio", node, keys: [{time, stream}]}, {kind: "animation", node, keys: [{time, animation}]}',
    ),
  mode: p.mode,
});

/** Writes a whole animation into a player's library, replacing one with the same name. */
export async function writeAnimation(
  context: DriverContext,
  input: z.infer<typeof animationInput>,
): Promise<ToolAnswer<z.infer<typeof sceneEdited>>> {
  const tracks = p.checkedItems("tracks", track, input.tracks);
  if (!tracks.ok) return tracks;
  const { scene, mode, player, library } = input;
  const read = await inspect(context, { scene, mode, node: player, fields: ["root_node"] });
  if (!read.ok) return read;
  const root = read.value.properties.root_node;
  const base = follow(player, typeof root === "string" && root !== "" ? root : "..");
  const properties: Record<string, Json> = {};
  const resting: Record<string, Json> = {};
  let last = 0;
  let resets = 0;
  for (const [index, each] of tracks.value.entries()) {
    const lines = await trackOf(context, { scene, mode }, each);
    if (!lines.ok) return at(index, lines);
    const path =
      "property" in each ? `${pathBetween(base, each.node)}:${each.property}` : pathBetween(base, each.node);
    Object.assign(properties, numbered(index, path, each.enabled, lines.value.track));
    if (lines.value.resting !== undefined)
      Object.assign(resting, numbered(resets++, path, true, lines.value.resting));
    last = Math.max(last, ...each.keys.map((key) => key.time));
  }
  const { length = last > 0 ? last : 1, step, loop = "none" } = input;
  const whole: JsonObject = {
    length,
    ...(loop !== "none" && { loop_mode: LOOPS.indexOf(loop) }),
    ...(step !== undefined && { step }),
    ...properties,
  };
  const put = (animation: string, content: JsonObject, into?: string): SceneEdit => ({
    kind: "animate",
    player,
    animation,
    ...p.defined({ library: into }),
    properties: content,
  });
  const edits = [
    put(input.animation, whole, library),
    // Godot looks for it only in the unnamed library.
    ...(input.reset && resets > 0 ? [put("RESET", { length: 0.001, ...resting })] : []),
  ];
  return editSceneFile(context, { scene, mode }, `animation ${input.animation}`, edits);
}

function at(index: number, { failure }: { readonly failure: Failure<GodotCode> }) {
  return { ok: false as const, failure: { ...failure, message: `tracks[${index}]: ${failure.message}` } };
}

interface TrackLines {
  readonly type: string;
  readonly interp: number;
  readonly keys: JsonObject;
}

function numbered(
  index: number,
  path: string,
  enabled: boolean,
  { type, interp, keys }: TrackLines,
): JsonObject {
  const line = (name: string) => `tracks/${index}/${name}`;
  return {
    [line("type")]: type,
    [line("imported")]: false,
    [line("enabled")]: enabled,
    [line("path")]: path,
    [line("interp")]: interp,
    [line("loop_wrap")]: true,
    // Keys are a dictionary for some kinds of tracks and packed numbers for others, so their type is explicit.
    [line("keys")]: {
      $type: "Dictionary",
      entries: Object.entries(keys).map(([name, value = null]) => [name, value]),
    },
  };
}

const floats = (value: readonly number[]) => ({ $type: "PackedFloat32Array", value: [...value] });

async function trackOf(
  context: DriverContext,
  request: { readonly scene?: string | undefined; readonly mode?: z.infer<typeof p.mode> },
  given: Track,
): Promise<Result<{ readonly track: TrackLines; readonly resting?: TrackLines }>> {
  const keys = [...given.keys].sort((one, other) => one.time - other.time);
  const times = floats(keys.map((key) => key.time));
  if (given.kind === "property") return propertyTrack(context, request, given);
  const found = await inspect(context, { ...request, node: given.node, fields: [] });
  if (!found.ok) return found;
  const simple = (type: string, rest: JsonObject) =>
    ok({ track: { type, interp: 1, keys: { times, ...rest } } });
  switch (given.kind) {
    case "method":
      return simple("method", {
        transitions: floats(keys.map(() => 1)),
        values: given.keys.toSorted(byTime).map(({ method, args }) => ({
          args,
          method: { $type: "StringName", value: method },
        })),
      });
    case "bezier": {
      const sorted = given.keys.toSorted(byTime);
      return simple("bezier", {
        handle_modes: { $type: "PackedInt32Array", value: sorted.map(() => 0) },
        points: floats(sorted.flatMap((key) => [key.value, ...key.in, ...key.out])),
      });
    }
    case "audio":
      return simple("audio", {
        clips: given.keys.toSorted(byTime).map(({ stream, startOffset, endOffset }) => ({
          end_offset: { $type: "float", value: endOffset },
          start_offset: { $type: "float", value: startOffset },
          stream: { path: stream },
        })),
      });
    case "animation":
      return simple("animation", {
        clips: {
          $type: "PackedStringArray",
          value: given.keys.toSorted(byTime).map(({ animation }) => animation),
        },
      });
  }
}

const byTime = (one: { readonly time: number }, other: { readonly time: number }) => one.time - other.time;

async function propertyTrack(
  context: DriverContext,
  request: { readonly scene?: string | undefined; readonly mode?: z.infer<typeof p.mode> },
  { node, property, interpolation, update, keys }: Extract<Track, { kind: "property" }>,
): Promise<Result<{ readonly track: TrackLines; readonly resting?: TrackLines }>> {
  const [first = "", ...rest] = propertyPath(property);
  const listed = await listMembers(context, { ...request, node, contains: first, limit: 200 }, "properties");
  if (!listed.ok) return listed;
  const whole = listed.value.properties.find(({ name }) => name === first)?.type;
  const read = await inspect(context, { ...request, node, fields: [first] });
  // A property created when set, such as a shader parameter, is not listed.
  if (whole === undefined && !read.ok) return read;
  const type = rest.reduce(
    (outer: string | undefined, member) => MEMBERS[outer ?? ""]?.find(([name]) => name === member)?.[1],
    whole,
  );
  const values: Json[] = [];
  const sorted = keys.toSorted(byTime);
  for (const { time: when, value } of sorted) {
    const made = taggedValue(value, type ?? "Variant");
    if (!made.ok)
      return { ...made, failure: { ...made.failure, message: `key at ${when}: ${made.failure.message}` } };
    values.push(made.value);
  }
  const lines = (
    moments: readonly number[],
    curves: readonly number[],
    held: readonly Json[],
  ): TrackLines => ({
    type: "value",
    interp: INTERPOLATIONS.indexOf(interpolation),
    keys: {
      times: floats(moments),
      transitions: floats(curves),
      update: UPDATES.indexOf(update),
      values: [...held],
    },
  });
  const track = lines(
    sorted.map((key) => key.time),
    sorted.map((key) => (typeof key.easing === "number" ? key.easing : EASINGS[key.easing])),
    values,
  );
  const current = read.ok ? rest.reduce(memberOf, read.value.properties[first]) : undefined;
  const resting = current === undefined ? undefined : taggedValue(current, type ?? "Variant");
  return ok({ track, ...(resting?.ok && { resting: lines([0], [1], [resting.value]) }) });
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return typeof value === "object" && value !== null ? (value as JsonObject)[name] : undefined;
}

/**
 * A value that carries its type, for places without a declared one: `[1, 2]` of a Vector2 is
 * `{"$type": "Vector2", "x": 1, "y": 2}`.
 */
function taggedValue(json: Json, type: string): Result<Json> {
  // Without the type, a whole number would become an integer.
  if (type === "float" && typeof json === "number") return ok({ $type: "float", value: json });
  const made = variantOf(json, type, FILES);
  return made.ok ? ok(jsonOfText(writeVariant(made.value), SceneText.empty("gd_resource"), false)) : made;
}

const FILES = {
  isNodeClass: () => false,
  external: (res: string) =>
    ok({ kind: "call" as const, name: "Resource", args: [{ kind: "string" as const, value: res }] }),
  internal: () => errors.fail("E_UNSUPPORTED", "Name a file instead: a key cannot contain a resource."),
  node: () => errors.fail("E_UNSUPPORTED", "A key holds no node."),
};
