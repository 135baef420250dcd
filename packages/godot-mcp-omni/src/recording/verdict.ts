import type { Json } from "@toolpact/contract";
import * as z from "zod";
import { count, fileFrame, json, list, maybe, text } from "../shapes.ts";
import type { Played } from "./played.ts";
import { nameOfCheck, type RecordedCheck, type RecordedPicture, type Recording } from "./recording.ts";

const instance = count.exactOptional();

const checkVerdict = z.strictObject({
  frame: count,
  instance,
  expression: text,
  node: maybe,
  isSame: z.boolean(),
  expected: json,
  got: json.exactOptional(),
  problem: maybe,
});

const pictureVerdict = z.strictObject({
  frame: count,
  instance,
  path: text,
  /** The file with the difference; present if pixels differ. */
  difference: text,
  width: count.exactOptional(),
  height: count.exactOptional(),
  problem: maybe,
  /** The share of pixels that differ by more than the tolerance; absent without a stored picture. */
  share: z.number().exactOptional(),
  /** The largest difference of a pixel, of 255. */
  most: z.number().exactOptional(),
  isSame: z.boolean(),
});

export const playError = z.strictObject({ message: text, stack: list(fileFrame) });

/** The comparison of a run with the recording. */
export const comparison = z.strictObject({
  isSame: z.boolean(),
  checks: list(checkVerdict),
  pictures: list(pictureVerdict),
  /** Script errors of the game. */
  errors: list(playError),
});

export type CheckVerdict = z.infer<typeof checkVerdict>;
export type PictureVerdict = z.infer<typeof pictureVerdict>;
export type PlayError = z.infer<typeof playError>;
export type SeenPicture = Omit<PictureVerdict, "frame" | "instance" | "isSame">;
export type Verdict = z.infer<typeof comparison>;

/** Tolerance of numbers, unless a check has its own. */
export const TOLERANCE = 0.001;
const SHARE = 0.001;
/** Tolerance of each channel of a pixel, out of 255. */
export const PIXEL_TOLERANCE = 8;

export function verdictOf(recording: Recording, played: Played): Verdict {
  const checks = recording.checks.map((check, index) => checkOf(check, played.values[index]));
  const pictures = recording.pictures.map((picture, index) => pictureOf(picture, played.pictures[index]));
  const errors = [...played.problems.map((message) => ({ message, stack: [] })), ...played.errors];
  return {
    isSame: [...checks, ...pictures].every((each) => each.isSame) && errors.length === 0,
    checks,
    pictures,
    errors,
  };
}

function checkOf(check: RecordedCheck, seen: Played["values"][number] | undefined): CheckVerdict {
  const { frame, node, pixel, expected = null } = check;
  const { tolerance = pixel === undefined ? TOLERANCE : PIXEL_TOLERANCE } = check;
  const about = {
    frame,
    ...namedInstance(check),
    expression: nameOfCheck(check),
    ...(node !== undefined && { node }),
    expected,
  };
  if (seen === undefined || "problem" in seen)
    return { ...about, isSame: false, problem: seen?.problem ?? "It was not looked at." };
  return { ...about, isSame: isSameValue(expected, seen.value, tolerance), got: seen.value };
}

function pictureOf(
  { frame, instance, share: allowed = SHARE }: RecordedPicture,
  seen: SeenPicture | undefined,
): PictureVerdict {
  const {
    share,
    problem = share === undefined ? "There is no picture to compare it with." : undefined,
    ...rest
  } = seen ?? { path: "", difference: "" };
  return {
    frame,
    ...namedInstance({ instance }),
    ...rest,
    ...(share !== undefined && { share }),
    ...(problem !== undefined && { problem }),
    isSame: problem === undefined && share !== undefined && share <= allowed,
  };
}

/** One sentence about the first difference. */
export function whatDiffers({ checks, pictures, errors }: Verdict): string {
  const check = checks.find((each) => !each.isSame);
  const picture = pictures.find((each) => !each.isSame);
  if (check !== undefined)
    return `${placeOf(check)}: ${check.expression} ${check.problem ?? `is ${JSON.stringify(check.got)}, not ${JSON.stringify(check.expected)}`}.`;
  if (picture !== undefined)
    return `${placeOf(picture)}: ${picture.problem ?? `${((picture.share ?? 0) * 100).toFixed(2)} % of the picture differ`}.`;
  return `The game met an error: ${errors[0]?.message}`;
}

function namedInstance({ instance }: { readonly instance?: number | undefined }) {
  return instance === undefined ? {} : { instance };
}

function placeOf({ frame, instance }: CheckVerdict | PictureVerdict): string {
  return instance === undefined ? `Frame ${frame}` : `Instance ${instance}, frame ${frame}`;
}

/** Whether two values are the same, numbers within a tolerance. */
export function isSameValue(a: Json, b: Json, tolerance: number): boolean {
  if (typeof a === "number" && typeof b === "number") return Math.abs(a - b) <= tolerance;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return (
    keys.length === right.size &&
    keys.every(
      (key) => right.has(key) && isSameValue(left.get(key) ?? null, right.get(key) ?? null, tolerance),
    )
  );
}
