import { createHash, randomBytes } from "node:crypto";
import { MINUTE_MS } from "@toolpact/contract/internal";
import type { Kysely, Selectable } from "kysely";
import type { WrittenLimit } from "../config/written-limit.ts";
import type { Database } from "../storage/database.ts";
import type { AgentRow } from "../storage/tables/access-tables.ts";
import type { Agent, SignedInClient } from "./agent.ts";

export type NewAgent = Omit<Agent, "createdAt" | "revokedAt" | "usedAt" | "client"> & {
  readonly client?: SignedInClient;
};

/** Adds or replaces an agent. Returns its token, which is not stored; undefined if an issuer issues its tokens. */
export async function saveAgent(
  db: Kysely<Database>,
  agent: NewAgent,
  now: number,
): Promise<string | undefined> {
  const token = agent.subject === undefined ? newToken() : undefined;
  const row = {
    token_hash: token === undefined ? null : hashOf(token),
    subject: agent.subject ?? null,
    client_json: agent.client === undefined ? null : JSON.stringify(agent.client),
    profile: agent.profile,
    accounts_json: JSON.stringify(agent.accounts),
    day_micros: agent.perDay ?? null,
    month_micros: agent.perMonth ?? null,
    limits_json: JSON.stringify(agent.limits),
    created_at: now,
    expires_at: agent.expiresAt ?? null,
    revoked_at: null,
    used_at: null,
  };
  await db
    .insertInto("agents")
    .values({ name: agent.name, ...row })
    .onConflict((conflict) => conflict.column("name").doUpdateSet(row))
    .execute();
  return token;
}

/** Undefined if no such agent has a token. */
export async function rotateToken(db: Kysely<Database>, name: string): Promise<string | undefined> {
  const token = newToken();
  const changed = await db
    .updateTable("agents")
    .set({ token_hash: hashOf(token) })
    .where("name", "=", name)
    .where("subject", "is", null)
    .where("revoked_at", "is", null)
    .returning("name")
    .execute();
  return changed.length === 0 ? undefined : token;
}

/** From its next call on. False if no such agent may call. */
export async function changeAgent(
  db: Kysely<Database>,
  name: string,
  { profile, perDay, perMonth, limits }: Partial<Pick<Agent, "profile" | "perDay" | "perMonth" | "limits">>,
): Promise<boolean> {
  const changed = await db
    .updateTable("agents")
    .set({
      ...(profile !== undefined && { profile }),
      ...(perDay !== undefined && { day_micros: perDay }),
      ...(perMonth !== undefined && { month_micros: perMonth }),
      ...(limits !== undefined && { limits_json: JSON.stringify(limits) }),
    })
    .where("name", "=", name)
    .where("revoked_at", "is", null)
    .returning("name")
    .execute();
  return changed.length > 0;
}

/** From its next call on. False if there was none. */
export async function revokeAgent(db: Kysely<Database>, name: string, now: number): Promise<boolean> {
  const revoked = await db
    .updateTable("agents")
    .set({ token_hash: null, revoked_at: now })
    .where("name", "=", name)
    .where("revoked_at", "is", null)
    .returning("name")
    .execute();
  return revoked.length > 0;
}

export async function listAgents(db: Kysely<Database>): Promise<readonly Agent[]> {
  const rows = await db.selectFrom("agents").selectAll().orderBy("name").execute();
  return rows.map(agentFrom);
}

export function agentWithToken(db: Kysely<Database>, token: string, now: number): Promise<Agent | undefined> {
  return admitted(db, { token_hash: hashOf(token) }, now);
}

export function agentWithSubject(
  db: Kysely<Database>,
  subject: string,
  now: number,
): Promise<Agent | undefined> {
  return admitted(db, { subject }, now);
}

/** As `Account.findAgent`. */
export async function findAgent(db: Kysely<Database>, name: string): Promise<Agent | undefined> {
  const row = await db.selectFrom("agents").selectAll().where("name", "=", name).executeTakeFirst();
  return row && agentFrom(row);
}

async function admitted(
  db: Kysely<Database>,
  by: { readonly token_hash: string } | { readonly subject: string },
  now: number,
): Promise<Agent | undefined> {
  const all = db.selectFrom("agents").selectAll().where("revoked_at", "is", null);
  const row = await ("subject" in by
    ? all.where("subject", "=", by.subject)
    : all.where("token_hash", "=", by.token_hash)
  ).executeTakeFirst();
  if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) return undefined;
  // Rounded to the minute to avoid a write per call.
  if (now - (row.used_at ?? 0) >= MINUTE_MS)
    await db.updateTable("agents").set({ used_at: now }).where("name", "=", row.name).execute();
  return agentFrom(row);
}

function agentFrom(row: Selectable<AgentRow>): Agent {
  return {
    name: row.name,
    profile: row.profile,
    // Written as JSON of these shapes.
    accounts: JSON.parse(row.accounts_json) as string[],
    limits: JSON.parse(row.limits_json) as WrittenLimit[],
    perDay: row.day_micros ?? undefined,
    perMonth: row.month_micros ?? undefined,
    subject: row.subject ?? undefined,
    client: row.client_json === null ? undefined : (JSON.parse(row.client_json) as SignedInClient),
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    usedAt: row.used_at ?? undefined,
  };
}

/** Scanners of leaked secrets recognize it. */
const TOKEN_PREFIX = "tuitbot_agent_";

function newToken(): string {
  return `${TOKEN_PREFIX}${randomBytes(32).toString("base64url")}`;
}

/**
 * A token is 256 random bits, so a fast hash is safe, and every call pays for it. Looking it up by hash leaks
 * no timing.
 */
function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
