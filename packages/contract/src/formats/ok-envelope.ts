import type { ContentBlock, EnvelopeFormat, RenderContext } from "../envelope-format.ts";
import { type AnyErrorSet, type Failure, isRetryable } from "../errors.ts";
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from "../json.ts";
import type { NoAnnotations } from "../product.ts";

/** `{ok, summary, result, error, meta}`, and the fields older readers expect. */
export type OkEnvelope = {
  readonly ok: boolean;
  /** One short sentence. For a failure, the start of `error.message`. */
  readonly summary: string;
  readonly result: JsonObject | null;
  readonly error: OkError | null;
  readonly meta: {
    readonly tool: string;
    readonly action: string | null;
    readonly correlationId: string;
    readonly durationMs: number;
  };
  /** Present if it holds more than `result`, or with `legacyFields`. */
  readonly details?: JsonObject;
  /** Output of the program that the call ran. */
  readonly logs?: readonly string[];
  readonly warnings?: readonly string[];
  readonly errors?: readonly Pick<OkError, "code" | "message" | "details">[];
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

/** A tool's notes next to its details. */
export interface OkNotes {
  readonly summary: string;
  /** The primary result, if it is not all of the details. */
  readonly result?: JsonObject;
  readonly logs?: readonly string[];
  readonly warnings?: readonly string[];
  readonly execution?: JsonObject;
  readonly files?: readonly JsonObject[];
  readonly content?: readonly ContentBlock[];
}

interface OkEnvelopeOptions {
  /** Adds copies for readers of the older fields: `details` and `errors`. */
  readonly legacyFields?: boolean;
}

/**
 * The envelope `{ok, summary, result, error, meta}`. Its metadata is fixed: guards annotate nothing. A failure whose
 * details have `output`, the last lines of a program, also sends them as `logs`.
 *
 * ```ts
 * const shelves = defineProduct<{ notes: OkNotes }>()({ errors, categories: [], profiles: [], services: {} });
 * const stack = shelves.guardStack("all").use(deadline).answering(okEnvelope(errors));
 * ```
 */
export function okEnvelope(
  errors: AnyErrorSet,
  { legacyFields = false }: OkEnvelopeOptions = {},
): EnvelopeFormat<NoAnnotations, OkNotes> {
  return {
    name: "ok",
    render(outcome, context) {
      if (!outcome.ok) return { envelope: refused(outcome.failure, errors, context, legacyFields) };
      const notes = outcome.notes ?? { summary: `${context.call.tool} done.` };
      const envelope = done(outcome.value, notes, context, legacyFields);
      return notes.content === undefined ? { envelope } : { envelope, content: notes.content };
    },
    noteCut: (envelope, cut) => ({
      ...envelope,
      // Both copies are cut alike.
      ...(legacyFields && envelope.ok === true && { details: envelope.result ?? null }),
      warnings: [
        ...((envelope.warnings as readonly string[] | undefined) ?? []),
        `Cut to fit: ${cut.what}. ${cut.goOn}`,
      ],
    }),
    outputSchema,
  };
}

function done(
  value: Json,
  notes: OkNotes,
  context: RenderContext<NoAnnotations>,
  legacyFields: boolean,
): OkEnvelope {
  // `details` and `result` are always objects.
  const details = isJsonObject(value) ? value : { value };
  const warnings = [...(notes.warnings ?? []), ...context.warnings];
  return {
    ok: true,
    summary: notes.summary,
    result: notes.result ?? details,
    error: null,
    meta: metaOf(context),
    ...((notes.result !== undefined || legacyFields) && { details }),
    ...(notes.logs !== undefined && notes.logs.length > 0 && { logs: notes.logs }),
    ...(warnings.length > 0 && { warnings: shortWarnings(warnings) }),
    ...(notes.execution !== undefined && { execution: notes.execution }),
    ...(notes.files !== undefined && { files: notes.files }),
  };
}

function refused(
  failure: Failure,
  errors: AnyErrorSet,
  context: RenderContext<NoAnnotations>,
  legacyFields: boolean,
): OkEnvelope {
  const { code, message, suggestedFix } = failure;
  const details = failureDetails(failure);
  const logs = details?.output;
  const copied = legacyFields && details !== undefined && { details };
  return {
    ok: false,
    summary: failureSummary(message),
    result: null,
    error: {
      code,
      message,
      retryable: isRetryable(failure, errors),
      ...(details !== undefined && { details }),
      ...(suggestedFix !== undefined && { suggestedFix }),
    },
    meta: metaOf(context),
    ...copied,
    ...(isTexts(logs) && logs.length > 0 && { logs }),
    ...(context.warnings.length > 0 && { warnings: shortWarnings(context.warnings) }),
    errors: [{ code, message, ...copied }],
  };
}

/** There may be a warning for each of many values, with the value in it. */
function shortWarnings(warnings: readonly string[]): readonly string[] {
  const shown = warnings
    .slice(0, MAX_WARNINGS)
    .map((line) => (line.length > MAX_WARNING ? `${line.slice(0, MAX_WARNING)}…` : line));
  const more = warnings.length - shown.length;
  return more === 0 ? shown : [...shown, `${more} more warnings.`];
}

const MAX_WARNINGS = 12;
const MAX_WARNING = 600;
const MAX_SUMMARY = 120;

/** The first sentence of a message, cut to one short line. */
export function failureSummary(message: string): string {
  const line = message.replace(/\s+/g, " ").trim();
  const end = line.search(/[.!?](?: |$)/);
  const sentence = end === -1 ? line.replace(/[:;,]?$/, ".") : line.slice(0, end + 1);
  if (sentence.length <= MAX_SUMMARY) return sentence;
  const cut = sentence.slice(0, MAX_SUMMARY - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), MAX_SUMMARY / 2)).trimEnd()}…`;
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
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
