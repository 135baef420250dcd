import { type JsonObject, ok } from "@toolpact/contract";
import { isJsonObject, parseJson } from "@toolpact/contract/internal";
import {
  type Access,
  actionRules,
  limitHeaders,
  type Method,
  matchesTemplate,
  operationAt,
  type Pair,
  type RawAnswer,
  type RawRequest,
  removedOperations,
  wholeNumberIn,
  type XHost,
  xHosts,
} from "@toolpact/x-api";
import * as z from "zod";
import { errors } from "../../errors.ts";
import { listIn, objectIn, textIn, type XObject } from "../shapes/x-object.ts";
import { cleaned, cleanText, NOTICE } from "../untrusted.ts";
import type { X } from "../x.ts";
import { forPlan, xFailed } from "../x-errors.ts";
import { adsRefused } from "./ads.ts";
import type { FromX } from "./ask-x.ts";
import { refusedByX } from "./preflight.ts";
import { type PostRequest, refusedPost, type WriteCode } from "./write.ts";

export interface RequestInput {
  readonly method: Method;
  readonly path: string;
  readonly host: string;
  readonly query: readonly Pair[];
  readonly headers: readonly Pair[];
  readonly body?: string | undefined;
}

export const requestAnswer = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  json: z.unknown().describe("The answer, or null where it is not JSON"),
  body_text: z.string().optional().describe("The answer where it is not JSON"),
  rate_limit: z.object({ limit: z.number(), remaining: z.number(), reset_at: z.string() }).optional(),
  notice: z.string(),
});

type Sending = Pick<X, "send" | "sendToAds" | "access">;

/** Without a typed tool, but under the same rules: X's hosts only, and nothing X is known to reject. */
export async function sendRequest(
  { send, sendToAds, access }: Sending,
  input: RequestInput,
  signal: AbortSignal,
): Promise<FromX<z.input<typeof requestAnswer>>> {
  const request = checked(input, access);
  if (!request.ok) return request;
  const isAds = input.host === ADS_HOST;
  if (isAds && sendToAds === undefined) return adsRefused();
  const answer = await (isAds && sendToAds !== undefined ? sendToAds : send)(request.value, { signal });
  return answer.ok
    ? ok(shown(answer.value))
    : forPlan(xFailed(answer.failure, input.method === "GET" ? "read" : "write"), access.plan);
}

const ADS_HOST: XHost = "ads-api.x.com";

/** It may be a post, with the posting tools' rules. */
export async function sendPostRequest(
  x: Sending,
  input: Omit<RequestInput, "method">,
  signal: AbortSignal,
): Promise<FromX<z.input<typeof requestAnswer>, WriteCode>> {
  const request: RequestInput = { ...input, method: "POST" };
  return refusedAsPost(request, x.access) ?? sendRequest(x, request, signal);
}

export const requestPages = z.object({
  pages: z.array(z.object({ page: z.number(), status: z.number(), data: z.unknown() })),
  total_pages: z.number(),
  next_token: z.string().optional().describe("Where to go on, as `pagination_token`"),
  failed: z
    .looseObject({ code: z.string(), message: z.string() })
    .optional()
    .describe("Why the next page could not be had; the pages before it are here"),
  notice: z.string(),
});

/** A failed page keeps the earlier ones. */
export async function readRequestPages(
  x: Sending,
  input: RequestInput,
  maxPages: number,
  signal: AbortSignal,
): Promise<FromX<z.input<typeof requestPages>>> {
  const pages: { page: number; status: number; data: unknown }[] = [];
  let next: string | undefined;
  do {
    const answer = await sendRequest(x, next === undefined ? input : onPage(input, next), signal);
    if (!answer.ok && pages.length === 0) return answer;
    if (!answer.ok) {
      const { code, message, reason, retryAfterMs } = answer.failure;
      const failed: JsonObject & { code: string; message: string } = {
        code,
        message,
        ...(reason !== undefined && { reason }),
        ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
      };
      return ok({ notice: NOTICE, pages, total_pages: pages.length, next_token: next, failed });
    }
    pages.push({ page: pages.length + 1, status: answer.value.status, data: answer.value.json });
    next = textIn(objectIn(answer.value.json, "meta"), "next_token");
  } while (next !== undefined && pages.length < maxPages);
  return ok({ notice: NOTICE, pages, total_pages: pages.length, next_token: next });
}

function onPage(input: RequestInput, token: string): RequestInput {
  const query = input.query.filter(({ key }) => key !== "pagination_token");
  return { ...input, query: [...query, { key: "pagination_token", value: token }] };
}

