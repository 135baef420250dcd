import type { Caller } from "@toolpact/contract";
import type { Micros } from "@toolpact/contract/internal/money";
import type { WrittenLimit } from "../config/written-limit.ts";

/** An agent with a token of its own, and what it may do. */
export interface Agent {
  readonly name: string;
  /** What it is offered, never more than the server has. */
  readonly profile: string;
  /** Names of the accounts that it may act for. */
  readonly accounts: readonly string[];
  /** The most that it may spend, beside what holds for the account. */
  readonly perDay: Micros | undefined;
  readonly perMonth: Micros | undefined;
  /** Limits of its own, beside those of the account. */
  readonly limits: readonly WrittenLimit[];
  /** Whom an issuer names, where it comes with the tokens of one. */
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
 * Who makes a call: the agent whose token it came with, or else who the client says it is. Names that tuitbot gives are
 * not for clients to take, so that a claim to one is quoted.
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
