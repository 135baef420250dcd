import type { Json } from "@toolpact/contract";
import { parseJson } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result } from "../errors.ts";
import { type GameInput, gameInput } from "../game/input-shapes.ts";

/** Games that a recording plays together. */
export const MAX_INSTANCES = 4;

const frame = z.int().min(1).max(1_000_000);
/** Counted from 1, which is the default. */
const instance = z.int().min(1).max(MAX_INSTANCES).exactOptional();

interface OfInstance {
  readonly instance?: number | undefined;
}

/** An input, with its frame. */
export type RecordedInput = GameInput & OfInstance & { readonly frame: number };

const written = z
  .looseObject({ frame, instance })
  .superRefine(({ frame: _, instance: __, ...input }, context) => {
    const read = gameInput.safeParse(input);
    for (const { path, message } of read.error?.issues ?? [])
      context.addIssue({ code: "custom", path: [...path], message });
  });
// Without its frame it is an input; the type of the schema cannot express that.
export const recordedInput = written as unknown as z.ZodType<RecordedInput>;

/** An expression to evaluate in every frame. */
export const watched = z.strictObject({
  expression: z.string().min(1),
  node: z.string().exactOptional(),
  instance,
});
export type Watched = z.infer<typeof watched>;

/** An expression to evaluate in a frame, or a pixel to read, and its expected value. */
export const recordedCheck = z.strictObject({
  frame,
  instance,
  /** GDScript, relative to the node. */
  expression: z.string().min(1).optional(),
  node: z.string().optional(),
  /** Its value is a list of red, green and blue, each of 255. */
  pixel: z.strictObject({ x: z.int().min(0), y: z.int().min(0) }).optional(),
  /** Absent until recorded. */
  expected: z.custom<Json>((value) => value !== undefined).optional(),
  /** Applies to numbers anywhere in the value. */
  tolerance: z.number().min(0).optional(),
});

/** A check from a caller or a file: either expression or pixel. */
export const wholeCheck = recordedCheck.refine(
  ({ expression, pixel }) => (expression === undefined) !== (pixel === undefined),
  "needs expression or pixel",
);

export function nameOfCheck({ expression, pixel }: RecordedCheck): string {
  return expression ?? `pixel ${pixel?.x}, ${pixel?.y}`;
}

export const recordedPicture = z.strictObject({
  frame,
  instance,
  /** The tolerated difference of a channel, of 255. */
  tolerance: z.int().min(0).max(255).optional(),
  /** The share of pixels that may differ by more. */
  share: z.number().min(0).max(1).optional(),
});

export const recordingFile = z.strictObject({
  recording: z.literal(1),
  scene: z.string(),
  frames: frame.max(36_000),
  fps: z.int().min(1).max(1000),
  seed: z.int(),
  /** The arguments of each game, if several play together. */
  instances: z.array(z.string()).min(2).max(MAX_INSTANCES).exactOptional(),
  inputs: z.array(recordedInput),
  checks: z.array(wholeCheck),
  pictures: z.array(recordedPicture),
});

/** A play-test as a file: inputs by frame, and expected values and screenshots. */
export type Recording = z.infer<typeof recordingFile>;
export type RecordedCheck = z.infer<typeof recordedCheck>;
export type RecordedPicture = z.infer<typeof recordedPicture>;

export function readRecording(text: string, name: string): Result<Recording, "E_SCHEMA_VALIDATION"> {
  const json = parseJson(text);
  const read = recordingFile.safeParse(json);
  if (read.success) return ok(read.data);
  const [issue] = read.error.issues;
  const where = issue?.path.map(String).join(".") ?? "";
  return errors.fail(
    "E_SCHEMA_VALIDATION",
    json === undefined
      ? `${name} is not JSON.`
      : `${name} is no recording: ${where} ${issue?.message ?? ""}`.trim(),
    { suggestedFix: "Make one with record or capture." },
  );
}

export function writeRecording(recording: Recording): string {
  return `${JSON.stringify(recording, null, 2)}\n`;
}

/** Next to the recording: `jump.json` has `jump.60.png`, and `jump.2.60.png` of its second instance. */
export function pictureOf(
  recordingPath: string,
  { frame, instance = 1 }: Pick<RecordedPicture, "frame" | "instance">,
): string {
  return recordingPath.replace(/\.json$/, `${instance === 1 ? "" : `.${instance}`}.${frame}.png`);
}

/** The entries of one instance. */
export function ofInstance<T extends OfInstance>(entries: readonly T[], wanted: number): readonly T[] {
  return entries.filter(({ instance = 1 }) => instance === wanted);
}

/** A message about an entry of an instance that the recording does not have. */
export function unknownInstance({ instances, inputs, checks, pictures }: Recording): string | undefined {
  const count = instances?.length ?? 1;
  const found = [...inputs, ...checks, ...pictures].find(({ instance = 1 }) => instance > count);
  if (found === undefined) return undefined;
  const has = instances === undefined ? "has no instances" : `has ${count} instances`;
  return `instance: ${found.instance} is not one of them: the recording ${has}.`;
}
