import type { AuthInfo } from "@modelcontextprotocol/server";
import type { Surface } from "../surface.ts";

/** Somebody who calls with a token of their own, as the product knows them. */
export interface Principal {
  /** Tells it from all others: what audits name, and what questions and sessions are bound to. `agent:news` */
  readonly id: string;
  /** What it is offered of the app; everything where it is missing. */
  readonly surface?: Surface | undefined;
  /** Asked before each request on a connection that outlives the check of its token, such as stdio. */
  readonly isValid?: () => Promise<boolean>;
}

/** What a token says beyond the SDK's own fields. */
export interface TokenExtra extends Record<string, unknown> {
  readonly issuer?: string;
  readonly subject?: string | undefined;
  /** Whom the product knows by this token. */
  readonly principal?: Principal;
}

/** All callers that share the one token of a server. */
export const TOKEN_PRINCIPAL: Principal = { id: "token" };

/** Whom the product knows by the token of a request; undefined where it knows none by name. */
export function knownPrincipal(auth: AuthInfo | undefined): Principal | undefined {
  // Written by the transports of this library alone.
  return (auth?.extra as TokenExtra | undefined)?.principal;
}

/** A request with the token of somebody whom the product knows. */
export function authOf(token: string, principal: Principal): AuthInfo {
  return { token, clientId: principal.id, scopes: [], extra: { principal } satisfies TokenExtra };
}

/** Whom questions and sessions are bound to: a known principal, or one person through one OAuth client of one issuer. */
export function principalOf(auth: AuthInfo): string {
  return knownPrincipal(auth)?.id ?? JSON.stringify([auth.extra?.issuer, auth.extra?.subject, auth.clientId]);
}

/** The same for those who read an audit; undefined for a known principal, whose id is a name already. */
export function callerNameOf(auth: AuthInfo): string | undefined {
  if (knownPrincipal(auth) !== undefined) return undefined;
  const { clientId, extra } = auth;
  const subject = extra?.subject;
  return typeof subject === "string" && subject !== clientId ? `${clientId} for ${subject}` : clientId;
}
