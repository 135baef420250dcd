import { isJsonObject } from "@toolpact/outcome";
import type { ForbiddenReason, ProviderError } from "./errors.ts";
import { limitHeaders, wholeNumberIn } from "./rate-windows.ts";

export interface ErrorSetting {
  readonly now: number;
  /** If a user token was sent. */
  readonly scopes?: readonly string[];
  /** Other names in X's answer are dropped. */
  readonly parameters?: ReadonlySet<string>;
}

/** `body` is parsed JSON, or text. */
export function mapError(
  status: number,
  headers: Headers,
  body: unknown,
  setting: ErrorSetting,
): ProviderError {
  const problem = problemOf(body, setting.parameters ?? none);
  return { ...byStatus(status, headers, problem, setting), ...contextOf(problem, headers) };
}

/** A success with `errors` and no data. */
export function mapOnlyErrors(errors: readonly unknown[], headers: Headers): ProviderError {
  const problem = problemOf(errors[0], none);
  return {
    ...(bySegment(problem) ?? { kind: "other", status: 200, message: "X answered with errors and no data." }),
    ...contextOf(problem, headers),
  };
}

function contextOf({ segment, said }: Problem, headers: Headers) {
  const requestId = headers.get("x-transaction-id");
  return {
    ...(requestId !== null && { requestId }),
    ...(segment !== undefined && { problem: segment }),
    ...(said !== "" && { said }),
  };
}

const none: ReadonlySet<string> = new Set();

function byStatus(status: number, headers: Headers, problem: Problem, setting: ErrorSetting): ProviderError {
  // X does not have the operation, so repeating the request cannot help.
  if (status === 501) return { kind: "other", status, message: "X does not offer this operation." };
  if (status >= 500) return { kind: "server_error", status, message: `X failed with status ${status}.` };
  const restriction = restrictionOf(problem);
  if (restriction) return restriction;
  if (status === 429) return rateLimit(headers, problem, setting.now);
  if (status === 402) return forbidden("credits_depleted");
  if (status === 401) return { kind: "auth_expired", message: "X refused the access token." };
  if (status === 403) return forbiddenFrom(problem, setting);
  const known = bySegment(problem) ?? byCode(problem);
  if (known) return known;
  if (status === 404) return notFound;
  if (status === 400 || status === 422) return invalidRequest(problem);
  return { kind: "other", status, message: `X answered with status ${status}.` };
}

/** By the last segment of `type`, for every status. */
function bySegment(problem: Problem): ProviderError | undefined {
  switch (problem.segment) {
    case "resource-not-found":
    case "resource-unavailable":
      return notFound;
    case "invalid-request":
    case "invalid-rules":
    case "duplicate-rules":
    case "rule-cap":
      return invalidRequest(problem);
    case "internal-error":
    case "field-hydration-failure":
      return { kind: "server_error", status: 500, message: "X could not put the answer together." };
    default: {
      const reason = forbiddenBySegment.get(problem.segment ?? "");
      return reason && forbidden(reason);
    }
  }
}

const forbiddenBySegment: ReadonlyMap<string, ForbiddenReason> = new Map([
  ["not-authorized-for-resource", "resource_not_authorized"],
  ["not-authorized-for-field", "field_not_authorized"],
  ["field-unauthorized", "field_not_authorized"],
  ["disallowed-resource", "disallowed_resource"],
  ["unsupported-authentication", "unsupported_authentication"],
  ["credits", "credits_depleted"],
  ["credits-depleted", "credits_depleted"],
  ["usage-capped", "usage_capped"],
]);

/** X's type is `about:blank`, so only `detail` tells them apart. */
const forbiddenByPhrase: readonly (readonly [phrase: string, reason: ForbiddenReason])[] = [
  ["duplicate content", "duplicate_content"],
  ["not been mentioned or otherwise engaged", "reply_not_allowed"],
  ["reply to this conversation is not allowed", "reply_limited_by_author"],
  ["deleted or not visible to you", "reply_target_missing"],
];

function byCode(problem: Problem): ProviderError | undefined {
  switch (problem.code) {
    case 34:
    case 50:
    case 144:
      return notFound;
    case 187:
      return forbidden("duplicate_content");
    case 433:
      return forbidden("reply_limited_by_author");
    default:
      return undefined;
  }
}

function forbiddenFrom(problem: Problem, setting: ErrorSetting): ProviderError {
  if (problem.segment === "client-forbidden")
    return forbidden(problem.reason === "client-not-enrolled" ? "not_enrolled" : "unavailable_on_plan");
  const phrase = forbiddenByPhrase.find(([words]) => problem.detail.includes(words));
  if (phrase) return forbidden(phrase[1]);
  const known = bySegment(problem) ?? byCode(problem);
  if (known) return known;
  if (problem.segment === "oauth1-permissions") return forbidden("missing_scope", setting.scopes);
  // A user token without the scope gets a bare "Forbidden"; X does not name the scope, the operation table does.
  if (problem.detail === "forbidden" && setting.scopes?.length)
    return forbidden("missing_scope", setting.scopes);
  return problem.said === ""
    ? forbidden("unspecified")
    : { ...forbidden("unspecified"), message: "X refused the request." };
}

function forbidden(reason: ForbiddenReason, scopes?: readonly string[]): ProviderError {
  return { kind: "forbidden", reason, message: forbiddenMessages[reason], ...(scopes && { scopes }) };
}

