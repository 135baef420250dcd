import type { Caller } from "@toolpact/contract";
import type { Micros } from "@toolpact/contract/internal/money";
import type { WrittenLimit } from "../config/written-limit.ts";

export interface Agent {
  readonly name: string;
  /** Tools that it is offered, within the server's profile. */
  readonly profile: string;
  /** Accounts that it may act for. */
  readonly accounts: readonly string[];
  /** In addition to the account's. */
  readonly perDay: Micros | undefined;
  readonly perMonth: Micros | undefined;
  /** In addition to the account's. */
  readonly limits: readonly WrittenLimit[];
  /** In tokens of an OAuth issuer, if it signs in with those. */
  readonly subject: string | undefined;
  /** Set if somebody signed it in at the dashboard. */
  readonly client: SignedInClient | undefined;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  readonly usedAt: number | undefined;
}

export interface SignedInClient {
  readonly id: string;
  /** As claimed by the client. */
  readonly name: string;
  /** Got the code, as a host or private scheme. */
  readonly host: string;
  /** The host that published its metadata; null if nobody vouches for the name. */
  readonly verified_by: string | null;
  readonly person: string;
  /** How the person was signed in, and at which account's dashboard. */
  readonly signed_in_by: string;
  readonly account: string;
  readonly grant: string;
}

export function clientView({ name, host, verified_by, person }: SignedInClient) {
  return { name, host, verified_by, person };
}

/** Named by the tokens of a signed-in agent. */
export function grantSubject(grant: string): string {
  return `grant ${grant}`;
}

const PREFIX = "agent:";

/** For callers, audits and the ledger. No client can claim such a name. */
export function agentId({ name }: Pick<Agent, "name">): string {
  return `${PREFIX}${name}`;
}

/** Undefined for the id of anyone else. */
export function agentName(id: string | null | undefined): string | undefined {
  return id?.startsWith(PREFIX) ? id.slice(PREFIX.length) : undefined;
}

/** The agent of the call's token, or the name the client claims. A claim to a reserved name is quoted. */
export function clientName({ transport, client, principal }: Caller, isOwnCall = false): string | undefined {
  if (agentName(principal) !== undefined) return principal;
  const isClaim = (transport === "stdio" || transport === "http") && !isOwnCall;
  return isClaim && client !== undefined && RESERVED.test(client)
    ? `client ${JSON.stringify(client)}`
    : client;
}

const RESERVED = /^\s*(agent|loop|page)\s*:|^(tuitbot|command line|approval|client .*)$/i;

/** By its token, its claimed name, or its transport. */
export function callerName(caller: Caller, isOwnCall?: boolean): string {
  const { client, transport } = caller;
  if (transport === "web") return `page: ${client ?? "somebody"}`;
  return clientName(caller, isOwnCall) ?? (transport === "cli" ? "command line" : transport);
}
