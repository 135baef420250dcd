import { openRecords } from "@toolpact/contract/internal/sign-in";
import type { Kysely } from "kysely";
import type { Agent } from "../../agents/agent.ts";
import type { EffectiveConfig } from "../../config/effective-config.ts";
import type { Database } from "../../storage/database.ts";
import { sqlDatabase } from "../../storage/sql-database.ts";
import type { Store } from "../../storage/store.ts";
import { currentRole } from "./sign-in.ts";

type People = EffectiveConfig["people"];

/** Without clients that logged out, or whose person is no owner any more. */
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

/** The person's role is looked up as for a browser. */
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

/** For every server of the database. */
export function clientRecords(store: Store, now: number) {
  return openRecords(
    sqlDatabase(async () => store),
    SIGN_IN_SCOPE,
    () => now,
  );
}

export const SIGN_IN_SCOPE = "sign-in";
