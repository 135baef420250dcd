import { createHash } from "node:crypto";
import { type OAuthApp, Secret, systemClock, TokenKeeper, type TokenStorage } from "@toolpact/x-api";
import type { Config } from "../config/schema.ts";
import type { XAccount } from "./connect-x.ts";
import type { OAuth1Keys } from "./toolkit/oauth1.ts";

/** With `tuitbot auth login`. */
export async function signedInAccount(
  config: Config,
  fetch: typeof globalThis.fetch,
  tokens: TokenKeeper,
): Promise<XAccount> {
  const { plan, premium, base_url, timeout_ms, read_timeout_ms } = config.x_api;
  const { read_retries, retry_first_wait_ms, retry_longest_wait_ms } = config.x_api;
  const grant = await tokens.grant();
  const scopes = grant.ok ? (grant.value?.scopes ?? []) : [];
  return {
    tokens,
    signInId: () => signInId(tokens),
    scopes: () => (scopes.length === 0 ? undefined : scopes),
    access: { plan, isPremium: premium },
    adsKeys: adsKeys(config),
    baseUrl: base_url,
    fetch,
    clock: systemClock,
    timeoutMs: timeout_ms,
    readTimeoutMs: read_timeout_ms,
    retry: {
      retries: read_retries,
      firstWaitMs: retry_first_wait_ms,
      longestWaitMs: retry_longest_wait_ms,
    },
  };
}

/** Without an id, tokens name the sign-in until they are renewed. */
async function signInId(tokens: TokenKeeper): Promise<string | undefined> {
  const grant = await tokens.grant();
  if (!grant.ok || grant.value === undefined) return undefined;
  const { signInId, refreshToken, accessToken } = grant.value;
  return (
    signInId ??
    createHash("sha256")
      .update((refreshToken ?? accessToken).reveal())
      .digest("hex")
  );
}

/** All or none are configured. */
function adsKeys({ ads }: Config): OAuth1Keys | undefined {
  const { consumer_key, consumer_secret, access_token, access_token_secret } = ads;
  if (consumer_key === undefined || consumer_secret === undefined) return undefined;
  if (access_token === undefined || access_token_secret === undefined) return undefined;
  return {
    consumerKey: new Secret(consumer_key),
    consumerSecret: new Secret(consumer_secret),
    accessToken: new Secret(access_token),
    accessTokenSecret: new Secret(access_token_secret),
  };
}

/** Renews the sign-in early. Kept in a file, or in the given storage. */
export function tokenKeeper(
  config: Config,
  fetch: typeof globalThis.fetch,
  {
    onEnded,
    storage,
  }: {
    readonly onEnded?: ((message: string) => void) | undefined;
    readonly storage?: TokenStorage;
  },
): TokenKeeper {
  const { bearer_token, base_url, timeout_ms } = config.x_api;
  const app = oauthApp(config);
  return new TokenKeeper({
    ...(storage === undefined ? { path: config.auth.token_file } : { storage }),
    baseUrl: base_url,
    fetch,
    timeoutMs: timeout_ms,
    ...(onEnded && { onEnded }),
    ...(app && { app }),
    ...(bearer_token !== undefined && { appToken: new Secret(bearer_token) }),
  });
}

/** If configured. */
export function oauthApp({ x_api, auth }: Config): OAuthApp | undefined {
  if (x_api.client_id === "") return undefined;
  return {
    clientId: x_api.client_id,
    redirectUri: callbackAddress(auth),
    ...(x_api.client_secret !== undefined && { clientSecret: new Secret(x_api.client_secret) }),
  };
}

export function callbackAddress({ callback_host, callback_port }: Config["auth"]): string {
  return `http://${callback_host}:${callback_port}/callback`;
}