const forbiddenMessages: Readonly<Record<ForbiddenReason, string>> = {
  duplicate_content: "X refused the post because its content repeats a recent post of this account.",
  reply_limited_by_author: "X refused the reply: the author of the conversation limits who can reply.",
  reply_target_missing: "The post to reply to was deleted, or X does not show it to this account.",
  reply_not_allowed: "X lets this account reply only where the author has mentioned or quoted it.",
  missing_scope: "The token lacks a permission that this operation needs; sign in again and grant it.",
  not_enrolled: "The app is not enrolled: move it to the pay-per-use package and the production environment.",
  unavailable_on_plan: "X does not offer this operation on the app's plan.",
  unsupported_authentication: "X does not take this kind of token for this operation.",
  credits_depleted: "The app has no X credits left; buy credits in X's developer console.",
  usage_capped: "The app has used up its usage cap for this period; waiting for a rate window does not help.",
  resource_not_authorized: "This account may not see the resource.",
  field_not_authorized: "This account may not see a field that was asked for.",
  disallowed_resource: "X does not allow this resource.",
  unspecified: "X refused the request without saying why.",
};

const notFound: ProviderError = {
  kind: "not_found",
  message: "X has no such resource, or does not show it.",
};

function invalidRequest(problem: Problem): ProviderError {
  const parameters = problem.parameters.slice(0, MAX_PARAMETERS);
  return {
    kind: "invalid_request",
    message:
      parameters.length > 0 ? `X refused ${parameters.join(", ")}.` : "X refused the request as invalid.",
    ...(parameters.length > 0 && { parameters }),
  };
}

const MAX_PARAMETERS = 10;

/** A requested account that is suspended is `not_found`. */
function restrictionOf(problem: Problem): ProviderError | undefined {
  if (problem.code === 64 || problem.detail.startsWith("your account is suspended"))
    return { kind: "account_restricted", restriction: "suspended", message: "X has suspended this account." };
  if (problem.code === 326 || problem.detail.includes("account is temporarily locked"))
    return {
      kind: "account_restricted",
      restriction: "locked",
      message: "X has locked this account; its owner has to unlock it at x.com.",
    };
  return undefined;
}

function rateLimit(headers: Headers, problem: Problem, now: number): ProviderError {
  if (problem.segment === "usage-capped" || problem.title === "usagecapexceeded")
    return forbidden("usage_capped");
  const isConnections = problem.segment === "streaming-connection";
  const retryAfterMs = waitFrom(headers, now) ?? (isConnections ? connectionWaitMs : windowMs);
  return {
    kind: "rate_limited",
    limit: isConnections ? "connections" : "window",
    retryAfterMs,
    resetAt: now + retryAfterMs,
    message: isConnections ? "Too many streams are open." : "X's rate limit for this operation is used up.",
  };
}

/** X's usual window, for answers without a reset time. */
const windowMs = 900_000;
const connectionWaitMs = 60_000;

/** From a second to a day. The latest reset counts, because a 24-hour window outlasts a 15-minute one. */
function waitFrom(headers: Headers, now: number): number | undefined {
  const after = wholeNumberIn(headers, "retry-after");
  if (after !== undefined) return waitMs(after);
  const resets = Object.values(limitHeaders).flatMap(({ remaining, reset }) => {
    const seconds = wholeNumberIn(headers, reset);
    const left = wholeNumberIn(headers, remaining);
    return seconds === undefined || (left !== undefined && left > 0) ? [] : [seconds];
  });
  if (resets.length === 0) return undefined;
  return waitMs(Math.max(...resets) - Math.floor(now / 1000));
}

function waitMs(seconds: number): number {
  return 1000 * Math.min(Math.max(seconds, 1), 86_400);
}

interface Problem {
  readonly segment?: string;
  readonly title: string;
  readonly detail: string;
  readonly said: string;
  readonly reason?: string;
  readonly code?: number;
  readonly parameters: readonly string[];
}

/** From an object, a list, a string or an HTML page. Only parameters in `known` pass. */
function problemOf(body: unknown, known: ReadonlySet<string>): Problem {
  const outer = record(body);
  const inner = Array.isArray(outer.errors) ? record(outer.errors[0]) : {};
  const type = text(outer.type) ?? text(inner.type);
  const segment = type?.split("/").at(-1);
  const code = outer.code ?? inner.code;
  const reason = text(outer.reason);
  const detail = text(outer.detail) ?? text(outer.message) ?? text(inner.message) ?? "";
  return {
    ...(segment !== undefined && isSegment.test(segment) && { segment }),
    title: (text(outer.title) ?? "").toLowerCase(),
    detail: detail.toLowerCase(),
    said: saidIn(detail, outer.errors),
    ...(reason !== undefined && { reason }),
    ...(typeof code === "number" && { code }),
    parameters: parametersOf(outer).filter((name) => known.has(name)),
  };
}

/** Drops a title that is repeated as detail. */
function saidIn(detail: string, errors: unknown): string {
  const messages = (Array.isArray(errors) ? errors : []).map((error) => text(record(error).message) ?? "");
  const said = [...new Set([detail, ...messages])].filter((words) => !SAYS_NOTHING.has(words.toLowerCase()));
  const whole = said.join(" ");
  return whole.length > MAX_MESSAGE_LENGTH ? `${whole.slice(0, MAX_MESSAGE_LENGTH)}…` : whole;
}

const SAYS_NOTHING: ReadonlySet<string> = new Set([
  "",
  "forbidden",
  "unauthorized",
  "bad request",
  "not found",
  "too many requests",
  "internal server error",
]);
const MAX_MESSAGE_LENGTH = 500;

/** Without `about:blank`. */
const isSegment = /^[\w-]{1,64}$/;

/** From `errors[].parameters: {name: [values]}`. */
function parametersOf(body: Readonly<Record<string, unknown>>): string[] {
  const errors = Array.isArray(body.errors) ? body.errors : [];
  const names = errors.flatMap((error) => Object.keys(record(record(error).parameters)));
  return [...new Set(names)];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
