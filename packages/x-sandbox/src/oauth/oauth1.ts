import { createHmac, timingSafeEqual } from "node:crypto";
import { type Call, percentDecoded } from "../http/exchange.ts";
import { Random } from "../random.ts";
import type { App } from "./apps.ts";

export interface OAuth1Token {
  readonly token: string;
  readonly secret: string;
}

/** Derived from the seed; does not expire. */
export function oauth1Token(app: App, userId: string): OAuth1Token {
  const random = new Random(Number(BigInt(userId) % 4_294_967_296n) ^ Number(app.id));
  return { token: `${userId}-${random.token(30)}`, secret: random.token(45) };
}

/** Timestamps are ignored, because clients use another clock. */
export function signerOf(
  call: Call,
  authorization: string,
  apps: readonly App[],
): { app: App; userId: string } | undefined {
  const fields = headerFields(authorization);
  const app = apps.find((candidate) => candidate.consumerKey === fields.get("oauth_consumer_key"));
  const [userId = ""] = (fields.get("oauth_token") ?? "").split("-");
  if (app === undefined || !/^[0-9]{19}$/.test(userId)) return undefined;
  const known = oauth1Token(app, userId);
  if (fields.get("oauth_token") !== known.token || fields.get("oauth_signature_method") !== "HMAC-SHA1")
    return undefined;
  const expected = signature(call, fields, app.consumerSecret, known.secret);
  return sameText(expected, fields.get("oauth_signature") ?? "") ? { app, userId } : undefined;
}

function signature(
  call: Call,
  fields: ReadonlyMap<string, string>,
  consumerSecret: string,
  tokenSecret: string,
): string {
  const signed = [...fields].filter(([name]) => name !== "oauth_signature" && name !== "realm");
  const pairs = [...signed, ...call.query].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const base = [call.method, `${call.origin}${call.path}`, pairs.join("&")].map(encode).join("&");
  return createHmac("sha1", `${encode(consumerSecret)}&${encode(tokenSecret)}`)
    .update(base)
    .digest("base64");
}

function headerFields(authorization: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [, name = "", value = ""] of authorization.matchAll(/([a-z_]+)="([^"]*)"/g)) {
    fields.set(name, percentDecoded(value));
  }
  return fields;
}

/** RFC 3986, stricter than `encodeURIComponent`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
