import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import type { Bug } from "./pipeline.ts";

const SECRET_KEY =
  /token|secret|passw(or)?d|passphrase|authorization|bearer|signature|cookie|(api|private|access)[-_]?key|credential|(^|[-_])(auth|pwd|otp)($|[-_])/i;
const MASK = "[secret]";

/**
 * Patterns of secrets. In a URL, the part before `@` is user and password. Bounded repetitions keep matching
 * linear.
 */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^/\s"'<>?#]*@/gi, `$1${MASK}@`],
  [
    /([?&](?:[a-z0-9_.-]{0,30}[-_.])?(?:api-?key|key|(?:access|auth|id|refresh)?-?token|secret|passw(?:or)?d|pwd|signature|sig|auth|credential|code)=)[^&#\s"'<>]+/gi,
    `$1${MASK}`,
  ],
  ...[
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    /\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]{1,20}[-_]){0,4}[A-Za-z0-9]{16,}\b/g,
    /\bgh[pousr]_[A-Za-z0-9]{20,}\b/g,
    /\bgithub_pat_[A-Za-z0-9_]{20,}\b/g,
    /\bxox[abprs]-[A-Za-z0-9-]{10,}\b/g,
    /\bAKIA[0-9A-Z]{16}\b/g,
    /\beyJ[A-Za-z0-9_-]{8,500}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
    /\bBearer\s+[A-Za-z0-9._~+/-]{8,}=*/gi,
  ].map((shape) => [shape, MASK] as const),
];

/** Shorter ones would mask ordinary words. */
const SHORTEST_HELD = 6;

/**
 * Masks everything in a text that looks like a secret, and the secrets in `held`.
 *
 * ```ts
 * maskSecrets("postgres://ana:hunter2@db/x"); // "postgres://[secret]@db/x"
 * ```
 */
export function maskSecrets(text: string, held: readonly string[] = []): string {
  const known = held.filter((secret) => secret.length >= SHORTEST_HELD);
  const masked = known.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
  return SHAPES.reduce((rest, [shape, mask]) => rest.replace(shape, mask), masked);
}

/**
 * A copy without secrets for records: by names of members, in pairs of `key` and `value`, in JSON texts, in
 * headers, and by their looks.
 */
export function redact(value: JsonObject): JsonObject {
  const { key: pairName, value: pairValue } = value;
  const isSecretPair = typeof pairName === "string" && pairValue !== undefined && SECRET_KEY.test(pairName);
  const redacted: [string, Json | undefined][] = [];
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (SECRET_KEY.test(key) || (isSecretPair && key === "value")) redacted.push([key, MASK]);
    else redacted.push([key, key.toLowerCase() === "headers" ? withoutValues(member) : inner(member)]);
  }
  return Object.fromEntries(redacted);
}

function inner(value: unknown): Json | undefined {
  if (value instanceof Date || value instanceof URL) return maskSecrets(value.toJSON());
  if (Array.isArray(value)) return value.map((item) => inner(item) ?? null);
  if (typeof value === "object" && value !== null) return redact(value as JsonObject);
  if (typeof value === "string") return maskSecrets(redactedJson(value) ?? value);
  // Anything else came from JSON unchanged.
  return value as Json | undefined;
}

/** Names stay. Any value may be a secret. */
function withoutValues(headers: unknown): Json | undefined {
  if (Array.isArray(headers))
    return headers.map(
      (pair) => inner(isJsonObject(pair) && "value" in pair ? { ...pair, value: MASK } : pair) ?? null,
    );
  if (!isJsonObject(headers)) return inner(headers);
  return Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]));
}

/** Undefined if it is not JSON, or contains no secret. */
function redactedJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    const masked = JSON.stringify(inner(parsed));
    return masked === JSON.stringify(parsed) ? undefined : masked;
  } catch {
    return undefined;
  }
}

/** Only the trace: other members may contain a request's token. Cut, because a message may quote an argument. */
export function bugText({ reference, where, error }: Bug): string {
  const trace = maskSecrets((error instanceof Error && error.stack) || "unknown error");
  const cut = trace.length > MAX_TRACE ? `${trace.slice(0, MAX_TRACE).toWellFormed()}…` : trace;
  return `${where} failed (${reference}): ${cut}`;
}

const MAX_TRACE = 4_000;
