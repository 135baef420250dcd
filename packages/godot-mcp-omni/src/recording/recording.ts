import type { Json } from "@toolpact/contract";
import { parseJson } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result } from "../errors.ts";
import { type GameInput, gameInput } from "../game/input-shapes.ts";

const frame = z.int().min(1).max(1_000_000);

/** An input, with its frame. */
export type RecordedInput = GameInput & { readonly frame: number };

const written = z.looseObject({ frame }).superRefine(({ frame: _, ...input }, context) => {
  const read = gameInput.safeParse(input);
  for (const { path, message } of read.error?.issues ?? [])
    context.addIssue({ code: "custom", path: [...path], message });
});
// Without its frame it is an input; the type of the schema cannot express that.
export const recordedInput = written as unknown as z.ZodType<RecordedInput>;

/** An expression to evaluate in a frame, or a pixel to read, and its expected value. */
export const recordedCheck = z.strictObject({
  frame,
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

/** Next to the recording: `jump.json` has `jump.60.png`. */
export function pictureOf(recordingPath: string, { frame }: Pick<RecordedPicture, "frame">): string {
  return recordingPath.replace(/\.json$/, `.${frame}.png`);
}
