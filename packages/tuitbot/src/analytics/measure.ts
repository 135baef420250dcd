import { type Outcome, ok } from "@toolpact/contract";
import { HOUR_MS } from "@toolpact/contract/internal";
import type { XClient } from "@toolpact/x-api";
import type { Kysely, Selectable } from "kysely";
import { DAYS, localTime } from "../config/schedule-window.ts";
import type { Config } from "../config/schema.ts";
import { countReply, countTopicPost, countTopicScore } from "../publications/sums.ts";
import type { Database } from "../storage/database.ts";
import type { Session } from "../storage/store.ts";
import type { PublicationRow } from "../storage/tables/publication-tables.ts";
import type { PostView } from "../x/shapes/post.ts";
import { countIn, numberIn, objectIn, textIn, type XObject } from "../x/shapes/x-object.ts";
import { askX, type FromX } from "../x/toolkit/ask-x.ts";
import { ownPostView } from "./own-post.ts";
import { isEngaged, type PostMetrics, performanceScore } from "./performance.ts";
import { topicNamedIn } from "./topics.ts";

export interface MeasureContext extends Session {
  readonly client: XClient;
  readonly config: Pick<Config, "business" | "schedule" | "analytics">;
  readonly now: number;
  readonly signal: AbortSignal;
}

export interface Measured {
  measured: number;
  gone: number;
}

type Publication = Selectable<PublicationRow>;

/** Measures each post once, when it is old enough by the configuration. */
export async function measurePublications(context: MeasureContext): Promise<FromX<Measured>> {
  const total: Measured = { measured: 0, gone: 0 };
  for (let page = 0; page < MAX_PAGES; page++) {
    const due = await dueForMeasuring(context);
    if (due.length === 0) break;
    const view = await readMetrics(context, due);
    if (!view.ok) return view;
    for (const publication of due) {
      const post = view.value.get(publication.post_id);
      const isNew = await context.store.transaction((db) => settle(db, context, publication, post));
      if (isNew) total[post === undefined ? "gone" : "measured"] += 1;
    }
  }
  return ok(total);
}

/** Not stored: each post is counted once, when it is due. */
export async function currentFigures(context: MeasureContext, limit: number): Promise<FromX<PostView[]>> {
  const { store, account, names } = context;
  const newest = await store.db
    .selectFrom("publications")
    .selectAll()
    .where("account", "=", account)
    .orderBy("published_at", "desc")
    .orderBy("post_id", "desc")
    .limit(limit)
    .execute();
  if (newest.length === 0) return ok([]);
  const view = await readMetrics(context, newest);
  if (!view.ok) return view;
  const figures: PostView[] = [];
  for (const { post_id: id, text, published_at } of newest) {
    const post = view.value.get(id);
    if (post === undefined) continue;
    const metrics = metricsOf(post, await ownAnswers(store.db, account, id));
    figures.push(ownPostView({ id, text, published_at }, names?.username, metrics));
  }
  return ok(figures);
}

/** X's limit per request, and ours per pass. */
const PAGE = 100;
const MAX_PAGES = 10;

function dueForMeasuring({ store, account, now, config }: MeasureContext): Promise<Publication[]> {
  return store.db
    .selectFrom("publications")
    .selectAll()
    .where("account", "=", account)
    .where("measured_at", "is", null)
    .where("published_at", "<=", now - config.analytics.measure_after_hours * HOUR_MS)
    .orderBy("published_at")
    .limit(PAGE)
    .execute();
}

async function readMetrics(
  { client, signal }: MeasureContext,
  due: readonly Publication[],
): Promise<Outcome<ReadonlyMap<string, XObject>, Extract<FromX<never>, { ok: false }>["failure"]>> {
  const answer = await askX<readonly XObject[]>(client, "getPostsByIds", {
    query: {
      ids: due.map(({ post_id }) => post_id),
      "tweet.fields": ["public_metrics", "in_reply_to_user_id"],
    },
    signal,
  });
  // If X returns none, all are deleted.
  if (!answer.ok) return answer.failure.code === "not_found" ? ok(new Map()) : answer;
  return ok(new Map(answer.value.data.map((post) => [textIn(post, "id") ?? "", post])));
}

