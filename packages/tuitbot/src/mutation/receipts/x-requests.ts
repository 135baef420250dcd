import type { Failure } from "@toolpact/contract";
import { type Method, operationAt } from "@toolpact/x-api";
import { operationRow, type SentRequest } from "../../x/operation-table.ts";
import { jsonOf, objectIn, textIn } from "../../x/shapes/x-object.ts";
import type { RequestRules, StepEffect } from "./journal.ts";
import type { Step } from "./receipt.ts";

/** What receipts need to know about requests to X. */
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
  const request = requestOf(step);
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

/** The request of a step, as the operation table sees it. */
export function requestOf({ method, target, body_json }: Step): SentRequest {
  const [path = ""] = target.split("?");
  // A method that X's table does not have finds nothing in it.
  const route = operationAt(method as Method, path);
  return { path: route?.path ?? {}, body: objectIn(jsonOf(body_json ?? "")) };
}
