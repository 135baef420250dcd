import type { Kysely } from "kysely";
import type { Config } from "../config/schema.ts";
import type { Database } from "../storage/database.ts";
import type { Session } from "../storage/store.ts";
import type { DiscoveredPostRow, DiscoverySource } from "../storage/tables/publication-tables.ts";
import type { FoundPost } from "./found-post.ts";
import { type Score, scorePost, scoringKeywords } from "./score.ts";
import { hasWords, searchedWords } from "./words.ts";

export interface ScoredPost extends FoundPost {
  readonly score: Score;
  readonly matchedKeywords: readonly string[];
  readonly isAnswered: boolean;
  /** X has refused a reply to it. */
  readonly isRefused: boolean;
}

export interface ScoringOptions {
  readonly config: Pick<Config, "scoring" | "business">;
  readonly source: DiscoverySource;
  readonly query?: string | undefined;
  readonly now: number;
}

/** Stored posts get new metrics and scores. */
export async function rememberPosts(
  { store, account }: Session,
  found: readonly FoundPost[],
  setting: ScoringOptions,
): Promise<readonly ScoredPost[]> {
  if (found.length === 0) return [];
  const posts = [...new Map(found.map((post) => [post.id, post])).values()];
  const { answered, refused } = await repliesTo(
    { store, account },
    posts.map(({ id }) => id),
  );
  const scored = posts.map((post) => ({
    ...withScore(post, setting),
    isAnswered: answered.has(post.id),
    isRefused: refused.has(post.id),
  }));
  await store.db
    .insertInto("discovered_posts")
    .values(scored.map((post) => rowOf(account, post, setting)))
    .onConflict((conflict) =>
      conflict.columns(["account", "id"]).doUpdateSet(({ ref, fn, case: when }) => ({
        author_username: ref("excluded.author_username"),
        author_followers: ref("excluded.author_followers"),
        text: ref("excluded.text"),
        likes: ref("excluded.likes"),
        reposts: ref("excluded.reposts"),
        replies: ref("excluded.replies"),
        impressions: fn.coalesce("excluded.impressions", "discovered_posts.impressions"),
        score: ref("excluded.score"),
        matched_keyword: ref("excluded.matched_keyword"),
        seen_at: ref("excluded.seen_at"),
        answered: ref("excluded.answered"),
        about_id: fn.coalesce("excluded.about_id", "discovered_posts.about_id"),
        reply_settings: fn.coalesce("excluded.reply_settings", "discovered_posts.reply_settings"),
        // It mentions the account, however it is found later.
        is_summons: when()
          .when("excluded.is_summons", "=", 1)
          .then(1)
          .else(ref("discovered_posts.is_summons"))
          .end(),
        source: when()
          .when("excluded.source", "=", "mention")
          .then(ref("excluded.source"))
          .else(ref("discovered_posts.source"))
          .end(),
      })),
    )
    .execute();
  return scored;
}

function withScore(
  post: FoundPost,
  { config, query, now }: ScoringOptions,
): Omit<ScoredPost, "isAnswered" | "isRefused"> {
  const keywords = scoringKeywords(config);
  const searched = query === undefined ? [] : searchedWords(query);
  const { authorFollowers: followers, postedAt: createdAt } = post;
  return {
    ...post,
    score: scorePost({ ...post, followers, createdAt }, { weights: config.scoring, keywords, searched, now }),
    matchedKeywords: keywords.filter((keyword) => hasWords(post.text, keyword)),
  };
}

function rowOf(account: string, post: ScoredPost, { source, now }: ScoringOptions): DiscoveredPostRow {
  return {
    account,
    id: post.id,
    author_id: post.authorId,
    author_username: post.authorUsername,
    author_followers: post.authorFollowers,
    text: post.text,
    posted_at: post.postedAt ?? null,
    likes: post.likes,
    reposts: post.reposts,
    replies: post.replies,
    impressions: post.impressions ?? null,
    score: post.score.total,
    matched_keyword: post.matchedKeywords[0] ?? null,
    source,
    is_summons: post.isSummons ? 1 : 0,
    found_at: now,
    seen_at: now,
    answered: post.isAnswered ? 1 : 0,
    reply_settings: post.replySettings ?? null,
    reply_refused: post.isRefused ? 1 : 0,
    handled: null,
    about_id: post.aboutId ?? null,
  };
}

export async function rememberRefusal({ store, account }: Session, postId: string): Promise<void> {
  await store.db
    .updateTable("discovered_posts")
    .set({ reply_refused: 1 })
    .where("account", "=", account)
    .where("id", "=", postId)
    .execute();
}

/** With those X refused. */
export async function repliesTo({ store, account }: Session, ids: readonly string[]): Promise<RepliesTo> {
  if (ids.length === 0) return { answered: new Set(), refused: new Set() };
  const [answered, refused] = await Promise.all([
    answeredAmong(store.db, account, ids),
    refusedAmong(store.db, account, ids),
  ]);
  return { answered, refused };
}

export interface RepliesTo {
  readonly answered: ReadonlySet<string | null>;
  readonly refused: ReadonlySet<string>;
}

async function refusedAmong(
  db: Kysely<Database>,
  account: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("discovered_posts")
    .select("id")
    .where("account", "=", account)
    .where("id", "in", ids)
    .where("reply_refused", "=", 1)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** By receipts of replies. */
async function answeredAmong(
  db: Kysely<Database>,
  account: string,
  ids: readonly string[],
): Promise<ReadonlySet<string | null>> {
  const rows = await db
    .selectFrom("receipts")
    .select("reply_claim")
    .where("account", "=", account)
    .where("reply_claim", "in", ids)
    .where("state", "=", "confirmed")
    .execute();
  return new Set(rows.map(({ reply_claim }) => reply_claim));
}
