import type { Outcome } from "@toolpact/outcome";
import { isJsonObject, parseJson } from "@toolpact/outcome";
import { mayHaveTakenEffect, type ProviderError } from "./errors.ts";
import type { Method, OperationId } from "./operations/index.ts";

/**
 * Records requests that can change something at X: each attempt before it is sent, and its result. Pass one
 * with a call, or with every call of a client through `withCallDefaults`.
 *
 * @example
 * const journal: RequestJournal = {
 *   async beforeSend({ operation, target, body }) {
 *     const row = await insertPendingRow(operation, target, body);
 *     if (row === undefined) return failed(notSent("storage", "The request could not be recorded."));
 *     return ok({ afterAnswer: ({ state, status }) => finishRow(row, state, status) });
 *   },
 * };
 * await client.call("createPosts", { body: { text: "hi" }, journal });
 */
export interface RequestJournal {
  /** The request is sent only if this succeeds without a `recorded` answer. */
  beforeSend(request: WriteRequest): Promise<Outcome<SendPermit, NotSent>>;
}

/** Any method except GET. */
export interface WriteRequest {
  /** Undefined outside X's operation table. */
  readonly operation: OperationId | undefined;
  readonly method: Method;
  readonly path: Readonly<Record<string, string>>;
  readonly target: string;
  /** Undefined without a body, and for an upload. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly bodyText?: string;
}

/** An earlier attempt's answer, or permission to send. Without `afterAnswer` the request is unrecorded. */
export type SendPermit =
  | { readonly recorded: { readonly status: number; readonly text: string } }
  | { readonly recorded?: never; readonly afterAnswer?: (result: WriteResult) => Promise<void> };

export interface WriteResult {
  /** `unknown` if X may have executed it without a clear answer. */
  readonly state: "confirmed" | "failed" | "unknown";
  readonly status?: number;
  readonly text?: string;
}

/** Nothing reached X, so it is safe to call again. */
export type NotSent = Extract<ProviderError, { readonly kind: "not_sent" }>;

/** The caller gets `details`. */
export function notSent(reason: string, message: string, details?: NotSent["details"]): NotSent {
  return { kind: "not_sent", reason, message, ...(details && { details }) };
}

/** Whether X has executed a write. */
export function writeResult(
  answer: { readonly status: number; readonly text: string } | undefined,
  outcome: Outcome<unknown, ProviderError>,
): WriteResult {
  const isUncertain = !outcome.ok && mayHaveTakenEffect(outcome.failure);
  if (answer === undefined) return { state: isUncertain ? "unknown" : "failed" };
  const { status, text } = answer;
  if (status < 200 || status > 299) {
    // Any other status may come from a proxy, a crash or a timeout.
    const isRefusal = status >= 400 && status < 500 && status !== 408;
    return { state: isRefusal ? "failed" : "unknown", status };
  }
  if (!outcome.ok) return { state: isUncertain ? "unknown" : "failed", status };
  if (text === "") return { state: "confirmed", status, text };
  const json = parseJson(text);
  // An unreadable success does not show its result.
  if (typeof json !== "object" || json === null) return { state: "unknown", status };
  const isOnlyErrors =
    isJsonObject(json) && json.data === undefined && json.meta === undefined && Array.isArray(json.errors);
  return isOnlyErrors ? { state: "failed", status } : { state: "confirmed", status, text };
}
