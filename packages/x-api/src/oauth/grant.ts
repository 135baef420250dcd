import type { Secret } from "./secret.ts";

/** What X gives for a sign-in. */
export interface Grant {
  readonly accessToken: Secret;
  /** Good for one use: X gives a new one with every refresh. Missing without the scope `offline.access`. */
  readonly refreshToken?: Secret;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly scopes: readonly string[];
}
