import type { Clock } from "../clock.ts";
import type { Secret } from "./secret.ts";

/** An app as it is registered with X. */
export interface OAuthApp {
  readonly clientId: string;
  /** Confidential clients have one; public ones, such as programs on people's machines, do not. */
  readonly clientSecret?: Secret;
  /** Exactly as registered; X compares it letter by letter. */
  readonly redirectUri: string;
}

/** Dependencies of the sign-in. Everything has a default, which tests replace. */
export interface OAuthEnvironment {
  /** `https://api.x.com` by default. */
  readonly baseUrl?: string;
  /** The page that asks the user; `https://x.com/i/oauth2/authorize` by default. */
  readonly authorizeUrl?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: Clock;
  /** Time for one request to X. */
  readonly timeoutMs?: number;
  /** Returns `count` cryptographically random bytes. */
  readonly random?: (count: number) => Uint8Array;
}
