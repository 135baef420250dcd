import { type Access, availabilityOf } from "@toolpact/x-api";
import { type Kysely, type Selectable, type SqlBool, sql } from "kysely";
import * as z from "zod";
import type { Database } from "../storage/database.ts";
import { type Page, type PageRequest, pageOf } from "../storage/page.ts";
import type { DiscoveredPostRow } from "../storage/tables/publication-tables.ts";
import { type PostView, postInList, postShape, postUrl } from "../x/shapes/post.ts";
import { cleanText } from "../x/untrusted.ts";
import { type FoundPost, UNKNOWN_AUTHOR } from "./found-post.ts";

export const discoveredTweet = z.object({
  ...postShape,
  author_id: z.string(),
  score_total: z.number().describe("0 to 100"),
  matched_keyword: z.string().nullable(),
  discovered_at: z.string(),
  replied_to: z.boolean(),
  can_reply: z.boolean().describe("Whether X lets this account reply, as far as is known"),
});

export interface FeedQuery extends PageRequest<FeedKey> {
  readonly minScore: number;
}

export type FeedKey = [score: number, id: string];

/** Neither answered nor dismissed, best first. */
export async function unansweredPosts(
  db: Kysely<Database>,
  account: string,
  { minScore, limit, after }: FeedQuery,
): Promise<Page<Selectable<DiscoveredPostRow>>> {
  const rows = await db
    .selectFrom("discovered_posts")
    .selectAll()
    .where("account", "=", account)
    .where("answered", "=", 0)
    .where((eb) => eb.or([eb("handled", "is", null), eb("handled", "!=", "done")]))
    .where("score", ">=", minScore)
    .$if(after !== undefined, (query) =>
      query.where(sql<SqlBool>`(score, id) < (${after?.[0]}, ${after?.[1]})`),
    )
    .orderBy("score", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  return pageOf(rows, limit, ({ score, id }) => [score, id]);
}

export function feedEntry(
  row: Selectable<DiscoveredPostRow>,
  access: Access,
): z.input<typeof discoveredTweet> {
  return {
    ...postInList(
      postView({
        id: row.id,
        authorUsername: row.author_username,
        authorFollowers: row.author_followers,
        text: row.text,
        postedAt: row.posted_at ?? undefined,
        likes: row.likes,
        reposts: row.reposts,
        replies: row.replies,
        impressions: row.impressions ?? undefined,
      }),
    ),
    author_id: row.author_id,
    score_total: row.score,
    matched_keyword: row.matched_keyword,
    discovered_at: new Date(row.found_at).toISOString(),
    replied_to: row.answered === 1,
    can_reply: mayReply(row, access),
  };
}

type ViewedPost = Pick<
  FoundPost,
  | "id"
  | "authorUsername"
  | "authorFollowers"
  | "text"
  | "postedAt"
  | "likes"
  | "reposts"
  | "replies"
  | "impressions"
>;

export function postView(found: ViewedPost): PostView {
  const { id, authorUsername, authorFollowers, text, postedAt, likes, reposts, replies, impressions } = found;
  return {
    id,
    author: `@${authorUsername}`,
    author_followers: authorFollowers,
    text: cleanText(text),
    ...(postedAt !== undefined && { created_at: new Date(postedAt).toISOString() }),
    likes,
    reposts,
    replies,
    ...(impressions !== undefined && { views: impressions }),
    url: postUrl(id, authorUsername === UNKNOWN_AUTHOR ? undefined : authorUsername),
  };
}

/** By plan, the author's choice and earlier refusals. It is unknown if the author follows this account. */
export function mayReply(post: ReplyFacts, access: Access): boolean {
  return whyNoReply(post, access) === undefined;
}

type ReplyFacts = Pick<DiscoveredPostRow, "is_summons" | "reply_settings" | "reply_refused">;

/** Undefined if X allows one, as far as known. */
export function whyNoReply(
  { is_summons, reply_settings, reply_refused }: ReplyFacts,
  access: Access,
): string | undefined {
  const isSummoned = is_summons === 1;
  if (reply_refused !== 0) return "X has refused a reply to it before.";
  if (availabilityOf("reply", access, { isSummoned }).isAvailable !== true)
    return "X lets this plan reply only to people who mentioned or quoted you.";
  const isOpen = reply_settings === null || reply_settings === "everyone" || isSummoned;
  return isOpen ? undefined : "Its author lets only some people reply.";
}

/** Only to people who mentioned or quoted the account. */
export function repliesNeedSummons(access: Access): boolean {
  return availabilityOf("reply", access, { isSummoned: false }).isAvailable === false;
}
