import { type CodeOf, defineErrors, type Failure, type Outcome } from "@toolpact/contract";
import { nearest } from "@toolpact/contract/internal";
import type { Failed } from "@toolpact/outcome";

export const errors = defineErrors(
  {
    E_SCHEMA_VALIDATION: {
      category: "input",
      retryable: false,
      meaning: "An argument is missing or wrong, or an action is unknown",
    },
    E_NOT_CONNECTED: {
      category: "connection",
      retryable: true,
      meaning: "The editor or the engine that the call needs is not there",
    },
    E_NOT_FOUND: {
      category: "input",
      retryable: false,
      meaning: "A file, node, resource or section that the call names does not exist",
    },
    E_PERMISSION_DENIED: {
      category: "safety",
      retryable: false,
      meaning: "A safety gate refused",
    },
    E_TIMEOUT: { category: "connection", retryable: true, meaning: "It took too long and was stopped" },
    E_UNSUPPORTED: {
      category: "capability",
      retryable: false,
      meaning: "It cannot be done in this mode or with this Godot, or this server does not offer the tool",
    },
    E_INTERNAL: { category: "server", retryable: false, meaning: "A bug in this server" },
  },
  {
    badInput: "E_SCHEMA_VALIDATION",
    duplicate: "E_SCHEMA_VALIDATION",
    deadline: "E_TIMEOUT",
    internal: "E_INTERNAL",
  },
);

export type GodotCode = CodeOf<typeof errors>;

/** A value, or a failure with one of these codes. */
export type Result<T, Code extends GodotCode = GodotCode> = Outcome<T, Failure<Code>>;

/** The codes of requests to Godot that write no file. Permissions are checked before they are sent. */
export type ReplyCode = Exclude<GodotCode, "E_PERMISSION_DENIED">;

/** An error for a missing name, with the closest existing one. */
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

/** A failure whose message begins with its location: `position: …`. */
export function at<Code extends GodotCode>(
  place: string,
  { failure }: Failed<Failure<Code>>,
): Failed<Failure<Code>> {
  return { ok: false, failure: { ...failure, message: `${place}: ${failure.message}` } };
}
