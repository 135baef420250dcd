import type { Kysely, Selectable } from "kysely";
import type { Config } from "../config/schema.ts";
import { repliesToAuthor } from "../guards/safety/check-reply.ts";
import type { Database } from "../storage/database.ts";
import type { Session } from "../storage/store.ts";
import type { AuthorRow } from "../storage/tables/publication-tables.ts";
import { type PostView, postUrl } from "../x/shapes/post.ts";
import { cleanText } from "../x/untrusted.ts";
import { ownPostView } from "./own-post.ts";
import { engagementRate, meanOf, type PostMetrics, rounded } from "./performance.ts";
import { type AuthorRecord, type RiskSignal, responseRate, riskSignals } from "./risk-signals.ts";

export interface AuthorContext {
  author_username: string;
  author_id: string | null;
  interaction_summary: {
    total_replies_sent: number;
    replies_today: number;
    first_interaction: string | null;
    last_interaction: string | null;
    distinct_days_active: number;
  };
  conversation_history: Exchange[];
  topic_affinity: { keyword: string; mention_count: number }[];
  risk_signals: RiskSignal[];
  response_metrics: {
    replies_with_engagement: number;
    replies_measured: number;
    response_rate: number | null;
    avg_performance_score: number | null;
  };
}

export interface Exchange {
  post: PostView;
  /** With metrics once measured. */
  reply: PostView;
  performance?: { performance_score: number | null; engagement_rate: number | null };
}

/** By @name or id, newest exchanges first; empty for an unknown author. */
export async function authorContext(
  { store: { db }, account, names }: Session,
  identifier: string,
  exchanges: number,
  limits: Config["limits"],
  now: number,
): Promise<AuthorContext> {
  const { id, username } = await resolve(db, account, identifier);
  const sums = id === undefined ? undefined : await sumsOf(db, account, id);
  const record = await recordOf(db, account, id, sums, limits, now);
  return {
    author_username: username,
    author_id: id ?? null,
    interaction_summary: {
      total_replies_sent: record.replies,
      replies_today: record.repliesToday,
      first_interaction: sums === undefined ? null : new Date(sums.first_at).toISOString(),
      last_interaction: sums === undefined ? null : new Date(sums.last_at).toISOString(),
      distinct_days_active: sums?.days ?? 0,
    },
    conversation_history:
      id === undefined ? [] : await historyWith(db, account, { id, username }, names?.username, exchanges),
    topic_affinity: id === undefined ? [] : await affinityOf(db, account, id),
    risk_signals: riskSignals(record, limits.max_replies_per_author_per_day),
    response_metrics: {
      replies_with_engagement: record.engaged,
      replies_measured: record.measured,
      response_rate: record.measured === 0 ? null : rounded(responseRate(record)),
      avg_performance_score: meanOf(sums?.score_sum ?? 0, record.measured),
    },
  };
}

export async function authorRecord(
  db: Kysely<Database>,
  account: string,
  identifier: string,
  limits: Config["limits"],
  now: number,
): Promise<AuthorRecord> {
  const { id } = await resolve(db, account, identifier);
  const sums = id === undefined ? undefined : await sumsOf(db, account, id);
  return recordOf(db, account, id, sums, limits, now);
}

async function recordOf(
  db: Kysely<Database>,
  account: string,
  id: string | undefined,
  sums: Selectable<AuthorRow> | undefined,
  limits: Config["limits"],
  now: number,
): Promise<AuthorRecord> {
  return {
    replies: sums?.replies ?? 0,
    repliesToday: id === undefined ? 0 : await repliesToAuthor(db, account, id, limits, now),
    measured: sums?.measured ?? 0,
    engaged: sums?.engaged ?? 0,
  };
}

interface Author {
  readonly id: string | undefined;
  readonly username: string;
}

async function resolve(db: Kysely<Database>, account: string, identifier: string): Promise<Author> {
  const name = identifier.replace(/^@/, "");
  const isId = /^\d+$/.test(name);
  const known = isId ? await byId(db, account, name) : await byName(db, account, name.toLowerCase());
  return known ?? { id: isId ? name : undefined, username: name };
}

