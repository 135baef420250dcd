import { ok } from "@toolpact/contract";
import * as z from "zod";
import { discoveredTweet, type FeedKey, feedEntry, unansweredPosts } from "../../discovery/feed.ts";
import { targetsOf } from "../../discovery/targets.ts";
import { writeUp } from "../../profiles.ts";
import { NOTICE } from "../../x/untrusted.ts";
import { answerPage, pageSize, pageToken } from "../paging.ts";
import { defineTool } from "../product.ts";

const looking = {
  category: "discovery",
  effect: "none",
  openWorld: false,
  profiles: writeUp,
  errors: ["db_error"],
} as const;

const pagination_token = pageToken<FeedKey>(z.tuple([z.number(), z.string()]));

const found = z.object({ tweets: z.array(discoveredTweet), notice: z.string() });

export const getDiscoveryFeed = defineTool({
  ...looking,
  name: "get_discovery_feed",
  searchWords: "found posts to answer, discovery feed, good candidates",
  title: "Get found posts",
  description:
    "Get posts that were found and not answered yet, best score first. `tuitbot tick` and find_reply_opportunities fill it.",
  needs: ["db", "workflow"],
  input: z.strictObject({
    limit: pageSize(10, 100),
    min_score: z.number().min(0).max(100).default(50).describe("Lowest score, 0 to 100"),
    pagination_token,
  }),
  output: found,
  handler: async ({ limit, min_score, pagination_token: after }, { db: { store, account }, workflow }) => {
    const page = await unansweredPosts(store.db, account, {
      minScore: min_score,
      limit: limit.entries,
      after,
    });
    const { entries: tweets, notes } = answerPage(page, limit, (row) => feedEntry(row, workflow.access));
    return ok({ notice: NOTICE, tweets }, notes);
  },
});

export const listUnrepliedTweets = defineTool({
  ...looking,
  name: "list_unreplied_tweets",
  searchWords: "posts without an answer, what have I not answered yet, unanswered posts",
  title: "List unanswered posts",
  description:
    "List found posts that were not answered, whatever their score, best first. For the good ones alone use get_discovery_feed.",
  needs: ["db", "workflow"],
  input: z.strictObject({
    threshold: z.number().min(0).max(100).default(0).describe("Lowest score, 0 to 100"),
    limit: pageSize(10, 100),
    pagination_token,
  }),
  output: found,
  handler: async ({ threshold, limit, pagination_token: after }, { db: { store, account }, workflow }) => {
    const filter = { minScore: threshold, limit: limit.entries, after };
    const page = await unansweredPosts(store.db, account, filter);
    const { entries: tweets, notes } = answerPage(page, limit, (row) => feedEntry(row, workflow.access));
    return ok({ notice: NOTICE, tweets }, notes);
  },
});

export const listTargetAccounts = defineTool({
  ...looking,
  name: "list_target_accounts",
  searchWords: "target accounts, accounts I watch, accounts I want to engage with",
  title: "List target accounts",
  description: "List the accounts of targets.accounts with the replies sent to each.",
  needs: ["db", "config"],
  input: z.strictObject({ limit: z.int().min(1).max(1_000).default(20).describe("At most so many") }),
  output: z.object({
    targets: z.array(
      z.object({
        account_id: z.string().nullable(),
        username: z.string(),
        followed_at: z.string().nullable(),
        first_engagement_at: z.string().nullable(),
        total_replies_sent: z.number(),
        last_reply_at: z.string().nullable(),
        last_checked_at: z.string().nullable(),
        status: z.literal("active"),
      }),
    ),
  }),
  handler: async ({ limit }, { db: { store, account }, config }) =>
    ok({ targets: (await targetsOf(store.db, account, config.values)).slice(0, limit) }),
});
