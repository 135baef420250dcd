import type { Caller } from "@toolpact/contract";
import type { Micros } from "@toolpact/contract/internal/money";
import type { WrittenLimit } from "../config/written-limit.ts";

/** An agent that signs in with its own token, and its permissions. */
export interface Agent {
  readonly name: string;
  /** The tools it is offered. Cannot exceed the server's profile. */
  readonly profile: string;
  /** Names of the accounts that it may act for. */
  readonly accounts: readonly string[];
  /** Its daily spending cap, on top of the account's. */
  readonly perDay: Micros | undefined;
  readonly perMonth: Micros | undefined;
  /** Its limits, on top of the account's. */
  readonly limits: readonly WrittenLimit[];
  /** The subject in tokens of an OAuth issuer, if it signs in with those. */
  readonly subject: string | undefined;
  /** Set if somebody signed it in at the dashboard. */
  readonly client: SignedInClient | undefined;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  readonly usedAt: number | undefined;
}

/** A client that was added by URL, and the person who signed it in. */
export interface SignedInClient {
  readonly id: string;
  /** The name that it gives itself. */
  readonly name: string;
  /** The host, or the private scheme, that got the code. */
  readonly host: string;
  /** The host that published its description; null if nobody vouches for the name. */
  readonly verified_by: string | null;
  readonly person: string;
  /** How the person was signed in, and at the dashboard of which X account. */
  readonly signed_in_by: string;
  readonly account: string;
  readonly grant: string;
}

/** The public part of a signed-in client. */
export function clientView({ name, host, verified_by, person }: SignedInClient) {
  return { name, host, verified_by, person };
}

/** The subject of an agent that was signed in, which its tokens name. */
export function grantSubject(grant: string): string {
  return `grant ${grant}`;
}

const PREFIX = "agent:";

/** How callers, audits and the ledger name an agent. No client can give itself such a name. */
export function agentId({ name }: Pick<Agent, "name">): string {
  return `${PREFIX}${name}`;
}

/** The name of the agent in an id; undefined where it is the id of somebody else. */
export function agentName(id: string | null | undefined): string | undefined {
  return id?.startsWith(PREFIX) ? id.slice(PREFIX.length) : undefined;
}

/**
 * Names the caller: the agent whose token came with the call, or else the name the client claims. Names that tuitbot
 * assigns are reserved, so a claim to one is put in quotes.
 */
export function clientName({ transport, client, principal }: Caller, isOwnCall = false): string | undefined {
  if (agentName(principal) !== undefined) return principal;
  const isClaim = (transport === "stdio" || transport === "http") && !isOwnCall;
  return isClaim && client !== undefined && RESERVED.test(client)
    ? `client ${JSON.stringify(client)}`
    : client;
}

const RESERVED = /^\s*(agent|loop|page)\s*:|^(tuitbot|command line|approval|client .*)$/i;

/** A caller by its token, by the name that it gave itself, or by where it is. */
export function callerName(caller: Caller, isOwnCall?: boolean): string {
  const { client, transport } = caller;
  if (transport === "web") return `page: ${client ?? "somebody"}`;
  return clientName(caller, isOwnCall) ?? (transport === "cli" ? "command line" : transport);
}
