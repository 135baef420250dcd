import type { Failure } from "@toolpact/contract";
import type { Method } from "@toolpact/x-api";
import { operationRow, type SentRequest } from "../../x/operation-table.ts";
import { objectIn, textIn, type XObject } from "../../x/shapes/x-object.ts";
import { jsonOf } from "../../x/toolkit/raw-request.ts";
import { operationAt } from "../../x/toolkit/route.ts";
import type { JournalRequest, RequestRules, StepEffect } from "./journal.ts";
import type { Step } from "./receipt.ts";

/** A request that changes something at X. */
export interface WriteRequest extends SentRequest, JournalRequest {}

export const xRequestRules: RequestRules = {
  isPreparation: ({ operation }) => operationRow(operation)?.isPreparation === true,
  effectOf,
  continues: ({ bodyText }) =>
    textIn(objectIn(objectIn(jsonOf(bodyText ?? "")), "reply"), "in_reply_to_tweet_id"),
};

/** What a step that was carried out has made and undone at X. */
export function effectOf(step: Step): StepEffect {
  if (step.state !== "confirmed") return { makes: null };
  const { makes, unmakes } = operationRow(step.operation) ?? {};
  const request = requestAt(step.method, step.target, step.body_json ?? undefined);
  const undone = unmakes?.(request);
  return {
    makes: makes?.(request, objectIn(jsonOf(step.answer_text ?? ""), "data")) ?? null,
    ...(undone !== undefined && { unmakes: undone }),
  };
}

/** Whether X refused a post because it already has it. */
export function isRepetition({ code, reason, details }: Failure): boolean {
  if (code === "x_forbidden") return reason === "duplicate_content";
  return code === "thread_partial_failure" && objectIn(details?.cause).reason === "duplicate_content";
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
  };
}
