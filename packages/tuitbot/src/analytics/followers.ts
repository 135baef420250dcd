import { ok } from "@toolpact/contract";
import { DAY_MS } from "@toolpact/contract/internal";
import type { XClient } from "@toolpact/x-api";
import type { Kysely } from "kysely";
import type { Database } from "../storage/database.ts";
import { dayOf } from "../storage/days.ts";
import type { Session } from "../storage/store.ts";
import { countIn, numberIn, objectIn, type XObject } from "../x/shapes/x-object.ts";
import { askX, type FromX } from "../x/toolkit/ask-x.ts";
import { xFailed } from "../x/x-errors.ts";

export interface FollowerDay {
  date: string;
  follower_count: number;
  following_count: number;
  tweet_count: number;
}

/** The last value of a day counts. */
export async function snapshotFollowers(
  { store, account }: Session,
  client: XClient,
  now: number,
  signal: AbortSignal,
): Promise<FromX<FollowerDay>> {
  const me = await askX<XObject | null>(client, "getUsersMe", {
    query: { "user.fields": ["public_metrics"] },
    signal,
  });
  if (!me.ok) return me;
  const metrics = objectIn(me.value.data ?? {}, "public_metrics");
  const followers = numberIn(metrics, "followers_count");
  if (followers === undefined) {
    const message = "X did not return the number of followers.";
    return xFailed({ kind: "network", cause: "unreadable", ambiguous: false, message }, "read");
  }
  const counts = {
    at: now,
    followers,
    following: numberIn(metrics, "following_count") ?? 0,
    posts: countIn(metrics, "posts") ?? 0,
  };
  await store.db
    .insertInto("follower_snapshots")
    .values({ account, day: dayOf(now), ...counts })
    .onConflict((conflict) => conflict.columns(["account", "day"]).doUpdateSet(counts))
    .execute();
  return ok(view({ day: dayOf(now), ...counts }));
}

/** Oldest first. */
export async function followerTrend(
  db: Kysely<Database>,
  account: string,
  days: number,
): Promise<FollowerDay[]> {
  const rows = await db
    .selectFrom("follower_snapshots")
    .selectAll()
    .where("account", "=", account)
    .orderBy("day", "desc")
    .limit(days)
    .execute();
  return rows.map(view).reverse();
}

/** Since then, or since the first stored day; null before the second measurement. */
export async function followerChange(
  db: Kysely<Database>,
  account: string,
  days: number,
  now: number,
): Promise<number | null> {
  const snapshots = db
    .selectFrom("follower_snapshots")
    .select(["followers", "day"])
    .where("account", "=", account);
  const latest = await snapshots.orderBy("day", "desc").limit(1).executeTakeFirst();
  if (latest === undefined) return null;
  const before =
    (await snapshots
      .where("day", "<=", dayOf(now - days * DAY_MS))
      .orderBy("day", "desc")
      .limit(1)
      .executeTakeFirst()) ?? (await snapshots.orderBy("day").limit(1).executeTakeFirst());
  return before === undefined || before.day === latest.day ? null : latest.followers - before.followers;
}

function view(row: {
  readonly day: string;
  readonly followers: number;
  readonly following: number;
  readonly posts: number;
}): FollowerDay {
  return {
    date: row.day,
    follower_count: row.followers,
    following_count: row.following,
    tweet_count: row.posts,
  };
}