/** False if another process was faster. */
async function settle(
  db: Kysely<Database>,
  { account, config, now }: MeasureContext,
  publication: Publication,
  post: XObject | undefined,
): Promise<boolean> {
  const { post_id, position, text, published_at } = publication;
  const authorId = publication.author_id ?? answeredBy(publication, post);
  const topic = publication.topic ?? (position === 0 ? topicNamedIn(text, config) : undefined) ?? null;
  const taken = await db
    .updateTable("publications")
    .set({ measured_at: now, author_id: authorId, topic })
    .where("account", "=", account)
    .where("post_id", "=", post_id)
    .where("measured_at", "is", null)
    .executeTakeFirst();
  if (taken.numUpdatedRows === 0n) return false;
  if (authorId !== null && publication.author_id === null)
    await countReply(db, account, { id: authorId }, published_at);
  if (publication.topic === null) await countTopicPost(db, { ...publication, topic });
  if (post === undefined) return true;

  const metrics = metricsOf(post, await ownAnswers(db, account, post_id));
  const score = performanceScore(metrics);
  await db
    .insertInto("measurements")
    .values({ account, post_id, at: now, ...metrics, score })
    .execute();
  await addToTotals(db, publication, metrics.impressions, score);
  await countTopicScore(db, { ...publication, topic }, score);
  if (authorId !== null) await addToAuthor(db, account, authorId, isEngaged(metrics), score);
  if (publication.kind !== "reply" && position === 0) {
    if (topic !== null) await addToTopic(db, account, topic, publication.format ?? publication.kind, score);
    await addToHour(db, account, published_at, config.schedule.timezone, score);
  }
  return true;
}

/** If not known when the reply was published. */
function answeredBy({ kind }: Publication, post: XObject | undefined): string | null {
  return kind === "reply" && post !== undefined ? (textIn(post, "in_reply_to_user_id") ?? null) : null;
}

/** X counts a thread's next post as a reply. */
async function ownAnswers(db: Kysely<Database>, account: string, postId: string): Promise<number> {
  const { count } = await db
    .selectFrom("publications")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("account", "=", account)
    .where("reply_to", "=", postId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

function metricsOf(post: XObject, ownAnswers: number): PostMetrics {
  const counts = objectIn(post, "public_metrics");
  const count = (name: string) => numberIn(counts, name) ?? 0;
  return {
    likes: count("like_count"),
    replies: Math.max(0, count("reply_count") - ownAnswers),
    reposts: countIn(counts, "reposts") ?? 0,
    bookmarks: count("bookmark_count"),
    impressions: count("impression_count"),
  };
}

async function addToTotals(
  db: Kysely<Database>,
  { account, kind }: Publication,
  impressions: number,
  score: number,
): Promise<void> {
  await db
    .updateTable("publication_totals")
    .set((eb) => ({
      measured: eb("measured", "+", 1),
      score_sum: eb("score_sum", "+", score),
      impressions: eb("impressions", "+", impressions),
    }))
    .where("account", "=", account)
    .where("kind", "=", kind)
    .execute();
}

async function addToAuthor(
  db: Kysely<Database>,
  account: string,
  authorId: string,
  engaged: boolean,
  score: number,
): Promise<void> {
  await db
    .updateTable("authors")
    .set((eb) => ({
      measured: eb("measured", "+", 1),
      engaged: eb("engaged", "+", engaged ? 1 : 0),
      score_sum: eb("score_sum", "+", score),
    }))
    .where("account", "=", account)
    .where("author_id", "=", authorId)
    .execute();
}

async function addToTopic(
  db: Kysely<Database>,
  account: string,
  topic: string,
  format: string,
  score: number,
): Promise<void> {
  await db
    .insertInto("topic_scores")
    .values({ account, topic, format, posts: 1, score_sum: score })
    .onConflict((conflict) =>
      conflict.columns(["account", "topic", "format"]).doUpdateSet((eb) => ({
        posts: eb("topic_scores.posts", "+", 1),
        score_sum: eb("topic_scores.score_sum", "+", score),
      })),
    )
    .execute();
}

async function addToHour(
  db: Kysely<Database>,
  account: string,
  at: number,
  timezone: string,
  score: number,
): Promise<void> {
  const { day, hour } = localTime(at, timezone);
  await db
    .insertInto("hour_scores")
    .values({ account, weekday: DAYS.indexOf(day), hour, posts: 1, score_sum: score })
    .onConflict((conflict) =>
      conflict.columns(["account", "weekday", "hour"]).doUpdateSet((eb) => ({
        posts: eb("hour_scores.posts", "+", 1),
        score_sum: eb("hour_scores.score_sum", "+", score),
      })),
    )
    .execute();
}
