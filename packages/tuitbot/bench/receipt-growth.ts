import { sql } from "kysely";
import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import type { Store } from "../src/storage/store.ts";
import { asItGrows, costOfCall } from "./growing-database.ts";

/** As multiples of what a post costs with the fewest receipts. */
const GOAL = 1.25;
const WINDOW_MS = 900_000;
/** X allows a person 100 posts in a window. */
const POSTS_PER_WINDOW = 90;

export interface ReceiptGrowthOptions {
  readonly counts?: readonly number[];
  readonly posts?: number;
}

/** What a post costs through the pipeline, without client and network, as the history behind it grows. */
export async function benchReceiptGrowth(options: ReceiptGrowthOptions = {}): Promise<readonly Figure[]> {
  const { counts = [10_000, 100_000, 1_000_000], posts = 180 } = options;
  const took = await asItGrows({
    counts,
    config: {
      approval_mode: false,
      limits: { max_tweets_per_day: 1_000_000 },
      mcp_policy: { require_approval_for: [], max_mutations_per_hour: 1_000_000 },
    },
    fill,
    measure({ core, sandbox }) {
      sandbox.ledger.balanceUsd = 1e6;
      return costOfCall(core, "x_post_tweet", posts, (nth) => {
        if (nth % POSTS_PER_WINDOW === 0) sandbox.clock.advance(WINDOW_MS);
        return { text: `Number ${nth}` };
      });
    },
  });
  const [least = Number.NaN] = took;
  return [
    ...counts.map((count, index) =>
      figure(
        `a post with ${count.toLocaleString("en")} receipts behind it, p50`,
        took[index] ?? Number.NaN,
        "ms",
      ),
    ),
    atMost("the most receipts against the fewest, p50", (took.at(-1) ?? Number.NaN) / least, "times", GOAL),
  ];
}

/** A history as so many posts leave it behind, a second apart. */
async function fill({ db }: Store, account: string, count: number): Promise<void> {
  const now = Date.now();
  const rows = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  const at = sql`${now} - 60000 - (${count} - i) * 1000`;
  await sql`insert into receipts (id, account, claim, args_digest, approval_claim, reply_claim, tool, args_json,
      state, attempt, lease_until, replay_until, expected_steps, created_at, settled_at, result_json, error_json,
      holds_json)
    ${rows} select 'r' || i, ${account}, lower(hex(randomblob(32))), lower(hex(randomblob(32))), null, null,
      'x_post_tweet', '{"text":"Number ' || i || '"}', 'confirmed', 1, ${at}, ${at} + 86400000, 1, ${at}, ${at},
      '{"id":"' || i || '"}', null, '{}' from n`.execute(db);
  await sql`insert into steps (receipt_id, seq, account, operation, method, target, body_json, digest, state, sent_at,
      settled_at, status, answer_text, makes)
    ${rows} select 'r' || i, 1, ${account}, 'createPosts', 'POST', '/2/tweets', '{"text":"Number ' || i || '"}',
      lower(hex(randomblob(32))), 'confirmed', ${at}, ${at}, 201, '{"data":{"id":"' || i || '"}}', 'post:' || i
    from n`.execute(db);
  await sql`insert into ledger (account, call_id, tool, operation, at, estimated_micros, settled_micros, failed)
    ${rows} select ${account}, 'r' || i, 'x_post_tweet', 'createPosts', ${at}, 15000, 15000, 0 from n`.execute(
    db,
  );
  await sql`insert into audit (correlation_id, account, at, tool, effect, transport, client, args_json, decision,
      rule_id, status, code, message, receipt_id, approval_id, result_json, rollback_json, elapsed_ms)
    ${rows} select 'r' || i, ${account}, ${at}, 'x_post_tweet', 'create', 'stdio', null,
      '{"text":"Number ' || i || '"}', 'allow', null, 'success', null, null, 'r' || i, null, '{}', '{}', 3
    from n`.execute(db);
}

if (import.meta.main) console.table(await benchReceiptGrowth());
