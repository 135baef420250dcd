import { parseJson } from "@toolpact/contract/internal";
import { type Kysely, type SqlBool, sql } from "kysely";
import { allLimits, limitUse } from "../guards/policy/limits.ts";
import type { Policy } from "../guards/policy/policy.ts";
import type { Database } from "../storage/database.ts";
import type { Session } from "../storage/store.ts";
import type { PostView } from "../x/shapes/post.ts";
import { objectIn, textIn } from "../x/shapes/x-object.ts";
import { ownPostView } from "./own-post.ts";

/** An unpublished reply has no id or address. */
export interface RecentReply extends Partial<PostView> {
  reply_to: string;
  status: "sent" | "failed" | "unknown";
  error_message: string | null;
}

/** Also failed attempts, newest first. */
export async function recentReplies(
  { store: { db }, account, names }: Session,
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
      // As in the index.
      .where(sql<SqlBool>`state <> 'confirmed'`)
      .where("created_at", ">=", since)
      .orderBy("created_at", "desc")
      .limit(most)
      .execute(),
  ]);
  const replies: { at: number; reply: RecentReply }[] = [
    ...sent.map(({ post_id: id, reply_to, text, published_at }) => ({
      at: published_at,
      reply: {
        ...ownPostView({ id, text, published_at }, names?.username),
        reply_to: reply_to ?? "",
        status: "sent" as const,
        error_message: null,
      },
    })),
    ...tried.map(({ args_json, state, error_json, created_at }) => {
      const args = objectIn(parseJson(args_json));
      return {
        at: created_at,
        reply: {
          text: textIn(args, "text") ?? "",
          created_at: new Date(created_at).toISOString(),
          reply_to: textIn(args, "in_reply_to_id") ?? "",
          status: state === "failed" ? ("failed" as const) : ("unknown" as const),
          error_message: textIn(objectIn(parseJson(error_json ?? "")), "message") ?? null,
        },
      };
    }),
  ];
  return replies
    .sort((a, b) => b.at - a.at)
    .slice(0, most)
    .map((one) => one.reply);
}

/** The used part of the daily limit. */
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
