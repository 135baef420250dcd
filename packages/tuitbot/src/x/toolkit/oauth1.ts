import { createHmac } from "node:crypto";
import type { Secret } from "@toolpact/x-api";

/** Keys of app and account, for OAuth 1.0a. */
export interface OAuth1Keys {
  readonly consumerKey: Secret;
  readonly consumerSecret: Secret;
  readonly accessToken: Secret;
  readonly accessTokenSecret: Secret;
}

export interface Once {
  readonly nonce: string;
  /** Unix time. */
  readonly timestamp: number;
}

/** By RFC 5849; all parameters are in the address. */
export function oauth1Header(method: string, address: string, keys: OAuth1Keys, once: Once): string {
  const { origin, pathname, searchParams } = new URL(address);
  const fields: readonly (readonly [string, string])[] = [
    ["oauth_consumer_key", keys.consumerKey.reveal()],
    ["oauth_nonce", once.nonce],
    ["oauth_signature_method", "HMAC-SHA1"],
    ["oauth_timestamp", String(once.timestamp)],
    ["oauth_token", keys.accessToken.reveal()],
    ["oauth_version", "1.0"],
  ];
  const pairs = [...fields, ...searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort();
  const base = [method, `${origin}${pathname}`, pairs.join("&")].map(encode).join("&");
  const key = `${encode(keys.consumerSecret.reveal())}&${encode(keys.accessTokenSecret.reveal())}`;
  const signature = createHmac("sha1", key).update(base).digest("base64");
  const shown = [...fields, ["oauth_signature", signature] as const];
  return `OAuth ${shown.map(([name, value]) => `${name}="${encode(value)}"`).join(", ")}`;
}

/** RFC 3986, stricter than `encodeURIComponent`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
