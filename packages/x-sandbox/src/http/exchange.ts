/** A request as it reaches the sandbox, over a socket or in process. */
export interface Call {
  readonly method: string;
  /** The origin that the caller addressed, such as `http://127.0.0.1:4010`. */
  readonly origin: string;
  /** Path as sent, still percent-encoded. */
  readonly path: string;
  /** Query as sent, without the question mark. */
  readonly search: string;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly body: AsyncIterable<Uint8Array> | undefined;
}

/** A response before it is put on a socket or into a `Response`. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<string>;
}

/** How a reply is delivered: whole, or as a fault says. */
export type Delivery =
  | { readonly how: "whole"; readonly reply: Reply }
  | { readonly how: "slow"; readonly reply: Reply; readonly chunks: number; readonly delayMs: number }
  | { readonly how: "stall"; readonly reply: Reply }
  | { readonly how: "drop" | "reset" | "hang" };

/** Waits between the pieces of a slow body. */
export type Wait = (milliseconds: number) => Promise<unknown>;

/** Decodes percent-encoding; text that is not validly encoded stays as it is. */
export function percentDecoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A body cut into pieces of about the same length. */
export function pieces(reply: Reply, count: number): string[] {
  if (typeof reply.body !== "string") return [];
  const size = Math.max(1, Math.ceil(reply.body.length / count));
  return reply.body.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];
}
