import { failed, isJsonObject, type Outcome, ok, parseJson } from "@toolpact/outcome";
import { networkError, type ProviderError } from "./errors.ts";
import { mapError, mapOnlyErrors } from "./map-error.ts";
import type { Operation } from "./operations/index.ts";
import type { RateWindow } from "./rate-windows.ts";
import type { RequestPlan } from "./request-plan.ts";
import type { WireResponse } from "./transport.ts";

/** X's response with X's field names. Lists are present even if X omits them. */
export interface XAnswer<Data = unknown> {
  /** A list, an object or `null`. */
  readonly data: Data;
  readonly includes: Readonly<Record<string, readonly unknown[]>>;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Errors of a partially successful request. */
  readonly errors: readonly PartialError[];
  readonly status: number;
  /** X's `x-transaction-id`. */
  readonly requestId: string | undefined;
  readonly rateWindows: readonly RateWindow[];
  readonly pagination: Pagination | undefined;
  /** Number of retries before this answer. */
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

/** `content` is the whole body: text, or bytes if the operation returns a file. */
export function readAnswer(
  plan: RequestPlan,
  response: Pick<WireResponse, "status" | "ok" | "headers">,
  content: string | Uint8Array,
  { rateWindows, now, isUser }: Setting,
): Outcome<XAnswer, ProviderError> {
  const { status, headers } = response;
  if (!response.ok) {
    const body = typeof content === "string" ? (parseJson(content) ?? content) : undefined;
    return failed(
      mapError(status, headers, body, {
        now,
        parameters: plan.names,
        ...(isUser && { scopes: plan.scopes }),
      }),
    );
  }
  const envelope = typeof content !== "string" ? { data: content } : content === "" ? {} : parseJson(content);
  if (!isJsonObject(envelope)) return failed(networkError("unreadable", true));

  const complaints: readonly unknown[] = Array.isArray(envelope.errors) ? envelope.errors : [];
  const errors: PartialError[] = complaints.filter(isJsonObject);
  if ((envelope.data ?? envelope.meta ?? null) === null) {
    if (errors.length > 0 && !isNoneFound(plan, errors)) return failed(mapOnlyErrors(errors, headers));
    if (complaints.length > errors.length || isDataMissed(plan, status))
      return failed(networkError("unreadable", true));
  }

  const data = envelope.data ?? emptyData(plan, envelope);
  if (plan.operation.answer.data === "list" && !Array.isArray(data))
    return failed(networkError("unreadable", true));
  if (status !== 204 && !isResultShown(plan.operation, data)) return failed(networkError("unreadable", true));
  const meta = isJsonObject(envelope.meta) ? envelope.meta : {};
  return ok({
    data,
    includes: listsIn(envelope.includes),
    meta,
    errors,
    status,
    requestId: headers.get("x-transaction-id") ?? undefined,
    rateWindows,
    pagination: plan.operation.paging && paginationOf(data, meta),
    retries: 0,
  });
}

/** Without the created id, a write's outcome is unknown until it is read back. */
export function isResultShown({ method, answer }: Operation, data: unknown): boolean {
  if (method === "GET") return true;
  if (data === null) return answer.shows === undefined;
  const { ids = [], flags = [] } = answer.shows ?? {};
  const isShown = (one: unknown) =>
    isJsonObject(one) &&
    ids.every((name) => typeof one[name] === "string" && one[name] !== "") &&
    (flags.length === 0 || flags.some((name) => name in one)) &&
    flags.every((name) => !(name in one) || typeof one[name] === "boolean");
  switch (answer.data) {
    case "object":
      return isShown(data);
    case "list":
      return Array.isArray(data) && data.every(isShown);
    default:
      return true;
  }
}

/** Each error explains one missing resource. */
function isNoneFound({ operation }: RequestPlan, errors: readonly PartialError[]): boolean {
  const isLookUp = operation.answer.data === "list" && !operation.params.some((param) => param.in === "path");
  return isLookUp && errors.every((error) => error.resource_id !== undefined || error.value !== undefined);
}

/** Such a success does not show whether a post was created. */
function isDataMissed({ id, operation }: RequestPlan, status: number): boolean {
  return operation.answer.data === "object" && status !== 204 && id !== "appendMediaUpload";
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

function listsIn(includes: unknown): XAnswer["includes"] {
  const lists: Record<string, readonly unknown[]> = {};
  if (isJsonObject(includes))
    for (const [kind, list] of Object.entries(includes)) if (Array.isArray(list)) lists[kind] = list;
  return lists;
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
