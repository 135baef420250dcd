import { openRecords } from "@toolpact/contract/internal/sign-in";
import type { Kysely } from "kysely";
import type { Agent } from "../../agents/agent.ts";
import type { EffectiveConfig } from "../../config/effective-config.ts";
import type { Database } from "../../storage/database.ts";
import { sqlDatabase } from "../../storage/sql-database.ts";
import type { Store } from "../../storage/store.ts";
import { currentRole } from "./sign-in.ts";

type People = EffectiveConfig["people"];

/** Returns those agents that may call now, without clients that logged out or whose person is no longer an owner. */
export async function activeAgents(
  store: Store,
  agents: readonly Agent[],
  people: People,
  now: number,
): Promise<ReadonlySet<Agent>> {
  const admitted = agents.filter(
    ({ revokedAt, expiresAt }) => revokedAt === undefined && !(expiresAt !== undefined && expiresAt <= now),
  );
  const records = admitted.some(({ client }) => client !== undefined)
    ? await clientRecords(store, now)
    : undefined;
  const active = new Set<Agent>();
  for (const agent of admitted) {
    const { client } = agent;
    const isGranted = client === undefined || (await records?.find("Grant", client.grant)) !== undefined;
    if (isGranted && (await isOwned(store.db, agent, people, now))) active.add(agent);
  }
  return active;
}

/** False for a client whose person is no longer an owner. The role is looked up as for a browser of that person. */
export async function isOwned(
  db: Kysely<Database>,
  { client }: Agent,
  people: People,
  now: number,
): Promise<boolean> {
  if (client === undefined) return true;
  const { person, signed_in_by, account } = client;
  return (await currentRole(people)(person, signed_in_by, { db, account, now })) === "owner";
}

/** The codes, tokens and grants of clients that any server of the database has given. */
export function clientRecords(store: Store, now: number) {
  return openRecords(
    sqlDatabase(async () => store),
    SIGN_IN_SCOPE,
    () => now,
  );
}

/** The owner of these rows. */
export const SIGN_IN_SCOPE = "sign-in";
