import { failed, type Outcome, ok } from "@toolpact/outcome";
import * as z from "zod";
import { printable } from "../bad-input.ts";
import { DAY_MS } from "../clock.ts";
import { EFFECTS, type Effect } from "../effects.ts";
import type { Failure } from "../errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { maskSecrets } from "../redact.ts";
import { inDetail } from "./detail.ts";
import type { OpenApiDocument } from "./document.ts";
import { type OpenApiCode, openApiErrors } from "./errors.ts";
import { isList, overgrown } from "./json-limits.ts";
import type { Operation } from "./operations.ts";
import { MAX_SCHEMAS, zodOf } from "./schemas.ts";

export interface ApiAnswer {
  readonly status: number;
  readonly body?: Json;
  readonly other_body?: Json;
}

/** Names for a request's failure messages. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly effect: Effect;
  readonly secrets: readonly string[];
}

const MAX_BYTES = 2_000;
const DEEPEST = 5;
const ANSWER_LIMITS = { depth: 64, values: 500_000 };
const MAX_DETAIL = 2_000;
const MAX_RETRY_MS = DAY_MS;

/** In as much detail as fits; undefined without a body. */
export function bodySchemaOf(document: OpenApiDocument, { definition }: Operation): z.ZodType | undefined {
  const responses = isJsonObject(definition.responses) ? definition.responses : {};
  const status = Object.keys(responses)
    .filter((name) => /^2(\d\d|XX)$/i.test(name))
    .sort()[0];
  const response = document.resolve(responses[status ?? "default"]);
  const content = response.ok && isJsonObject(response.value.content) ? response.value.content : {};
  const [type, media] =
    Object.entries(content).find(([name]) => isJson(name)) ?? Object.entries(content)[0] ?? [];
  if (type === undefined) return undefined;
  if (!isJson(type)) return z.string();
  const schema = isJsonObject(media) ? media.schema : undefined;
  // An unreadable part accepts anything.
  return inDetail(
    (depth) =>
      zodOf(schema, { document, direction: "output", left: MAX_SCHEMAS.output, problems: [] }, depth),
    (converted) => converted,
    { direction: "output", bytes: MAX_BYTES, deepest: DEEPEST },
  );
}

/** The body is returned even if it does not match the document. */
export function outputOf(body: z.ZodType | undefined): z.ZodType {
  const status = z.int().describe("Status of HTTP");
  const other = z.unknown().optional();
  if (body === undefined) return z.object({ status, body: other.describe("What the API answered") });
  return z.object({
    status,
    body: body.optional(),
    other_body: other.describe("The answer, where it is not as documented"),
  });
}

/** The body of a success, or the failure for its status. */
export async function readAnswer(
  response: Response,
  schema: z.ZodType | undefined,
  sent: Sent,
  limits: { readonly bytes: number; readonly now: () => number },
): Promise<Outcome<ApiAnswer, Failure<OpenApiCode>>> {
  const { status } = response;
  const what = `${sent.method} ${sent.path}`;
  const text = await textOf(response, limits.bytes);
  if (text === undefined && status < 300)
    return openApiErrors.fail(
      "unexpected_answer",
      `${what} answered ${status} with more than ${limits.bytes} bytes, which are not read.`,
      {
        suggestedFix: EFFECTS[sent.effect].mutates
          ? "It has taken effect. Read what became of it with another call."
          : "Ask for less, such as a smaller page.",
        fixBy: "agent",
      },
    );
  const body = parsed(without(text ?? "", sent, status), response.headers.get("content-type") ?? "");
  const tooMuch = overgrown(body, ANSWER_LIMITS);
  if (tooMuch !== undefined)
    return openApiErrors.fail("unexpected_answer", `${what} answered ${status} with JSON that ${tooMuch}.`);
  if (status >= 300) return failed(failureOf(response, body, sent, limits.now()));
  if (body === undefined) return ok({ status });
  if (schema === undefined || schema.safeParse(body).success) return ok({ status, body });
  return ok({ status, other_body: body });
}

