import { sql } from "kysely";
import type { Store } from "../src/storage/store.ts";

/** How much a database has behind it. */
export interface History {
  /** Posts made, read, answered and measured, each with all that it leaves behind. */
  readonly posts: number;
  /** Items that wait for a person, and as many drafts. */
  readonly waiting: number;
}

/** Interval that fits a million rows into the 90 days of stored history. */
const APART_MS = 7_776;
const AUTHORS = 100;
const TOPICS = 10;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Fills an empty database, on either engine, as a server leaves it behind that has run for long. */
export async function fillDatabase(
  store: Store,
  account: string,
  { posts, waiting }: History,
): Promise<void> {
  const now = Date.now();
  const rows = (count: number) =>
    sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})`;
  // More than 2^31 milliseconds, which PostgreSQL multiplies as big integers only if one of them is.
  const at = sql`${sql.lit(now - 60_000)} - (${sql.lit(posts)} - i) * cast(${sql.lit(APART_MS)} as bigint)`;
  const person = sql`(i % ${sql.lit(Math.max(1, posts / AUTHORS))} + 1)`;
  const who = sql.lit(account);
  await store.transaction(async (db) => {
    const run = (statement: ReturnType<typeof sql>) => statement.execute(db);
    // PostgreSQL would update one row of the counters a million times before it can clear any of its versions.
    const isPostgres = store.engine === "postgres";
    if (isPostgres) await run(sql`set local session_replication_role = replica`);
    await run(sql`insert into receipts (id, account, claim, args_digest, tool, args_json, state, attempt, lease_until,
        replay_until, expected_steps, created_at, settled_at, result_json, holds_json)
      ${rows(posts)} select 'r' || i, ${who}, 'claim of call ' || i, 'digest of call ' || i,
        case when i % 2 = 0 then 'x_post_tweet' else 'x_reply_to_tweet' end, '{"text":"Number ' || i || '"}',
        'confirmed', 1, ${at}, ${at} + 86400000, 1, ${at}, ${at}, '{"id":"' || i || '"}', '{}' from n`);
    await run(sql`insert into steps (receipt_id, seq, account, operation, method, target, body_json, digest, state,
        sent_at, effect_from, effect_until, settled_at, status, answer_text, makes)
      ${rows(posts)} select 'r' || i, 1, ${who}, 'createPosts', 'POST', '/2/tweets', '{"text":"Number ' || i || '"}',
        'digest of step ' || i, 'confirmed', ${at}, ${at}, ${at}, ${at}, 201, '{"data":{"id":"' || i || '"}}',
        'post:' || i from n`);
    await run(sql`insert into ledger (account, call_id, tool, caller, operation, at, estimated_micros, settled_micros, failed)
      ${rows(posts)} select ${who}, 'r' || i, 'x_post_tweet', 'agent', 'operation' || (i % 20), ${at}, 15000, 15000, 0 from n`);
    await run(sql`insert into audit (correlation_id, account, at, tool, effect, transport, args_json, decision, status,
        receipt_id, result_json, rollback_json, elapsed_ms)
      ${rows(posts)} select 'r' || i, ${who}, ${at},
        case when i % 2 = 0 then 'x_post_tweet' else 'x_reply_to_tweet' end, 'create', 'stdio',
        '{"text":"Number ' || i || '"}', 'allow', case when i % 50 = 0 then 'failure' else 'success' end, 'r' || i,
        '{}', '{}', 3 from n`);
    await run(sql`insert into telemetry (account, hour, tool, category, code, policy_decision, latency_ms, calls,
        total_ms, min_ms, max_ms, latest_at)
      ${rows(posts)} select ${who}, (${at}) / ${sql.lit(HOUR)}, 'tool' || (i % 30), 'write',
        case when i % 50 = 0 then 'x_api_error' else '' end, 'allow', i % 8, count(*), 5 * count(*), i % 8, i % 8,
        max(${at}) from n group by 2, 3, 5, 7`);
    await run(sql`insert into discovered_posts (account, id, author_id, author_username, author_followers, text,
        posted_at, likes, reposts, replies, score, matched_keyword, source, is_summons, found_at, seen_at, answered,
        reply_refused)
      ${rows(posts)} select ${who}, 'd' || i, 'a' || ${person}, 'person_' || ${person}, 1000, 'Thought number ' || i,
        ${at}, i % 7, 0, 0, (i * 37 % 10000) / 100.0, 'word' || (i % 20), 'search', 0, ${at}, ${at}, i % 2, 0
      from n`);
    await run(sql`insert into publications (account, post_id, receipt_id, kind, position, text, reply_to, author_id,
        topic, published_at, measured_at)
      ${rows(posts)} select ${who}, 'p' || i, 'r' || i, case when i % 2 = 0 then 'tweet' else 'reply' end, 0,
        'Answer number ' || i, 'd' || i, 'a' || ${person},
        case when i % 2 = 0 then 'topic ' || (i % ${sql.lit(TOPICS)}) end, ${at}, ${at} from n`);
    await run(sql`insert into measurements (account, post_id, at, likes, replies, reposts, bookmarks, impressions,
        score)
      ${rows(posts)} select ${who}, 'p' || i, ${at}, i % 3, 0, 0, 0, 100, (i % 3) * 30.0 from n`);
    await run(sql`insert into topic_days (account, day, topic, posts, measured, score_sum, best, best_post, worst)
      select ${who}, published_at / ${sql.lit(DAY)}, topic, count(*), count(*), 30.0 * count(*), 60.0, max(post_id), 0.0
      from publications where topic is not null group by 2, 3`);
    await run(sql`insert into authors (account, author_id, username, name_key, replies, days, first_at, last_at,
        measured, engaged, score_sum)
      ${rows(Math.max(1, posts / AUTHORS))} select ${who}, 'a' || i, 'person_' || i, 'person_' || i,
        ${sql.lit(AUTHORS)}, 9, ${at}, ${at}, ${sql.lit(AUTHORS)}, 60, 3000.0 from n`);
    await run(sql`insert into publication_totals (account, kind, published, measured, score_sum, impressions)
      values (${who}, 'reply', ${sql.lit(posts)}, ${sql.lit(posts)}, 30000000.0, 100000000)`);
    await run(sql`insert into llm_usage (account, at, purpose, framework, topic, provider, model, input_tokens,
        output_tokens, cost_micros, failed)
      ${rows(posts)} select ${who}, ${at}, 'tweet', 'tip', 'topic ' || (i % 10), 'openai', 'small', 500, 50, 10, 0
      from n`);
    await run(sql`insert into topic_scores (account, topic, format, posts, score_sum)
      ${rows(200)} select ${who}, 'topic ' || i, 'tip', i, i * 7.0 from n`);
    await db
      .insertInto("follower_snapshots")
      .values(
        Array.from({ length: 365 }, (_, ago) => ({
          account,
          day: new Date(now - ago * DAY).toISOString().slice(0, 10),
          at: now - ago * DAY,
          followers: 1_000 - ago,
          following: 10,
          posts: 10,
        })),
      )
      .execute();
    await run(sql`insert into approvals (account, claim, tool, args_json, content, media_json, digest, status, rule_id,
        reason, estimated_micros, correlation_id, created_at, expires_at, decided_at, decided_by, people_needed)
      ${rows(2 * waiting)} select ${who}, case when i % 2 = 0 then 'claim of item ' || i end, 'x_post_tweet',
        '{"text":"Waiting ' || i || '"}', 'content of item ' || i, '[]', 'digest',
        case when i % 2 = 0 then 'pending' else 'rejected' end, 'rule', 'A person decides.', 15000, 'c' || i,
        ${sql.lit(now)} - i, ${sql.lit(now)} + 86400000 + i, case when i % 2 = 0 then null else ${sql.lit(now)} - i end,
        'somebody', 1 from n`);
    // Most were never scheduled; a tenth waits in the queue, and a tenth for its time.
    await run(sql`insert into scheduled_posts (account, texts_json, due_at, status, created_at, accepts_url_price,
        lease_until, tries)
      ${rows(Math.max(1, waiting / 10))} select ${who}, '["Scheduled ' || i || '"]', ${sql.lit(now + DAY)} + i,
        'scheduled', ${sql.lit(now)}, 0, 0, 0 from n`);
    await run(sql`insert into drafts (account, texts_json, status, revision, schedule_id, approval_id, lease_until,
        created_at, updated_at)
      ${rows(waiting)} select ${who}, '["Draft ' || i || '"]',
        case i % 10 when 1 then 'queued' when 2 then 'scheduled' else 'draft' end, 1,
        case i % 10 when 2 then (i + 8) / 10 end, case i % 10 when 1 then 2 * i end, 0, ${sql.lit(now)} - i,
        ${sql.lit(now)} - i from n`);
    if (isPostgres) await run(countersFrom());
  });
  // As a server does once a day.
  await sql`analyze`.execute(store.db);
}

/** The counts that the triggers would have made. */
function countersFrom(): ReturnType<typeof sql> {
  return sql`with approvals_counted as (
      insert into approval_counts select account, status, count(*) from approvals group by 1, 2),
    actions_counted as (
      insert into action_counts select account, at / ${sql.lit(HOUR)}, tool, status, count(*) from audit
      group by 1, 2, 3, 4),
    models_counted as (
      insert into llm_days select account, at / ${sql.lit(DAY)}, provider, model, count(*), sum(failed),
        sum(input_tokens), sum(output_tokens), sum(cost_micros) from llm_usage group by 1, 2, 3, 4)
    insert into usage_days select account, at / ${sql.lit(DAY)}, coalesce(operation, ''), count(*),
      sum(settled_micros), sum(failed) from ledger group by grouping sets ((1, 2, operation), (1, 2))`;
}
