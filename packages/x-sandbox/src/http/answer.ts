import type { JsonObject } from "../json.ts";
import type { Reply } from "./exchange.ts";

/** Errors have a status of 400 or more. */
export interface Answer {
  readonly status: number;
  /** A string if `JSON.stringify` cannot write it; an iterable for streams. */
  readonly body: JsonObject | string | AsyncIterable<string>;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly reads?: Reads;
  /** If it differs from the operation's. */
  readonly priceClass?: string;
}

export interface Reads {
  /** Billed at the operation's price. */
  readonly primary: readonly string[];
  /** Included by expansions. */
  readonly posts: readonly string[];
  readonly users: readonly string[];
}

export function success(body: JsonObject, status = 200): Answer {
  return { status, body };
}

export function jsonAnswer(value: object): Answer {
  return { status: 200, body: JSON.stringify(value) };
}

export function errorAnswer(error: string, status = 400): Answer {
  return { status, body: { error } };
}

export function replyOf(answer: Answer, headers: Readonly<Record<string, string>> = {}): Reply {
  const { body } = answer;
  return {
    status: answer.status,
    headers: {
      "content-type": answer.contentType ?? "application/json; charset=utf-8",
      ...headers,
      ...answer.headers,
    },
    body: typeof body === "string" || isStream(body) ? body : JSON.stringify(body),
  };
}

function isStream(body: Exclude<Answer["body"], string>): body is AsyncIterable<string> {
  return Symbol.asyncIterator in body;
}
