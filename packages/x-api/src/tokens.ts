import type { Outcome } from "@toolpact/outcome";
import type { ProviderError } from "./errors.ts";

/**
 * Source of the client's tokens. The client calls it before every request, and neither stores nor prints
 * the tokens.
 */
export interface TokenSource {
  /** OAuth 2.0 access token of the signed-in user, refreshed when it is about to expire. */
  userToken(signal?: AbortSignal): Promise<Token>;
  /** App-only bearer token. */
  appToken(signal?: AbortSignal): Promise<Token>;
  /**
   * Reports that X rejected this token with a 401. Returns a different token to retry once with (another process may
   * have refreshed it, or a refresh is due), or the reason there is none.
   */
  rejected(token: string, kind: TokenKind, signal?: AbortSignal): Promise<Token>;
}

export type TokenKind = "user" | "app";

/** `none` if this kind is not configured; the client then uses the other kind if X accepts either. */
export type Token = Outcome<string, ProviderError | "none">;
