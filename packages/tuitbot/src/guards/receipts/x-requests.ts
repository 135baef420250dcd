import type { Failure, JsonObject } from "@toolpact/contract";
import type { JournalRequest, RequestRules } from "@toolpact/contract/guards";
import { maskSecrets, parseJson, redact } from "@toolpact/contract/internal";
import type { Step, StepEffect } from "@toolpact/contract/internal/guards";
import { type Method, operationAt } from "@toolpact/x-api";
import { operationRow, type SentRequest } from "../../x/operation-table.ts";
import { objectIn, textIn, type XObject } from "../../x/shapes/x-object.ts";

export const xRequestRules: RequestRules = {
  isPreparation: ({ operation }) => operationRow(operation)?.isPreparation === true,
  stored,
  effectOf,
  continues: ({ bodyText }) =>
    textIn(objectIn(objectIn(parseJson(bodyText ?? "")), "reply"), "in_reply_to_tweet_id"),
};

/** Reading back needs no query. */
function stored({ operation, target, bodyText }: JournalRequest): Pick<Step, "target" | "body_json"> {
  const [path = ""] = target.split("?");
  return {
    target: maskSecrets(path),
    body_json: bodyText === undefined ? null : storedBody(operation, bodyText),
  };
}

/** Published text stays verbatim, so reading back can find it. */
function storedBody(operation: string | undefined, bodyText: string): string {
  const body = parseJson(bodyText);
  if (operationRow(operation) === undefined || typeof body !== "object")
    return String(redact({ body: bodyText }).body);
  const message = objectIn(body, "message");
  return JSON.stringify({
    ...withoutSecrets(objectIn(body)),
    ...(Object.keys(message).length > 0 && { message: withoutSecrets(message) }),
  });
}

function withoutSecrets(object: XObject): JsonObject {
  const [text, name] = [textIn(object, "text"), textIn(object, "name")];
  // Parsed from JSON.
  const masked = redact(object as JsonObject);
  return { ...masked, ...(text !== undefined && { text }), ...(name !== undefined && { name }) };
}

export function effectOf(step: Step): StepEffect {
  if (step.state !== "confirmed") return { makes: null };
  const { makes, unmakes } = operationRow(step.operation) ?? {};
  const request = requestOf(step);
  const undone = unmakes?.(request);
  return {
    makes: makes?.(request, objectIn(parseJson(step.answer_text ?? ""), "data")) ?? null,
    ...(undone !== undefined && { unmakes: undone }),
  };
}

export function isRepetition({ code, reason, details }: Failure, { status }: Step): boolean {
  if (status !== 403) return false;
  if (code === "x_forbidden") return reason === "duplicate_content";
  return code === "thread_partial_failure" && objectIn(details?.cause).reason === "duplicate_content";
}

export function requestOf({ method, target, body_json }: Step): SentRequest {
  // Unknown methods find nothing.
  const route = operationAt(method as Method, target);
  return { path: route?.path ?? {}, body: objectIn(parseJson(body_json ?? "")) };
}
