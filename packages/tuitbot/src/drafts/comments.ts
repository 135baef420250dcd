import type { Kysely } from "kysely";
import type { Database } from "../storage/database.ts";
import type { DraftContext } from "./draft.ts";

/** Not published. */
export interface Comment {
  readonly id: number;
  readonly at: string;
  readonly author: string;
  /** Then the words are untrusted. */
  readonly is_agent: boolean;
  readonly text: string;
}

interface NewComment {
  readonly draft: number;
  readonly author: string;
  readonly isAgent: boolean;
  readonly text: string;
}

export async function addComment(
  db: Kysely<Database>,
  { account, now }: Pick<DraftContext, "account" | "now">,
  { draft: draft_id, author, isAgent, text }: NewComment,
): Promise<void> {
  const is_agent = isAgent ? 1 : 0;
  await db
    .insertInto("draft_comments")
    .values({ draft_id, account, at: now(), author, is_agent, text })
    .execute();
}

/** Oldest first. */
export async function commentsOf({ store, account }: DraftContext, draft: number): Promise<Comment[]> {
  const rows = await store.db
    .selectFrom("draft_comments")
    .selectAll()
    .where("account", "=", account)
    .where("draft_id", "=", draft)
    .orderBy("id")
    .execute();
  return rows.map(({ id, at, author, is_agent, text }) => ({
    ...{ id, author, text, at: new Date(at).toISOString() },
    is_agent: is_agent === 1,
  }));
}

/** False if there is none, or it is another person's. */
export async function removeComment(
  { store, account }: DraftContext,
  id: number,
  author: string,
): Promise<boolean> {
  const removed = await store.db
    .deleteFrom("draft_comments")
    .where("account", "=", account)
    .where("id", "=", id)
    .where((eb) => eb.or([eb("author", "=", author), eb("is_agent", "=", 1)]))
    .executeTakeFirst();
  return removed.numDeletedRows > 0n;
}
