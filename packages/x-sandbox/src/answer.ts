import type { JsonObject } from "./json.ts";

/** What an operation answers. A refusal is an answer too: one with a status of 400 or more. */
export interface Answer {
  readonly status: number;
  /** Text when the body cannot be made by `JSON.stringify`, or when it never ends. */
  readonly body: JsonObject | string | AsyncIterable<string>;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Things that were read and are to be paid for. */
  readonly reads?: Reads;
  /** Price class of this request when it differs from the operation's. */
  readonly priceClass?: string;
}

export interface Reads {
  /** Ids of the things asked for, billed at the operation's price. */
  readonly primary: readonly string[];
  /** Ids of posts and users that came along as expansions. */
  readonly posts: readonly string[];
  readonly users: readonly string[];
}

export function done(body: JsonObject, status = 200): Answer {
  return { status, body };
}
