import type { AuthInfo } from "@modelcontextprotocol/server";

/** What a token says beyond the SDK's own fields. */
export interface TokenExtra extends Record<string, unknown> {
  readonly issuer: string;
  readonly subject: string | undefined;
}

/** All callers that share the one token of a server. */
export const TOKEN_PRINCIPAL = "token";

/** One person through one OAuth client of one issuer: what questions and sessions are bound to. */
export function principalOf(auth: AuthInfo): string {
  return JSON.stringify([auth.extra?.issuer, auth.extra?.subject, auth.clientId]);
}

/** The same for those who read an audit. */
export function callerNameOf({ clientId, extra }: AuthInfo): string {
  const subject = extra?.subject;
  return typeof subject === "string" && subject !== clientId ? `${clientId} for ${subject}` : clientId;
}
