import type { Outcome } from "@toolpact/outcome";
import { parseJson } from "../json.ts";
import type { OAuthError } from "./oauth-error.ts";
import { Secret } from "./secret.ts";
import type { Grant } from "./token-endpoint.ts";

/** Stores the tokens of one sign-in, for all processes that share it. */
export interface TokenStorage {
  /** Undefined when nobody is signed in. */
  readonly read: () => Promise<Outcome<Grant | undefined, OAuthError>>;
  /** Replaces the tokens, so that a crash at any moment leaves either the old or the new ones. Only within `locked`. */
  readonly write: (grant: Grant) => Promise<Outcome<undefined, OAuthError>>;
  readonly delete: () => Promise<Outcome<undefined, OAuthError>>;
  /** True if the last value read or written is still current. Synchronous, because every request checks it. */
  readonly isCurrent: () => boolean;
  /**
   * Writes down that a renewal begins, and fails where the new tokens could not be stored either. `isFirst` is false
   * where an earlier renewal did not end.
   */
  readonly markRenewal: () => Promise<Outcome<{ readonly isFirst: boolean }, OAuthError>>;
  readonly clearRenewal: () => Promise<void>;
  /** Does some work while no other process changes the tokens. */
  readonly locked: <T>(work: () => Promise<Outcome<T, OAuthError>>) => Promise<Outcome<T, OAuthError>>;
}

export const tokensAreBusy: OAuthError = {
  kind: "busy",
  message: "Other processes keep renewing the X tokens. Try again in a minute.",
};

/** The text in which a storage holds the tokens. It has them in the clear. */
export function printGrant({ accessToken, refreshToken, expiresAt, scopes, signInId }: Grant): string {
  const stored = {
    version: 1,
    access_token: accessToken.reveal(),
    ...(refreshToken && { refresh_token: refreshToken.reveal() }),
    expires_at: expiresAt,
    scopes,
    ...(signInId !== undefined && { sign_in_id: signInId }),
  };
  return `${JSON.stringify(stored, null, 2)}\n`;
}

/** Undefined where the text holds no tokens. */
export function parseGrant(text: string): Grant | undefined {
  const stored = parseJson(text);
  if (typeof stored !== "object" || stored === null) return undefined;
  if (!("version" in stored && stored.version === 1)) return undefined;
  if (!("access_token" in stored && typeof stored.access_token === "string")) return undefined;
  if (!("expires_at" in stored && typeof stored.expires_at === "number")) return undefined;
  const refreshToken = "refresh_token" in stored ? stored.refresh_token : undefined;
  const scopes = "scopes" in stored && Array.isArray(stored.scopes) ? stored.scopes.map(String) : [];
  return {
    accessToken: new Secret(stored.access_token),
    ...(typeof refreshToken === "string" && { refreshToken: new Secret(refreshToken) }),
    expiresAt: stored.expires_at,
    scopes,
    ...("sign_in_id" in stored && typeof stored.sign_in_id === "string" && { signInId: stored.sign_in_id }),
  };
}
