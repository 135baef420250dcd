import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";

/** A request to X whose answer, or lack of one, is known. */
export interface SettledRequest {
  readonly at: number;
  /** X refused it or did not answer. */
  readonly hasFailed: boolean;
}

/** The latest of any process; undefined where X was not asked anything yet. */
export async function lastSettledRequest(
  db: Kysely<Database>,
  account: string,
): Promise<SettledRequest | undefined> {
  const row = await db
    .selectFrom("ledger")
    .select(["at", "failed"])
    .where("account", "=", account)
    .where("settled_micros", "is not", null)
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && { at: Number(row.at), hasFailed: Number(row.failed) !== 0 };
}
