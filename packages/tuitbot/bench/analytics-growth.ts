import type { JsonObject } from "@toolpact/contract";
import { sql } from "kysely";
import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import type { Store } from "../src/storage/store.ts";
import { asItGrows, costOfCall } from "./growing-database.ts";

/** Most milliseconds of an answer with the most rows. */
const GOAL_MS = 10;

export interface AnalyticsGrowthOptions {
  readonly counts?: readonly number[];
  readonly calls?: number;
}

/** What answers about the past cost, through the pipeline, as posts found and published add up. */
export async function benchAnalyticsGrowth(options: AnalyticsGrowthOptions = {}): Promise<readonly Figure[]> {
  const { counts = [10_000, 100_000, 1_000_000], calls = 200 } = options;
  const took = await asItGrows({
    counts,
    fill,
    async measure({ core }) {
      const medians: number[] = [];
      for (const { tool, args } of QUESTIONS) medians.push(await costOfCall(core, tool, calls, args));
      return medians;
    },
  });
  const most = took.at(-1) ?? [];
  return QUESTIONS.flatMap(({ tool }, at) => [
    ...counts.map((count, index) =>
      atMost(
        `${tool} with ${count.toLocaleString("en")} rows, p50`,
        took[index]?.[at] ?? Number.NaN,
        "ms",
        count === counts.at(-1) ? GOAL_MS : undefined,
      ),
    ),
    figure(
      `${tool}, the most rows against the fewest, p50`,
      (most[at] ?? Number.NaN) / (took[0]?.[at] ?? Number.NaN),
      "times",
    ),
  ]);
}

const QUESTIONS: readonly { readonly tool: string; readonly args: (nth: number) => JsonObject }[] = [
  { tool: "get_stats", args: () => ({ days: 30 }) },
  { tool: "get_discovery_feed", args: (nth) => ({ limit: 10, min_score: nth % 90 }) },
  { tool: "get_author_context", args: (nth) => ({ identifier: `@person_${(nth % AUTHORS) + 1}` }) },
];

const AUTHORS = 100;

/** So many posts found and so many replies published, of people who get busier with the number. */
async function fill({ db }: Store, account: string, count: number): Promise<void> {
  const now = Date.now();
  const rows = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  const at = sql`${now} - (${count} - i) * 1000`;
  const person = sql`(i % ${count / AUTHORS} + 1)`;
  await sql`insert into discovered_posts (account, id, author_id, author_username, author_followers, text, posted_at,
      likes, reposts, replies, impressions, score, matched_keyword, source, is_summons, found_at, seen_at, answered,
      reply_refused, handled)
    ${rows} select ${account}, 'd' || i, 'a' || ${person}, 'person_' || ${person}, 1000, 'Thought number ' || i,
      ${at}, i % 7, 0, 0, null, (i * 37 % 10000) / 100.0, 'word' || (i % 20), 'search', 0, ${at}, ${at}, i % 2, 0, null
    from n`.execute(db);
  await sql`insert into publications (account, post_id, receipt_id, kind, position, text, reply_to, author_id, topic,
      format, published_at, measured_at)
    ${rows} select ${account}, 'p' || i, 'r' || i, 'reply', 0, 'Answer number ' || i, 'd' || i, 'a' || ${person},
      null, null, ${at}, ${at} from n`.execute(db);
  await sql`insert into measurements (account, post_id, at, likes, replies, reposts, bookmarks, impressions, score)
    ${rows} select ${account}, 'p' || i, ${at}, i % 3, 0, 0, 0, 100, (i % 3) * 30.0 from n`.execute(db);
  await sql`insert into authors (account, author_id, username, name_key, replies, days, first_at, last_at, measured,
      engaged, score_sum)
    ${rows} select ${account}, 'a' || i, 'person_' || i, 'person_' || i, ${AUTHORS}, 9, ${at}, ${at}, ${AUTHORS}, 60,
      3000.0 from n where i <= ${count / AUTHORS}`.execute(db);
  await sql`insert into publication_totals (account, kind, published, measured, score_sum, impressions)
    values (${account}, 'reply', ${count}, ${count}, 30000000.0, 100000000)`.execute(db);
  await sql`insert into follower_snapshots (account, day, at, followers, following, posts)
    ${rows} select ${account}, date(${now} / 1000 - i * 86400, 'unixepoch'), ${at}, 1000 - i, 10, 10
    from n where i <= 365`.execute(db);
  await sql`insert into topic_scores (account, topic, format, posts, score_sum)
    ${rows} select ${account}, 'topic ' || i, 'tip', i, i * 7.0 from n where i <= 200`.execute(db);
}

if (import.meta.main) console.table(await benchAnalyticsGrowth());
