import { nearest } from "@toolpact/contract";
import { errors } from "./errors.ts";

/** Something that is not there, with the nearest name that is. */
export function unknownName<Code extends "E_NOT_FOUND" | "E_SCHEMA_VALIDATION">(
  code: Code,
  message: string,
  name: string,
  known: readonly string[],
) {
  const guess = nearest(name, known);
  return errors.fail(code, message, {
    details: { name: name.slice(0, 200), nearest: guess === undefined ? [] : [guess] },
    ...(guess !== undefined && { suggestedFix: `Did you mean ${guess}?` }),
  });
}
