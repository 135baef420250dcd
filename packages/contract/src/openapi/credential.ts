import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { OpenApiFacts } from "./operations.ts";

/** Looked up for every request. */
export type Secret =
  | { readonly env: string }
  | ((operation: OpenApiFacts, signal: AbortSignal) => string | Promise<string>);

/**
 * Set by the operator. The document's security section is ignored, because it could send a credential to
 * another host.
 */
export type Credential =
  | { readonly bearer: Secret }
  | { readonly basic: { readonly user: string; readonly password: Secret } }
  | { readonly header: string; readonly value: Secret }
  | { readonly query: string; readonly value: Secret };

export interface Proof {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Must not appear in answers or messages. */
  readonly secrets: readonly string[];
}

export const NO_PROOF: Proof = { headers: {}, query: {}, secrets: [] };

/** Or the reason there are none, without the secret. */
export async function proofOf(
  credential: Credential,
  operation: OpenApiFacts,
  signal: AbortSignal,
): Promise<Outcome<Proof, string>> {
  const found = await secretOf(secretIn(credential), operation, signal);
  if (!found.ok) return found;
  const secret = found.value;
  if (!/^[\x20-\x7e]+$/.test(secret))
    return failed("The credential holds characters that cannot be sent in a request.");
  if ("query" in credential)
    return ok({ ...NO_PROOF, query: { [credential.query]: secret }, secrets: forms(secret) });
  if ("header" in credential)
    return ok({ ...NO_PROOF, headers: { [credential.header]: secret }, secrets: forms(secret) });
  if ("bearer" in credential)
    return ok({ ...NO_PROOF, headers: { authorization: `Bearer ${secret}` }, secrets: forms(secret) });
  const pair = base64(`${credential.basic.user}:${secret}`);
  return ok({ ...NO_PROOF, headers: { authorization: `Basic ${pair}` }, secrets: [...forms(secret), pair] });
}

/** Names in header or query that arguments may not set. */
export function namesOf(credential: Credential | undefined): readonly string[] {
  if (credential === undefined) return [];
  if ("query" in credential) return [credential.query.toLowerCase()];
  return "header" in credential ? [credential.header.toLowerCase()] : [];
}

function secretIn(credential: Credential): Secret {
  if ("bearer" in credential) return credential.bearer;
  return "basic" in credential ? credential.basic.password : credential.value;
}

async function secretOf(
  secret: Secret,
  operation: OpenApiFacts,
  signal: AbortSignal,
): Promise<Outcome<string, string>> {
  if (typeof secret !== "function") {
    const value = process.env[secret.env];
    return value ? ok(value) : failed(`The environment variable ${secret.env} is not set.`);
  }
  try {
    const value = await secret(operation, signal);
    return value === "" ? failed("The credential is empty.") : ok(value);
  } catch {
    // The error may contain the secret.
    return failed("The credential could not be looked up.");
  }
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** Masking shorter ones would garble answers. */
const SHORTEST_MASKED = 6;

/** In plain form, URL-encoded, and as JSON. */
function forms(secret: string): string[] {
  if (secret.length < SHORTEST_MASKED) return [];
  return [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])];
}
