import type { ContentBlock, EnvelopeFormat, RenderContext } from "../envelope-format.ts";
import { type AnyErrorSet, type Failure, isRetryable } from "../errors.ts";
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from "../json.ts";
import type { NoAnnotations } from "../product.ts";

/** `{ok, summary, result, error, meta}` with the fields that older readers know. No text is in it twice. */
export type OkEnvelope = {
  readonly ok: boolean;
  /** What happened, in one line; always there. Of a failure `error.message` tells it. */
  readonly summary: string;
  readonly result: JsonObject | null;
  readonly error: OkError | null;
  readonly meta: {
    readonly tool: string;
    readonly action: string | null;
    readonly correlationId: string;
    readonly durationMs: number;
  };
  readonly details?: JsonObject;
  readonly logs?: readonly string[];
  readonly warnings?: readonly string[];
  readonly execution?: JsonObject;
  readonly files?: readonly JsonObject[];
};

type OkError = {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: JsonObject;
  readonly suggestedFix?: string;
};

/** What a tool says beside its details; the summary is not optional. */
export interface OkNotes {
  readonly summary: string;
  /** The primary result, where it is not the whole of the details. */
  readonly result?: JsonObject;
  readonly logs?: readonly string[];
  readonly warnings?: readonly string[];
  readonly execution?: JsonObject;
  /** Files that were written, each in the product's own words. */
  readonly files?: readonly JsonObject[];
  readonly content?: readonly ContentBlock[];
}

/**
 * The envelope `{ok, summary, result, error, meta}`. Its metadata is fixed: guards annotate nothing.
 *
 * ```ts
 * const shelves = defineProduct<{ notes: OkNotes }>()({ errors, categories: [], profiles: [], services: {} });
 * const stack = shelves.guardStack("all").use(deadline).answering(okEnvelope(errors));
 * ```
 */
export function okEnvelope(errors: AnyErrorSet): EnvelopeFormat<NoAnnotations, OkNotes> {
  return {
    name: "ok",
    render(outcome, context) {
      if (!outcome.ok) return { envelope: refused(outcome.failure, errors, context) };
      const notes = outcome.notes ?? { summary: `${context.call.tool} done.` };
      const envelope = done(outcome.value, notes, context);
      return notes.content === undefined ? { envelope } : { envelope, content: notes.content };
    },
    noteCut: (envelope, cut) => ({
      ...envelope,
      // Where an envelope has warnings, they are a list of texts.
      warnings: [
        ...((envelope.warnings as readonly string[] | undefined) ?? []),
        `Cut to fit: ${cut.what}. ${cut.goOn}`,
      ],
    }),
    outputSchema,
  };
}

function done(value: Json, notes: OkNotes, context: RenderContext<NoAnnotations>): OkEnvelope {
  // A bare value is wrapped, so that `details` and `result` are objects for every reader.
  const details = isJsonObject(value) ? value : { value };
  const warnings = [...(notes.warnings ?? []), ...context.warnings];
  return {
    ok: true,
    summary: notes.summary,
    result: notes.result ?? details,
    error: null,
    meta: metaOf(context),
    // Where `result` is the details themselves, they are not sent twice.
    ...(notes.result !== undefined && { details }),
    ...(notes.logs !== undefined && { logs: notes.logs }),
    ...(warnings.length > 0 && { warnings }),
    ...(notes.execution !== undefined && { execution: notes.execution }),
    ...(notes.files !== undefined && { files: notes.files }),
  };
}

function refused(failure: Failure, errors: AnyErrorSet, context: RenderContext<NoAnnotations>): OkEnvelope {
  const details = failureDetails(failure);
  return {
    ok: false,
    summary: `Failed: ${failure.code}.`,
    result: null,
    error: {
      code: failure.code,
      message: failure.message,
      retryable: isRetryable(failure, errors),
      ...(details !== undefined && { details }),
      ...(failure.suggestedFix !== undefined && { suggestedFix: failure.suggestedFix }),
    },
    meta: metaOf(context),
    ...(context.warnings.length > 0 && { warnings: context.warnings }),
  };
}

function failureDetails(failure: Failure): JsonObject | undefined {
  const details: JsonObject = {
    ...failure.details,
    ...(failure.reason !== undefined && { reason: failure.reason }),
    ...(failure.retryAfterMs !== undefined && { retryAfterMs: failure.retryAfterMs }),
  };
  return Object.keys(details).length === 0 ? undefined : details;
}

function metaOf({ call, elapsedMs }: RenderContext<NoAnnotations>): OkEnvelope["meta"] {
  return { tool: call.tool, action: call.action ?? null, correlationId: call.id, durationMs: elapsedMs };
}

function outputSchema(details: JsonSchema): JsonSchema {
  const { $defs, ...result } = details;
  return {
    type: "object",
    properties: {
      ok: { type: "boolean" },
      summary: { type: "string" },
      result: { anyOf: [result, { type: "null" }] },
      error: { anyOf: [{ type: "object" }, { type: "null" }] },
      meta: { type: "object" },
    },
    required: ["ok", "summary", "result", "error", "meta"],
    ...($defs !== undefined && { $defs }),
  };
}
