import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import { sql } from "kysely";
import { expect, onTestFinished } from "vitest";
import { deleteOldRows } from "../src/storage/retention.ts";
import type { Store } from "../src/storage/store.ts";
import { ownerOf } from "./engagement/desk.ts";
import { DAY, dice, liveFortnight, START } from "./fortnight.ts";

/** Lives a day, quarter of an hour by quarter of an hour, on a database that has so many rows of history. */
export async function liveDayOnHistory(rows: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tuitbot-history-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // The same world has the same people.
  const account = new Sandbox({ seed: 7, size: { people: 24, posts: 60 } }).person(cast.owner).id;
  const store = {
    path: join(folder, "tuitbot.db"),
    fill: (store: Store) => writeHistory(store, account, rows),
  };
  const desk = await liveFortnight(dice(7), { days: 1, store });
  try {
    expect(ownerOf(desk)).toBe(account);
    const { db } = desk.services.db.store;
    const published = await db.selectFrom("publications").select("post_id").execute();
    const mine = [...desk.sandbox.world.posts.values()].filter(
      ({ authorId, at }) => authorId === account && at >= START,
    );
    expect(mine.length).toBeGreaterThan(1);
    // Each post is on record, once.
    expect(published.map(({ post_id }) => post_id).sort()).toEqual(mine.map(({ id }) => id).sort());
    const open = await db
      .selectFrom("receipts")
      .select("id")
      .where("state", "in", ["pending", "unknown"])
      .execute();
    expect(open).toEqual([]);

    const now = desk.sandbox.clock.now();
    const young = await countOf(desk.services.db.store, sql`at >= ${now - 30 * DAY}`);
    await deleteOldRows(desk.services.db.store, { now, days: 30 });
    expect(await countOf(desk.services.db.store, sql`at < ${now - 30 * DAY}`)).toBe(0);
    expect(await countOf(desk.services.db.store, sql`true`)).toBe(young);
  } finally {
    await desk.close();
  }
}

async function countOf({ db }: Store, condition: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from audit where ${condition}`.execute(
    db,
  );
  return rows[0]?.rows ?? 0;
}

/** A year of calls: their entries, receipts, costs, and posts that were found. */
async function writeHistory({ db }: Store, account: string, rows: number): Promise<void> {
  const each = Math.floor(rows / 4);
  const numbers = sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${each})`;
  const at = sql`${START} - cast(n * ${(365 * DAY) / each} as integer)`;
  await sql`insert into audit (correlation_id, account, at, tool, effect, transport, client, args_json, decision, rule_id,
      status, code, message, receipt_id, approval_id, result_json, rollback_json, elapsed_ms)
    select * from (${numbers} select 'old-' || n, ${account}, ${at}, 'x_post_tweet', 'create', 'stdio', 'agent', '{}', 'allow',
      null, 'success', null, null, 'old-' || n, null, '{}', null, 5 from numbers)`.execute(db);
  await sql`insert into receipts (id, account, claim, args_digest, approval_claim, reply_claim, tool, args_json, state,
      attempt, lease_until, replay_until, expected_steps, created_at, settled_at, result_json, error_json, holds_json)
    select * from (${numbers} select 'old-' || n, ${account}, null, 'digest-' || n, null, null, 'x_post_tweet', '{}', 'confirmed',
      1, 0, ${at}, 1, ${at}, ${at}, '{}', null, '{"money":[],"places":[],"fromStep":1}' from numbers)`.execute(
    db,
  );
  await sql`insert into ledger (account, call_id, tool, operation, at, estimated_micros, settled_micros, failed, caller)
    select * from (${numbers} select ${account}, 'old-' || n, 'x_post_tweet', 'createPosts', ${at}, 15000, 15000, 0, 'agent'
      from numbers)`.execute(db);
  await sql`insert into discovered_posts (account, id, author_id, author_username, author_followers, text, posted_at, likes,
      reposts, replies, impressions, score, matched_keyword, source, is_summons, found_at, seen_at, answered,
      reply_settings, reply_refused, handled)
    select * from (${numbers} select ${account}, 'old-' || n, '1', 'somebody', 5, 'An old post.', ${at}, 0, 0, 0, null, 10.0, null,
      'search', 0, ${at}, ${at}, 0, null, 0, null from numbers)`.execute(db);
}
