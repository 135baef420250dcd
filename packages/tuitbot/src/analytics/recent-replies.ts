import { type Kysely, type SqlBool, sql } from "kysely";
import { limitUse } from "../mutation/policy/limits.ts";
import { allLimits } from "../mutation/policy/limits-for.ts";
import type { Policy } from "../mutation/policy/policy.ts";
import type { Database } from "../storage/database.ts";
import { jsonOf, objectIn, textIn } from "../x/shapes/x-object.ts";

export interface RecentReply {
  target_tweet_id: string;
  /** Null unless it was published. */
  reply_tweet_id: string | null;
  reply_content: string;
  created_at: string;
  status: "sent" | "failed" | "unknown";
  error_message: string | null;
}

/** Published replies and failed attempts, newest first. */
export async function recentReplies(
  db: Kysely<Database>,
  account: string,
  since: number,
  most: number,
): Promise<RecentReply[]> {
  const [sent, tried] = await Promise.all([
    db
      .selectFrom("publications")
      .select(["post_id", "reply_to", "text", "published_at"])
      .where("account", "=", account)
      .where("kind", "=", "reply")
      .where("published_at", ">=", since)
      .orderBy("published_at", "desc")
      .limit(most)
      .execute(),
    db
      .selectFrom("receipts")
      .select(["args_json", "state", "error_json", "created_at"])
      .where("account", "=", account)
      .where("tool", "=", "x_reply_to_tweet")
      // As the index has it.
      .where(sql<SqlBool>`state <> 'confirmed'`)
      .where("created_at", ">=", since)
      .orderBy("created_at", "desc")
      .limit(most)
      .execute(),
  ]);
  const replies = [
    ...sent.map(({ post_id, reply_to, text, published_at }) => ({
      at: published_at,
      reply: reply(reply_to ?? "", post_id, text, published_at, "sent", null),
    })),
    ...tried.map(({ args_json, state, error_json, created_at }) => {
      const args = objectIn(jsonOf(args_json));
      return {
        at: created_at,
        reply: reply(
          textIn(args, "in_reply_to_id") ?? "",
          null,
          textIn(args, "text") ?? "",
          created_at,
          state === "failed" ? "failed" : "unknown",
          textIn(objectIn(jsonOf(error_json ?? "")), "message") ?? null,
        ),
      };
    }),
  ];
  return replies
    .sort((a, b) => b.at - a.at)
    .slice(0, most)
    .map((one) => one.reply);
}

function reply(
  target_tweet_id: string,
  reply_tweet_id: string | null,
  reply_content: string,
  at: number,
  status: RecentReply["status"],
  error_message: string | null,
): RecentReply {
  const created_at = new Date(at).toISOString();
  return { target_tweet_id, reply_tweet_id, reply_content, created_at, status, error_message };
}

/** How much of the daily reply limit is used. */
export async function repliesUsed(
  db: Kysely<Database>,
  account: string,
  policy: Policy,
  now: number,
): Promise<number> {
  const limits = allLimits(policy).filter(({ key }) => key === "replies_per_day");
  const [use] = await limitUse(db, account, limits, now);
  return use?.used ?? 0;
}