function checked(input: RequestInput, access: Access): FromX<RawRequest> {
  const refusal = refusedRequest(input);
  const host = xHosts.find((known) => known === input.host);
  if (refusal !== undefined || host === undefined) {
    return errors.fail("invalid_input", refusal ?? "The host is not X's.", {
      reason: "request_blocked",
      fixBy: "agent",
    });
  }
  const body = input.body === undefined ? undefined : parseJson(input.body);
  if (input.body !== undefined && !isJsonObject(body))
    return errors.fail("invalid_input", "`body` must be the text of a JSON object.", { fixBy: "agent" });
  const known = refusedKnown(input, access);
  if (known !== undefined) return known;
  const { method, path, query, headers } = input;
  // Parsing would cut long numbers.
  return ok({ method, host, path, query, headers, ...(input.body !== undefined && { body: input.body }) });
}

/** As for typed tools. */
function refusedKnown({ method, path }: RequestInput, access: Access) {
  const removed = removedOperations.find(
    (operation) => operation.method === method && matchesTemplate(operation.path, path),
  );
  if (removed !== undefined) return refusedByX(removed.action, access);
  const operation = operationAt(method, path)?.operation;
  if (operation === actionRules.like.operation) return refusedByX("like", access);
  return operation === actionRules.follow.operation ? refusedByX("follow", access) : undefined;
}

function refusedAsPost(input: RequestInput, access: Access) {
  const body = objectIn(input.body === undefined ? undefined : parseJson(input.body));
  const isPost = operationAt(input.method, input.path)?.operation === "createPosts";
  if (!isPost || Object.keys(body).some((key) => SPECIAL_POSTS.has(key))) return undefined;
  return refusedPost(postIn(body), access);
}

/** In a body of `createPosts`. */
export function postIn(body: XObject): PostRequest {
  return {
    text: textIn(body, "text") ?? "",
    mediaIds: listIn(objectIn(body, "media"), "media_ids").map(String),
    taggedIds: listIn(objectIn(body, "media"), "tagged_user_ids").map(String),
    quoteOf: textIn(body, "quote_tweet_id"),
    replyTo: textIn(objectIn(body, "reply"), "in_reply_to_tweet_id"),
  };
}

/** It can replace the text. */
const SPECIAL_POSTS: ReadonlySet<string> = new Set(["poll", "card_uri", "direct_message_deep_link"]);

function shown({ status, headers, text }: RawAnswer): z.input<typeof requestAnswer> {
  const json = parseJson(text);
  const rate_limit = rateLimitIn(headers);
  return {
    notice: NOTICE,
    status,
    headers: Object.fromEntries(
      SHOWN_HEADERS.flatMap((name) => {
        const value = headers.get(name);
        return value === null ? [] : [[name, cleanText(value)]];
      }),
    ),
    json: json === undefined ? null : cleaned(json),
    ...(json === undefined && text !== "" && { body_text: cleanText(text) }),
    ...(rate_limit && { rate_limit }),
  };
}

const SHOWN_HEADERS = ["content-type", "x-transaction-id"] as const;

function rateLimitIn(headers: Headers): z.input<typeof requestAnswer>["rate_limit"] {
  const { window } = limitHeaders;
  const limit = wholeNumberIn(headers, window.limit);
  const remaining = wholeNumberIn(headers, window.remaining);
  const reset = wholeNumberIn(headers, window.reset);
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  return { limit, remaining, reset_at: new Date(reset * 1000).toISOString() };
}

interface Target {
  readonly host: string;
  readonly path: string;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}

/** Undefined if it may be sent. */
export function refusedRequest({ host, path, headers }: Target): string | undefined {
  if (!xHosts.some((known) => known === host)) return `The host must be one of ${xHosts.join(", ")}.`;
  return refusedPath(path) ?? refusedHeader(headers);
}

/** The checked path must be the one that is sent. */
function refusedPath(path: string): string | undefined {
  if (/[?#]/.test(path)) return "The path must not hold ? or #: put parameters into `query`.";
  if (!/^(\/[\w.,:@~-]+)+$/.test(path))
    return "The path must be words of letters, digits and _-.,:@~ with one slash before each.";
  return path.split("/").some((word) => word === "." || word === "..")
    ? "The path must not hold `.` or `..`."
    : undefined;
}

/** They change caller, host or framing. */
const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "content-length",
  "cookie",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function refusedHeader(headers: Target["headers"]): string | undefined {
  const bad = headers.find(({ key }) => FORBIDDEN_HEADERS.has(key.toLowerCase()));
  if (bad !== undefined) return `The header ${bad.key.toLowerCase()} cannot be set.`;
  const isSound = ({ key, value }: Target["headers"][number]) =>
    /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(key) && /^[\x20-\x7e]*$/.test(value);
  return headers.every(isSound) ? undefined : "A header has a name or a value that is none.";
}
