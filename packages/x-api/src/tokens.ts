import type { Outcome } from "@toolpact/outcome";
import type { ProviderError } from "./errors.ts";

/**
 * Source of the client's tokens. The client asks before every request, stores nothing, and never prints
 * what it is given.
 */
export interface TokenSource {
  /** OAuth 2.0 access token of the signed-in user, refreshed when it is about to expire. */
  userToken(signal?: AbortSignal): Promise<Token>;
  /** App-only bearer token. */
  appToken(signal?: AbortSignal): Promise<Token>;
  /**
   * X refused this token with a 401. Answers with a different token to try once more (another process may have
   * refreshed it meanwhile, or a refresh is due), or says why there is none.
   */
  rejected(token: string, kind: TokenKind, signal?: AbortSignal): Promise<Token>;
}

export type TokenKind = "user" | "app";

/** `none` when this kind is not configured; the client then uses the other kind where X accepts either. */
export type Token = Outcome<string, ProviderError | "none">;
