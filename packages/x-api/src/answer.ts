import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
import type { ProviderError } from "./errors.ts";
import { mapError, mapOnlyErrors } from "./map-error.ts";
import { networkError } from "./network-error.ts";
import type { RateWindow } from "./rate-windows.ts";
import type { RequestPlan } from "./request-plan.ts";
import { isRecord } from "./value-check.ts";

/** What X answered, in X's own names. Lists are there even when X leaves them out. */
export interface XAnswer<Data = unknown> {
  /** A list for operations that answer with one (empty when there is nothing), otherwise an object or `null`. */
  readonly data: Data;
  readonly includes: Readonly<Record<string, readonly unknown[]>>;
  readonly meta: Readonly<Record<string, unknown>>;
  /** What X could not deliver of a request that otherwise succeeded. */
  readonly errors: readonly PartialError[];
  readonly status: number;
  /** X's `x-transaction-id`. */
  readonly requestId?: string;
  /** The limits this answer spoke of. */
  readonly rateWindows: readonly RateWindow[];
  /** For operations that page. */
  readonly pagination?: Pagination;
  /** How often the request was repeated before this answer came. */
  readonly retries: number;
}

export interface PartialError {
  readonly title?: string;
  readonly type?: string;
  readonly detail?: string;
  readonly resource_type?: string;
  readonly resource_id?: string;
  readonly parameter?: string;
  readonly value?: string;
}

export interface Pagination {
  readonly next_token?: string;
  readonly result_count: number;
  readonly has_more: boolean;
}

interface Setting {
  readonly rateWindows: readonly RateWindow[];
  readonly now: number;
  readonly isUser: boolean;
}

export function readAnswer(
  plan: RequestPlan,
  response: Response,
  content: string | Uint8Array,
  { rateWindows, now, isUser }: Setting,
): Outcome<XAnswer, ProviderError> {
  const { status, headers } = response;
  const json = typeof content === "string" ? parse(content) : undefined;
  if (!response.ok) {
    const body = json === undefined ? content : json;
    return failed(mapError(status, headers, body, { now, ...(isUser && { scopes: plan.scopes }) }));
  }
  const requestId = headers.get("x-transaction-id");
  const envelope = {
    includes: {},
    meta: {},
    errors: [],
    status,
    rateWindows,
    retries: 0,
    ...(requestId !== null && { requestId }),
  };
  if (typeof content !== "string") return ok({ ...envelope, data: content });
  if (content === "") return ok({ ...envelope, data: plan.operation.answer.data === "list" ? [] : null });
  if (!isRecord(json)) return failed(networkError("unreadable", true));

  const errors = Array.isArray(json.errors) ? json.errors : [];
  if (json.data === undefined && json.meta === undefined && errors.length > 0)
    return failed(mapOnlyErrors(errors, headers));

  const data = json.data ?? emptyData(plan, json);
  const meta = isRecord(json.meta) ? json.meta : {};
  return ok({
    ...envelope,
    data,
    // X's `includes` holds lists only; its members stay unknown.
    includes: isRecord(json.includes) ? (json.includes as XAnswer["includes"]) : {},
    meta,
    errors,
    ...(plan.operation.paging && { pagination: paginationOf(data, meta) }),
  });
}

function emptyData(plan: RequestPlan, json: Readonly<Record<string, unknown>>): unknown {
  switch (plan.operation.answer.data) {
    case "list":
      return [];
    case "other":
      return json;
    default:
      return null;
  }
}

function paginationOf(data: unknown, meta: Readonly<Record<string, unknown>>): Pagination {
  const next = typeof meta.next_token === "string" && meta.next_token !== "" ? meta.next_token : undefined;
  const counted = Array.isArray(data) ? data.length : 0;
  return {
    ...(next !== undefined && { next_token: next }),
    result_count: typeof meta.result_count === "number" ? meta.result_count : counted,
    has_more: next !== undefined,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
