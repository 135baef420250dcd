import type { ContentBlock, EnvelopeFormat, RenderContext } from "../envelope-format.ts";
import { type AnyErrorSet, type Failure, isRetryable } from "../errors.ts";
import type { Json, JsonObject, JsonSchema } from "../json.ts";

/** `{success, data, error?, meta?}` */
export type SuccessEnvelope<Data, Code extends string, Meta> =
  | { readonly success: true; readonly data: Data; readonly meta?: Meta }
  | {
      readonly success: false;
      readonly data: null;
      readonly error: EnvelopeError<Code>;
      readonly meta?: Meta;
    };

export type EnvelopeError<Code extends string> = {
  readonly code: Code;
  readonly message: string;
  /** Follows from the code. */
  readonly retryable: boolean;
  readonly reason?: string;
  readonly retry_after_ms?: number;
  readonly rate_limit_reset?: string;
  readonly policy_decision?: string;
  readonly suggested_fix?: string;
  readonly fix_by?: "agent" | "operator" | "human";
  readonly details?: JsonObject;
};

/** Notes of a tool next to its data. */
export interface SuccessNotes {
  readonly pagination?: Pagination;
  readonly content?: readonly ContentBlock[];
}

interface Pagination {
  readonly next_token?: string;
  readonly result_count: number;
  readonly has_more: boolean;
}

interface SuccessOptions {
  /** Adds `elapsed_ms` to the metadata. Default true. */
  readonly timing?: boolean;
  /** Adds `tool_version` to metadata that has other members. */
  readonly toolVersion?: string;
  /** Computed for every answer when it is rendered. */
  readonly meta?: () => JsonObject;
}

/**
 * The envelope `{success, data, error?, meta?}`.
 *
 * ```ts
 * const reads = product.guardStack("reads").use(deadline).answering(successEnvelope(errors));
 * ```
 */
export function successEnvelope(
  errors: AnyErrorSet,
  { timing = true, toolVersion, meta }: SuccessOptions = {},
): EnvelopeFormat<JsonObject, SuccessNotes> {
  const versioned: JsonObject = toolVersion === undefined ? {} : { tool_version: toolVersion };

  function metaOf(context: RenderContext<JsonObject>, notes: SuccessNotes): JsonObject | undefined {
    const { annotations, warnings, elapsedMs } = context;
    const members: Record<string, Json | undefined> = {};
    if (timing) members.elapsed_ms = elapsedMs;
    Object.assign(members, annotations);
    if (notes.pagination !== undefined) members.pagination = { ...notes.pagination };
    if (warnings.length > 0) members.warnings = warnings;
    if (meta !== undefined) Object.assign(members, meta());
    return Object.keys(members).length === 0 ? undefined : { ...versioned, ...members };
  }

  return {
    name: "success",
    render(outcome, context) {
      const notes = (outcome.ok && outcome.notes) || {};
      const metadata = metaOf(context, notes);
      const envelope: SuccessEnvelope<Json, string, JsonObject> = outcome.ok
        ? { success: true, data: outcome.value, ...(metadata !== undefined && { meta: metadata }) }
        : {
            success: false,
            data: null,
            error: errorOf(outcome.failure, errors),
            ...(metadata !== undefined && { meta: metadata }),
          };
      return notes.content === undefined ? { envelope } : { envelope, content: notes.content };
    },
    noteCut: (envelope, cut) => ({
      ...envelope,
      meta: {
        ...versioned,
        ...(envelope.meta as JsonObject | undefined),
        truncated: { what: cut.what, go_on: cut.goOn },
      },
    }),
    outputSchema: envelopeSchema,
  };
}

function errorOf(failure: Failure, errors: AnyErrorSet): EnvelopeError<string> {
  return {
    code: failure.code,
    message: failure.message,
    retryable: isRetryable(failure, errors),
    ...(failure.reason !== undefined && { reason: failure.reason }),
    ...(failure.retryAfterMs !== undefined && { retry_after_ms: failure.retryAfterMs }),
    ...(failure.rateLimitReset !== undefined && { rate_limit_reset: failure.rateLimitReset }),
    ...(failure.policyDecision !== undefined && { policy_decision: failure.policyDecision }),
    ...(failure.suggestedFix !== undefined && { suggested_fix: failure.suggestedFix }),
    ...(failure.fixBy !== undefined && { fix_by: failure.fixBy }),
    ...(failure.details !== undefined && { details: failure.details }),
  };
}

function envelopeSchema(data: JsonSchema): JsonSchema {
  const { $defs, ...value } = data;
  return {
    type: "object",
    properties: {
      success: { type: "boolean" },
      data: { anyOf: [value, { type: "null" }] },
      error: { type: "object" },
      meta: { type: "object" },
    },
    required: ["success", "data"],
    ...($defs !== undefined && { $defs }),
  };
}