async function byName(db: Kysely<Database>, account: string, key: string): Promise<Author | undefined> {
  const answered = await db
    .selectFrom("authors")
    .select(["author_id as id", "username"])
    .where("account", "=", account)
    .where("name_key", "=", key)
    .executeTakeFirst();
  if (answered !== undefined) return { id: answered.id, username: answered.username ?? key };
  return db
    .selectFrom("discovered_posts")
    .select(["author_id as id", "author_username as username"])
    .where("account", "=", account)
    .where((eb) => eb(eb.fn<string>("lower", ["author_username"]), "=", key))
    .limit(1)
    .executeTakeFirst();
}

function byId(db: Kysely<Database>, account: string, id: string): Promise<Author | undefined> {
  return db
    .selectFrom("discovered_posts")
    .select(["author_id as id", "author_username as username"])
    .where("account", "=", account)
    .where("author_id", "=", id)
    .limit(1)
    .executeTakeFirst();
}

function sumsOf(db: Kysely<Database>, account: string, id: string) {
  return db
    .selectFrom("authors")
    .selectAll()
    .where("account", "=", account)
    .where("author_id", "=", id)
    .executeTakeFirst();
}

const MAX_TOPICS = 10;
const PREVIEW_LENGTH = 200;

async function historyWith(
  db: Kysely<Database>,
  account: string,
  author: { readonly id: string; readonly username: string },
  self: string | undefined,
  exchanges: number,
): Promise<Exchange[]> {
  const rows = await db
    .selectFrom("publications as reply")
    .leftJoin("discovered_posts as post", (join) =>
      join.onRef("post.account", "=", "reply.account").onRef("post.id", "=", "reply.reply_to"),
    )
    .leftJoin("measurements as measured", (join) =>
      join.onRef("measured.account", "=", "reply.account").onRef("measured.post_id", "=", "reply.post_id"),
    )
    .select([
      "reply.post_id",
      "reply.reply_to",
      "reply.text",
      "reply.published_at",
      "post.text as asked",
      "post.posted_at",
      "measured.likes",
      "measured.replies",
      "measured.reposts",
      "measured.bookmarks",
      "measured.impressions",
      "measured.score",
    ])
    .where("reply.account", "=", account)
    .where("reply.author_id", "=", author.id)
    .orderBy("reply.published_at", "desc")
    .limit(exchanges)
    .execute();
  return rows.map(({ score, likes, replies, reposts, bookmarks, impressions, ...row }) => {
    const metrics =
      score === null
        ? undefined
        : {
            likes: likes ?? 0,
            replies: replies ?? 0,
            reposts: reposts ?? 0,
            bookmarks: bookmarks ?? 0,
            impressions: impressions ?? 0,
          };
    const answered = row.reply_to ?? "";
    return {
      post: {
        id: answered,
        author: `@${author.username}`,
        ...(row.asked !== null && { text: truncate(cleanText(row.asked), PREVIEW_LENGTH) }),
        ...(row.posted_at !== null && { created_at: new Date(row.posted_at).toISOString() }),
        url: postUrl(answered, author.username),
      },
      reply: ownPostView({ id: row.post_id, text: row.text, published_at: row.published_at }, self, metrics),
      ...(metrics !== undefined && score !== null && { performance: performanceOf(score, metrics) }),
    };
  });
}

function performanceOf(score: number, metrics: PostMetrics): NonNullable<Exchange["performance"]> {
  const rate = engagementRate(metrics);
  return {
    performance_score: metrics.impressions === 0 ? null : rounded(score),
    engagement_rate: rate === null ? null : rounded(rate),
  };
}

async function affinityOf(db: Kysely<Database>, account: string, id: string) {
  const rows = await db
    .selectFrom("discovered_posts")
    .select((eb) => ["matched_keyword", eb.fn.countAll<number>().as("mentions")])
    .where("account", "=", account)
    .where("author_id", "=", id)
    .where("matched_keyword", "is not", null)
    .groupBy("matched_keyword")
    .orderBy("mentions", "desc")
    .orderBy("matched_keyword")
    .limit(MAX_TOPICS)
    .execute();
  return rows.map(({ matched_keyword, mentions }) => ({
    keyword: matched_keyword ?? "",
    mention_count: Number(mentions),
  }));
}

/** Does not split a character. */
export function truncate(text: string, max: number): string {
  const points = [...text];
  return points.length <= max ? text : `${points.slice(0, max - 1).join("")}…`;
}
