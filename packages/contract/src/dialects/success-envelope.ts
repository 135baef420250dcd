import type { ContentBlock, Dialect, Telling } from "../dialect.ts";
import type { AnyErrorSet, Failure } from "../errors.ts";
import type { Json, JsonObject, JsonSchema } from "../json.ts";
import type { Outcome } from "../outcome.ts";

/** `{success, data, error?, meta?}`: every answer of a product that speaks this dialect. */
export type SuccessEnvelope<Data, Code extends string, Meta> =
  | { readonly success: true; readonly data: Data; readonly meta?: Meta }
  | {
      readonly success: false;
      readonly data: null;
      readonly error: EnvelopeError<Code>;
      readonly meta?: Meta;
    };

/** Why a call failed, as its answer tells it. */
export type EnvelopeError<Code extends string> = {
  readonly code: Code;
  readonly message: string;
  /** Read from the code; set nowhere else. */
  readonly retryable: boolean;
  readonly reason?: string;
  readonly retry_after_ms?: number;
  readonly rate_limit_reset?: string;
  readonly policy_decision?: string;
  readonly suggested_fix?: string;
  readonly fix_by?: "agent" | "operator" | "human";
  readonly details?: JsonObject;
};

/** What a tool says beside its data. */
export interface SuccessNotes {
  readonly pagination?: Pagination;
  readonly content?: readonly ContentBlock[];
}

interface Pagination {
  readonly next_token?: string;
  readonly result_count: number;
  readonly has_more: boolean;
}

/** Metadata that guards may add in any lane. Mode and approval come from a workflow lane itself, or not at all. */
export interface PlainExtras {
  readonly mode?: never;
  readonly approval_mode?: never;
  readonly [key: string]: Json | undefined;
}

interface BareMeta extends PlainExtras {
  readonly tool_version: "1.0";
}

interface TimedMeta extends BareMeta {
  readonly elapsed_ms: number;
}

/** How far the person lets the agent go: what every answer of a workflow lane tells. */
export interface WorkflowState {
  readonly mode: string;
  readonly approval_mode: boolean;
}

type WorkflowMeta = Omit<TimedMeta, keyof WorkflowState> & WorkflowState;

/** The three lanes of the dialect, by what their metadata tells. */
export interface SuccessDialects {
  /** No timing: `meta` is there only when there is something to say. */
  readonly bare: Dialect<PlainExtras>;
  /** Always `tool_version` and `elapsed_ms`; never `mode` or `approval_mode`. */
  readonly timed: Dialect<PlainExtras>;
  /** Always `mode` and `approval_mode` too, as they are when the call ends. */
  readonly workflow: (state: () => WorkflowState) => Dialect<PlainExtras>;
}

/**
 * The dialect of `{success, data, error?, meta?}`.
 *
 * ```ts
 * const reads = lane({ name: "reads", guards: [deadline(errors)], dialect: successEnvelope(errors).timed });
 * ```
 */
export function successEnvelope(errors: AnyErrorSet): SuccessDialects {
  return {
    bare: dialect("bare", errors, (telling, notes) => {
      const said = common(telling, notes);
      return Object.keys(said).length === 0
        ? undefined
        : ({ tool_version: "1.0", ...said } satisfies BareMeta);
    }),
    timed: dialect("timed", errors, timedMeta),
    workflow: (state) =>
      dialect(
        "workflow",
        errors,
        (telling, notes) => ({ ...timedMeta(telling, notes), ...state() }) satisfies WorkflowMeta,
      ),
  };
}

function timedMeta(telling: Telling<PlainExtras>, notes: SuccessNotes): TimedMeta {
  return { tool_version: "1.0", elapsed_ms: telling.elapsedMs, ...common(telling, notes) };
}

function common(telling: Telling<PlainExtras>, notes: SuccessNotes): PlainExtras {
  return {
    ...telling.extras,
    ...(notes.pagination && { pagination: { ...notes.pagination } }),
    ...(telling.warnings.length > 0 && { warnings: telling.warnings }),
  };
}

function dialect(
  name: string,
  errors: AnyErrorSet,
  metaOf: (telling: Telling<PlainExtras>, notes: SuccessNotes) => JsonObject | undefined,
): Dialect<PlainExtras> {
  return {
    name: `success/${name}`,
    render(outcome, telling) {
      const notes = notesOf(outcome);
      const meta = metaOf(telling, notes);
      const envelope: SuccessEnvelope<Json, string, JsonObject> = {
        ...(outcome.ok
          ? { success: true, data: outcome.value }
          : { success: false, data: null, error: errorOf(outcome.failure, errors) }),
        ...(meta !== undefined && { meta }),
      };
      return notes.content === undefined ? { envelope } : { envelope, content: notes.content };
    },
    noteCut: (envelope, cut) => ({
      ...envelope,
      meta: {
        tool_version: "1.0",
        // Where an envelope has metadata, it is an object.
        ...(envelope.meta as JsonObject | undefined),
        truncated: { what: cut.what, go_on: cut.goOn },
      },
    }),
    outputSchema: envelopeSchema,
  };
}

function notesOf(outcome: Outcome<Json, Failure, unknown>): SuccessNotes {
  // A product that renders with this dialect fixes its tools' notes to SuccessNotes.
  return (outcome.ok && (outcome.notes as SuccessNotes | undefined)) || {};
}

function errorOf(failure: Failure, errors: AnyErrorSet): EnvelopeError<string> {
  return {
    code: failure.code,
    message: failure.message,
    retryable: errors.rows[failure.code]?.retryable ?? false,
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
