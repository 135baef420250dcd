import { ok } from "@toolpact/contract";
import * as z from "zod";
import { recordOwnPosts } from "../../analytics/elsewhere.ts";
import { snapshotFollowers } from "../../analytics/followers.ts";
import { currentFigures, measurePublications } from "../../analytics/measure.ts";
import { basisOf, engagementTotals } from "../../analytics/totals.ts";
import { xErrors } from "../../errors.ts";
import { writeUp } from "../../profiles.ts";
import { postInList, postShape } from "../../x/shapes/post.ts";
import { defineTool } from "../product.ts";

export const refreshAnalytics = defineTool({
  name: "refresh_analytics",
  // Stores paid reads.
  hints: { readOnlyHint: false },
  searchWords: "update the statistics, refresh the numbers, measure my posts again",
  facts: { everyday: true, operations: ["getUsersMe", "getUsersPosts", "getPostsByIds"] },
  title: "Refresh the figures",
  description:
    "Update the numbers before a report: followers and your newest posts, each of which costs money. The first time it also records posts made without tuitbot.",
  category: "analytics",
  effect: "none",
  openWorld: true,
  profiles: writeUp,
  needs: ["x", "db", "config", "workflow"],
  errors: [...xErrors, "db_error"],
  input: z.strictObject({
    limit: z.int().min(1).max(100).default(10).describe("How many of the newest posts, at most"),
  }),
  output: z.object({
    follower_count: z.number(),
    measured: z.number().describe("Posts that now count in the statistics"),
    posts: z.array(z.object(postShape)).describe("Replies without your own to yourself"),
    based_on: z.string(),
  }),
  goOn: "Ask for fewer with `limit`.",
  handler: async ({ limit }, { x, db, config, workflow, signal }) => {
    const now = workflow.now();
    const context = { ...db, client: x.client, config: config.values, now, signal };
    const followers = await snapshotFollowers(db, x.client, now, signal);
    if (!followers.ok) return followers;
    const { replies, tweets } = await engagementTotals(db.store.db, db.account);
    if (replies + tweets === 0) {
      const recorded = await recordOwnPosts({ ...context, workflow }, limit);
      if (!recorded.ok) return recorded;
    }
    const measured = await measurePublications(context);
    if (!measured.ok) return measured;
    const posts = await currentFigures(context, limit);
    if (!posts.ok) return posts;
    return ok({
      follower_count: followers.value.follower_count,
      measured: measured.value.measured,
      posts: posts.value.map(postInList),
      based_on: basisOf(await engagementTotals(db.store.db, db.account)),
    });
  },
});
