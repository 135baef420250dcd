import type { Json, JsonObject } from "@toolpact/contract";
import * as z from "zod";

/** Shapes that the results of several tools share. Strict: an undeclared member is a bug. */

export function list<T extends z.ZodType>(item: T): z.ZodType<readonly z.output<T>[], readonly z.input<T>[]> {
  return z.array(item);
}

export const text = z.string();
export const maybe = text.exactOptional();
export const count = z.int().min(0);
export const isTrue = z.literal(true).exactOptional();

/** Any JSON value of a property or an expression. */
export const json: z.ZodType<Json, Json> = z.any();
export const jsonObject: z.ZodType<JsonObject, JsonObject> = z.record(z.string(), z.any());

export const severity = z.enum(["error", "warning"]);

/** A line of a file. */
export const place = z.strictObject({ path: text, line: z.int() });

/** A function on the stack of a script. */
export const stackFrame = place.extend({ function: text });

/** The same in test results and logs of the engine. */
export const fileFrame = z.strictObject({ file: text, line: z.int(), function: text });

/** A vector of two or three numbers in any notation: `[1, 2]`, `{"x": 1, "y": 2}`, `"Vector2(1, 2)"`. */
export function point<T extends z.ZodType>(members: T) {
  return z.preprocess((given) => {
    const written =
      typeof given === "string" ? /^\s*Vector[23]i?\(([^)]*)\)\s*$/.exec(given)?.[1] : undefined;
    const numbers = written === undefined ? given : written.split(",").map(Number);
    if (!Array.isArray(numbers) || numbers.length < 2 || numbers.length > 3) return given;
    return Object.fromEntries(numbers.map((number, index) => ["xyz"[index], number]));
  }, members);
}
