import type { Failure, JsonObject, Outcome } from "@toolpact/contract";
import type { Answer, OkNotes } from "@toolpact/contract/internal";
import { type Failed, ok } from "@toolpact/outcome";
import type { GodotCode } from "../errors.ts";

/** Converts an answer to the outcome of the calling tool; truncated texts stay truncated. */
export function outcomeOf({
  outcome,
  envelope,
  content,
}: Extract<Answer, { kind: "rendered" }>): Outcome<JsonObject, Failure<GodotCode>, OkNotes> {
  // The pipeline of this product rendered its own failures and notes.
  if (!outcome.ok) return outcome as Failed<Failure<GodotCode>>;
  const { result, warnings } = (envelope ?? {}) as { result?: JsonObject; warnings?: readonly string[] };
  const { warnings: _all, content: _blocks, ...notes } = outcome.notes as OkNotes;
  return ok(result ?? {}, {
    ...notes,
    ...(warnings !== undefined && { warnings }),
    ...(content.length > 0 && { content }),
  });
}
