import { digest } from "@toolpact/contract";
import type { Method } from "@toolpact/x-api";
import type { SentRequest } from "../../x/operation-table.ts";
import { objectIn, type XObject } from "../../x/shapes/x-object.ts";
import { jsonOf } from "../../x/toolkit/raw-request.ts";
import { operationAt } from "../../x/toolkit/route.ts";

/** A request that changes something at X. */
export interface WriteRequest extends SentRequest {
  /** Of X's table; undefined for a request it does not have. */
  readonly operation: string | undefined;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly bodyText: string | undefined;
  /** The same for the same request, however its JSON is written. */
  readonly digest: string;
}

/** Undefined for requests that only read; `unreadable` for those that may do more and cannot be looked into. */
export function writeRequest(
  input: string | URL | Request,
  init: RequestInit = {},
): WriteRequest | "unreadable" | undefined {
  const isWhole = input instanceof Request;
  const method = (init.method ?? (isWhole ? input.method : "GET")).toUpperCase();
  if (method === "GET" || method === "HEAD")
    return OVERRIDES.some((name) => new Headers(init.headers).has(name)) ? "unreadable" : undefined;
  if (isWhole) return "unreadable";
  const { pathname, search } = new URL(input);
  return requestAt(method, `${pathname}${search}`, typeof init.body === "string" ? init.body : undefined);
}

/** Headers with which servers let a read be something else. */
const OVERRIDES = ["x-http-method-override", "x-http-method", "x-method-override"] as const;

/** The request that was written down as a step. */
export function requestAt(method: string, target: string, bodyText: string | undefined): WriteRequest {
  const [pathname = ""] = target.split("?");
  // A method that X's table does not have finds nothing in it.
  const route = operationAt(method as Method, pathname);
  const body: XObject = objectIn(bodyText === undefined ? {} : jsonOf(bodyText));
  return {
    operation: route?.operation,
    path: route?.path ?? {},
    body,
    method,
    target,
    bodyText,
    digest: digest([method, target, bodyText === undefined ? null : (jsonOf(bodyText) ?? bodyText)]),
  };
}
