import type { Multipart } from "./multipart.ts";
import type { Method } from "./operations/index.ts";

/** A request on the wire. */
export interface WireRequest {
  readonly method: Method;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Multipart | undefined;
  /** Read the body of a success as bytes, not as text. */
  readonly isBytes: boolean;
}

/** The status and headers of a response. */
export type WireResponse = Pick<Response, "status" | "ok" | "headers">;

/** A response with its whole body. */
export interface WireAnswer {
  readonly response: WireResponse;
  readonly content: string | Uint8Array;
}

/** Sends one request. Calls `onHead` when the headers of the response have arrived. */
export async function exchange(
  fetch: typeof globalThis.fetch,
  { method, url, headers, body, isBytes }: WireRequest,
  signal: AbortSignal,
  onHead: (headers: Headers) => void,
): Promise<WireAnswer> {
  // X does not redirect. Following a redirect could repeat a write or send the token to another host.
  const response = await fetch(url, { method, headers, ...bodyInit(body), signal, redirect: "manual" });
  onHead(response.headers);
  return {
    response,
    content: isBytes && response.ok ? new Uint8Array(await response.arrayBuffer()) : await response.text(),
  };
}

function bodyInit(body: WireRequest["body"]): RequestInit {
  if (body === undefined) return {};
  if (typeof body === "string") return { body };
  // Only Node's type of a request has `duplex`.
  const streamed = { body: body.stream(), duplex: "half" as const };
  return streamed;
}
