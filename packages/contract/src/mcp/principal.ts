import type { AuthInfo } from "@modelcontextprotocol/server";
import type { Surface } from "../surface.ts";

/** A caller with its own token, as the product knows it. */
export interface Principal {
  /** A unique name for audits; questions and sessions are bound to it. Example: `agent:news` */
  readonly id: string;
  /** The part of the app that it may use; everything by default. */
  readonly surface?: Surface | undefined;
  /** Checked before each request on a connection that outlives its token check, such as stdio. */
  readonly isValid?: () => Promise<boolean>;
}

/** Our fields in the SDK's token info. */
export interface TokenExtra extends Record<string, unknown> {
  readonly issuer?: string;
  readonly subject?: string | undefined;
  /** The product's principal for this token. */
  readonly principal?: Principal;
}

/** The principal of all callers that share the server's token. */
export const TOKEN_PRINCIPAL: Principal = { id: "token" };

/** The product's principal for the token of a request, if there is one. */
export function knownPrincipal(auth: AuthInfo | undefined): Principal | undefined {
  // Set only by the transports of this library.
  return (auth?.extra as TokenExtra | undefined)?.principal;
}

/** Token info for a principal of the product. */
export function authOf(token: string, principal: Principal): AuthInfo {
  return { token, clientId: principal.id, scopes: [], extra: { principal } satisfies TokenExtra };
}

/** The identity that questions and sessions are bound to: a principal, or issuer, subject and client of an OAuth token. */
export function principalOf(auth: AuthInfo): string {
  return knownPrincipal(auth)?.id ?? JSON.stringify([auth.extra?.issuer, auth.extra?.subject, auth.clientId]);
}

/** The identity for audits; undefined for a principal, whose id is readable already. */
export function callerNameOf(auth: AuthInfo): string | undefined {
  if (knownPrincipal(auth) !== undefined) return undefined;
  const { clientId, extra } = auth;
  const subject = extra?.subject;
  return typeof subject === "string" && subject !== clientId ? `${clientId} for ${subject}` : clientId;
}
