import { ok } from "@toolpact/contract";
import { DAY_MS } from "@toolpact/contract/internal";
import { MAX_OWN_POSTS, recordOwnPosts } from "../analytics/elsewhere.ts";
import { snapshotFollowers } from "../analytics/followers.ts";
import { measurePublications } from "../analytics/measure.ts";
import { deleteOldRows } from "../storage/retention.ts";
import type { FromX } from "../x/toolkit/ask-x.ts";
import { broken, completed, type Loop, type Pass, skipped } from "./pass.ts";
import { moveCursor, progressOf } from "./progress.ts";

export const analytics: Loop = {
  name: "analytics",
  does: "counts followers, and measures what has been out for a day, or as long as configured",
  // Early metrics, as in the sandbox, must not wait another hour.
  everyMs: ({ analytics: { measure_after_hours } }) => Math.min(1, measure_after_hours / 4) * 3_600_000,
  keepsHours: false,
  publishes: false,
  async run(pass) {
    if (pass.isDryRun) return skipped("dry run");
    const { client } = pass.x;
    const now = pass.now();
    const followers = await snapshotFollowers(pass, client, now, pass.signal);
    if (!followers.ok) return broken(followers);
    const elsewhere = await readElsewhere(pass, followers.value.tweet_count, now);
    if (!elsewhere.ok) return broken(elsewhere);
    const measured = await measurePublications({ ...pass, client, now });
    if (!measured.ok) return broken(measured);
    return completed({
      followers: followers.value.follower_count,
      ...(elsewhere.value > 0 && { made_elsewhere: elsewhere.value }),
      ...measured.value,
    });
  },
};

/** At most once a day. X's count of posts shows if there are any, so most reads cost nothing. */
async function readElsewhere(pass: Pass, atX: number, now: number): Promise<FromX<number>> {
  const published = await publishedIn(pass);
  const { cursor } = await progressOf(pass, "analytics");
  const [looked = now, atXThen = atX, publishedThen = published] = cursor?.split(" ").map(Number) ?? [];
  if (cursor !== null && now - looked < DAY_MS) return ok(0);
  const unknown = atX - atXThen - (published - publishedThen);
  const found =
    unknown <= 0
      ? ok(0)
      : await recordOwnPosts({ ...pass, client: pass.x.client, now }, Math.min(unknown, MAX_OWN_POSTS));
  if (found.ok) await moveCursor(pass, "analytics", `${now} ${atX} ${published + found.value}`);
  return found;
}

async function publishedIn({ store, account }: Pass): Promise<number> {
  const { posts } = await store.db
    .selectFrom("publication_totals")
    .select(({ fn }) => fn.sum<number | null>("published").as("posts"))
    .where("account", "=", account)
    .executeTakeFirstOrThrow();
  return Number(posts ?? 0);
}

export const retention: Loop = {
  name: "retention",
  does: "deletes history that is older than storage.retention_days",
  everyMs: () => DAY_MS,
  keepsHours: false,
  publishes: false,
  async run({ store, config, now, isDryRun }) {
    if (isDryRun) return skipped("dry run");
    const deleted = await deleteOldRows(store, { now: now(), days: config.storage.retention_days });
    return completed({ deleted: Object.values(deleted).reduce((sum, count) => sum + count, 0) });
  },
};