/** The failure without an answer. */
export function unanswered(error: unknown, isLate: boolean, sent: Sent): Failure<OpenApiCode> {
  const what = `${sent.method} ${sent.path}`;
  if (isLate) return doubtful("too_slow", `${what} was not answered in time.`, sent);
  const cause = (error as { readonly cause?: { readonly code?: unknown } } | undefined)?.cause?.code;
  const code = typeof cause === "string" && /^[A-Z_0-9]{1,40}$/.test(cause) ? ` (${cause})` : "";
  const message = `${what} could not be sent, or its answer was lost${code}.`;
  return typeof cause === "string" && NEVER_SENT.has(cause)
    ? { code: "unreachable", message: `${what} could not be sent${code}.`, fixBy: "operator" }
    : doubtful("unreachable", message, sent);
}

const NEVER_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

function failureOf(
  response: Response,
  body: Json | undefined,
  sent: Sent,
  now: number,
): Failure<OpenApiCode> {
  const { status, headers } = response;
  const message = `${sent.method} ${sent.path} answered ${status}.`;
  const details: JsonObject = { status, ...(body !== undefined && { answer: detailOf(body) }) };
  if (status < 400)
    return {
      code: "unexpected_answer",
      message: `${message} Redirects are not followed.`,
      suggestedFix: "Give the base URL that the API redirects to.",
      fixBy: "operator",
      details: { status },
    };
  const code = CODE_OF_STATUS[status] ?? (status >= 500 ? "api_error" : "refused");
  const retryAfterMs = retryAfter(headers.get("retry-after"), now);
  const failure =
    code === "api_error" || code === "too_slow" ? doubtful(code, message, sent) : { code, message };
  return {
    ...failure,
    ...(code === "not_signed_in" && {
      suggestedFix: "Check the credential of this server.",
      fixBy: "operator",
    }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    details,
  };
}

const CODE_OF_STATUS: Readonly<Record<number, OpenApiCode>> = {
  400: "bad_input",
  401: "not_signed_in",
  402: "denied",
  403: "denied",
  404: "not_found",
  408: "too_slow",
  409: "conflict",
  410: "not_found",
  412: "conflict",
  413: "bad_input",
  415: "bad_input",
  422: "bad_input",
  429: "rate_limited",
};

/** The request may have taken effect. One that must not be sent twice has its own code. */
function doubtful(
  code: "api_error" | "unreachable" | "too_slow",
  message: string,
  { effect }: Sent,
): Failure<OpenApiCode> {
  if (EFFECTS[effect].idempotent) return { code, message };
  return {
    code: "unknown_outcome",
    reason: code,
    message,
    suggestedFix: "It may have taken effect. Check whether it did before you call again.",
    fixBy: "agent",
  };
}

function retryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d{1,10}$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_MS) : undefined;
}

/** The API's error message is untrusted, so it is shortened. */
function detailOf(body: Json): Json {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  if (text.length <= MAX_DETAIL && (isJsonObject(body) || isList(body))) return body;
  return printable(text.length > MAX_DETAIL ? `${text.slice(0, MAX_DETAIL).toWellFormed()}…` : text);
}

/** Masks the credential, and in errors any text like a secret. A requested value may be one, such as a new key. */
function without(text: string, { secrets }: Sent, status: number): string {
  if (status >= 300) return maskSecrets(text, secrets);
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
}

/** Undefined if the body exceeds the limit. */
async function textOf(response: Response, most: number): Promise<string | undefined> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > most) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parsed(text: string, contentType: string): Json | undefined {
  if (text === "") return undefined;
  if (!isJson(contentType) && !/^\s*[{[]/.test(text)) return text;
  try {
    // Deep nesting is reported separately.
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function isJson(contentType: string): boolean {
  return /^(application\/json|[\w.-]+\/[\w.+-]+\+json|\*\/\*)\s*(;|$)/i.test(contentType);
}
