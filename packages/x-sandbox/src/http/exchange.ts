/** Over a socket or in process. */
export interface Call {
  readonly method: string;
  /** Such as `http://127.0.0.1:4010`. */
  readonly origin: string;
  /** Still percent-encoded. */
  readonly path: string;
  /** Without the question mark. */
  readonly search: string;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly body: AsyncIterable<Uint8Array> | undefined;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<string>;
}

export type Delivery =
  | { readonly how: "whole"; readonly reply: Reply }
  | { readonly how: "slow"; readonly reply: Reply; readonly chunks: number; readonly delayMs: number }
  | { readonly how: "stall"; readonly reply: Reply }
  | { readonly how: "drop" | "reset" | "hang" };

export type Wait = (milliseconds: number) => Promise<unknown>;

/** Invalid encoding stays. */
export function percentDecoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function pieces(reply: Reply, count: number): string[] {
  if (typeof reply.body !== "string") return [];
  const size = Math.max(1, Math.ceil(reply.body.length / count));
  return reply.body.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];
}
