import type { Kysely } from "kysely";
import type { Config } from "../config/schema.ts";
import type { Database } from "../storage/database.ts";

export interface Target {
  /** Null until X was asked. */
  account_id: string | null;
  username: string;
  followed_at: string | null;
  first_engagement_at: string | null;
  total_replies_sent: number;
  last_reply_at: string | null;
  last_checked_at: string | null;
  status: "active";
}

/** The accounts that the operator wants to follow up on, and what there has been with each. */
export async function targetsOf(
  db: Kysely<Database>,
  account: string,
  { targets }: Pick<Config, "targets">,
): Promise<Target[]> {
  const shown: Target[] = [];
  for (const username of targetNames({ targets })) {
    const target = await db
      .selectFrom("targets")
      .select(["username", "author_id", "checked_at"])
      .where("account", "=", account)
      .where("name_key", "=", username.toLowerCase())
      .executeTakeFirst();
    const authorId = target?.author_id ?? null;
    const sums = authorId === null ? undefined : await sumsOf(db, account, authorId);
    shown.push({
      account_id: authorId,
      username: target?.username ?? username,
      followed_at: timeOf(authorId === null ? undefined : await followedAt(db, account, authorId)),
      first_engagement_at: timeOf(sums?.first_at),
      total_replies_sent: sums?.replies ?? 0,
      last_reply_at: timeOf(sums?.last_at),
      last_checked_at: timeOf(target?.checked_at),
      status: "active",
    });
  }
  return shown;
}

/** Names without @, each once. */
export function targetNames({ targets }: Pick<Config, "targets">): readonly string[] {
  const names = targets.accounts.map((name) => name.trim().replace(/^@/, ""));
  return [...new Map(names.filter((name) => name !== "").map((name) => [name.toLowerCase(), name])).values()];
}

function sumsOf(db: Kysely<Database>, account: string, authorId: string) {
  return db
    .selectFrom("authors")
    .select(["replies", "first_at", "last_at"])
    .where("account", "=", account)
    .where("author_id", "=", authorId)
    .executeTakeFirst();
}

/** When this account followed somebody through here; what was undone since is not found. */
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

function timeOf(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
