import { type Access, availabilityOf } from "@toolpact/x-api";
import type { Kysely, Selectable } from "kysely";
import * as z from "zod";
import type { Database } from "../storage/database.ts";
import type { DiscoveredPostRow } from "../storage/engagement-tables.ts";
import { cleanText } from "../x/untrusted.ts";

/** A found post in the answer of a tool. */
export const discoveredTweet = z.object({
  id: z.string(),
  author_id: z.string(),
  author_username: z.string(),
  content: z.string(),
  like_count: z.number(),
  retweet_count: z.number(),
  reply_count: z.number(),
  impression_count: z.number().nullable(),
  relevance_score: z.number(),
  matched_keyword: z.string().nullable(),
  discovered_at: z.string(),
  replied_to: z.boolean(),
  can_reply: z.boolean().describe("Whether X lets this account reply, on its plan"),
});

export interface FeedQuery {
  readonly minScore: number;
  readonly limit: number;
}

/** Found posts that were not answered, best first. */
export async function unansweredPosts(
  db: Kysely<Database>,
  account: string,
  { minScore, limit }: FeedQuery,
): Promise<Selectable<DiscoveredPostRow>[]> {
  return db
    .selectFrom("discovered_posts")
    .selectAll()
    .where("account", "=", account)
    .where("answered", "=", 0)
    .where("score", ">=", minScore)
    .orderBy("score", "desc")
    .limit(limit)
    .execute();
}

export function feedEntry(
  row: Selectable<DiscoveredPostRow>,
  access: Access,
): z.input<typeof discoveredTweet> {
  return {
    id: row.id,
    author_id: row.author_id,
    author_username: row.author_username,
    content: cleanText(row.text),
    like_count: row.likes,
    retweet_count: row.reposts,
    reply_count: row.replies,
    impression_count: row.impressions,
    relevance_score: row.score,
    matched_keyword: row.matched_keyword,
    discovered_at: new Date(row.found_at).toISOString(),
    replied_to: row.answered === 1,
    can_reply: mayReply(row, access),
  };
}

/** Whether X is known to allow a reply to the post on this plan. */
export function mayReply({ is_summons }: Pick<DiscoveredPostRow, "is_summons">, access: Access): boolean {
  return availabilityOf("reply", access, { isSummoned: is_summons === 1 }).isAvailable === true;
}
