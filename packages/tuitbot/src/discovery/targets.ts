import type { Kysely } from "kysely";
import type { Config } from "../config/schema.ts";
import type { Database } from "../storage/database.ts";

export interface Target {
  /** Null before it was looked up. */
  account_id: string | null;
  username: string;
  followed_at: string | null;
  first_engagement_at: string | null;
  total_replies_sent: number;
  last_reply_at: string | null;
  last_checked_at: string | null;
  status: "active";
}

/** With the interactions. */
export async function targetsOf(
  db: Kysely<Database>,
  account: string,
  { targets }: Pick<Config, "targets">,
): Promise<Target[]> {
  const rows = await db
    .selectFrom("targets")
    .leftJoin("authors", (join) =>
      join
        .onRef("authors.account", "=", "targets.account")
        .onRef("authors.author_id", "=", "targets.author_id"),
    )
    .select([
      "targets.name_key",
      "targets.username",
      "targets.author_id",
      "targets.checked_at",
      "authors.replies",
      "authors.first_at",
      "authors.last_at",
    ])
    .where("targets.account", "=", account)
    .execute();
  const known = new Map(rows.map((row) => [row.name_key, row]));
  return Promise.all(
    targetNames({ targets }).map(async (username) => {
      const row = known.get(username.toLowerCase());
      const authorId = row?.author_id ?? null;
      return {
        account_id: authorId,
        username: row?.username ?? username,
        followed_at: timeOf(authorId === null ? null : await followedAt(db, account, authorId)),
        first_engagement_at: timeOf(row?.first_at),
        total_replies_sent: row?.replies ?? 0,
        last_reply_at: timeOf(row?.last_at),
        last_checked_at: timeOf(row?.checked_at),
        status: "active" as const,
      };
    }),
  );
}

/** Without @ and duplicates. */
export function targetNames({ targets }: Pick<Config, "targets">): readonly string[] {
  const names = targets.accounts.map((name) => name.trim().replace(/^@/, ""));
  return [...new Map(names.filter((name) => name !== "").map((name) => [name.toLowerCase(), name])).values()];
}

/** Through tuitbot, unless undone. */
async function followedAt(
  db: Kysely<Database>,
  account: string,
  authorId: string,
): Promise<number | undefined> {
  const step = await db
    .selectFrom("steps")
    .select("sent_at")
    .where("account", "=", account)
    .where("makes", "=", `follow:${authorId}`)
    .executeTakeFirst();
  return step?.sent_at;
}

function timeOf(at: number | null | undefined): string | null {
  return at === undefined || at === null ? null : new Date(at).toISOString();
}
