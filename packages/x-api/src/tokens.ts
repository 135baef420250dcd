import type { Outcome } from "@toolpact/outcome";
import type { ProviderError } from "./errors.ts";

/** Called before every request. The client neither stores nor prints tokens. */
export interface TokenSource {
  /** Refreshed when it is about to expire. */
  userToken(signal?: AbortSignal): Promise<Token>;
  appToken(signal?: AbortSignal): Promise<Token>;
  /** X rejected this token with a 401. Returns another one to retry once, or why there is none. */
  rejected(token: string, kind: TokenKind, signal?: AbortSignal): Promise<Token>;
}

export type TokenKind = "user" | "app";

/** `none` if not configured: the client then uses the other kind. */
export type Token = Outcome<string, ProviderError | "none">;
