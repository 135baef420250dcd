import * as z from "zod";
import { xErrors } from "../../errors.ts";
import type { TuitbotTool } from "../../guards/call/tool-facts.ts";
import { writeUpAndUtility, writeUpAndUtilityWrite } from "../../profiles.ts";
import { handles, postIds } from "../../x/ids.ts";
import { flagIn } from "../../x/shapes/x-object.ts";
import { MAX_PATH, MAX_WORD } from "../../x/text-limits.ts";
import { readCounts } from "../../x/toolkit/read.ts";
import { aPost, HIDDEN } from "../params.ts";
import { defineTool } from "../product.ts";
import { byId, xReadPage } from "./x-read.ts";
import { xWrite } from "./x-write.ts";

const looking = { category: "read", profiles: writeUpAndUtility } as const;
const hiding = { category: "moderation", profiles: writeUpAndUtilityWrite } as const;
const ofPost = byId(aPost);
const time = z.string().max(MAX_WORD).optional().describe("Such as 2026-09-01T12:00:00Z");

const hidden = z.object({ hidden: z.boolean(), id: z.string() });

export const postTools: readonly TuitbotTool[] = [
  xReadPage({
    name: "x_v2_tweets_lookup",
    searchWords: "several posts by id",
    title: "Get posts by ids",
    description: "Get up to 100 posts by id in one request. Posts that X does not show are in `missing`.",
    ...looking,
    operation: "getPostsByIds",
    kind: "posts",
    params: { ids: postIds.describe("Up to 100 ids or URLs, comma-separated: 20,1460323737035677698") },
    fields: ["tweet_fields", "user_fields", "expansions"],
    place: ({ ids }) => ({ query: { ids } }),
  }),
  xReadPage({
    name: "x_v2_users_lookup_by_usernames",
    searchWords: "several profiles by name, look up many people",
    title: "Get people by names",
    description:
      "Get up to 100 profiles by @name in one request. Names that X does not show are in `missing`.",
    ...looking,
    operation: "getUsersByUsernames",
    kind: "users",
    params: { usernames: handles.describe("Up to 100 names, comma-separated: XDevelopers,TwitterDev") },
    fields: ["user_fields", "expansions"],
    place: ({ usernames }) => ({ query: { usernames } }),
  }),
  xReadPage({
    name: "x_v2_tweets_retweeted_by",
    searchWords: "who retweeted my post, who shared a post",
    title: "List who reposted a post",
    description: "List the people who reposted a post. Posts that quote it are in x_v2_tweets_quote_tweets.",
    ...looking,
    operation: "getPostsRepostedBy",
    kind: "users",
    ...ofPost,
    page: [1, 100],
    fields: ["user_fields"],
  }),
  xReadPage({
    name: "x_v2_tweets_quote_tweets",
    searchWords: "who quoted my post, quotes of a post",
    title: "List quotes of a post",
    description: "List the posts that quote a post, newest first.",
    ...looking,
    operation: "getPostsQuotedPosts",
    kind: "posts",
    ...ofPost,
    page: [10, 100],
    fields: ["tweet_fields", "user_fields", "expansions"],
  }),
  defineTool({
    name: "x_v2_tweets_counts_recent",
    searchWords:
      "how many posts about a topic, how often is something mentioned, count tweets, volume of a hashtag, trend of a keyword",
    title: "Count posts over time",
    description:
      "Count the posts of the last 7 days that match a query, per minute, hour or day. Cheaper than x_search_tweets where only numbers matter.",
    category: "read",
    effect: "none",
    openWorld: true,
    profiles: writeUpAndUtilityWrite,
    needs: ["x"],
    errors: xErrors,
    facts: { operations: ["getPostsCountsRecent"] },
    input: z.strictObject({
      query: z.string().min(1).max(MAX_PATH).describe("As for x_search_tweets, such as #rust lang:en"),
      granularity: z.enum(["minute", "hour", "day"]).default("day").describe("Length of one step"),
      start_time: time,
      end_time: time,
    }),
    output: z.object({
      counts: z.array(z.object({ start: z.string(), end: z.string(), count: z.number() })),
      total: z.number(),
    }),
    handler: (query, { x, signal }) => readCounts(x.client, { query, signal }),
  }),
  xWrite({
    name: "x_v2_tweets_hide_reply",
    searchWords: "hide a reply, hide a comment under my post",
    title: "Hide a reply",
    description:
      "Hide somebody's reply below a post of yours; readers have to open it. Undo with x_v2_tweets_unhide_reply.",
    ...hiding,
    effect: "mark",
    operation: "hidePostsReply",
    params: { id: aPost, hidden: z.literal(true).default(true).meta(HIDDEN) },
    place: ({ id }) => ({ path: { tweet_id: id }, body: { hidden: true } }),
    output: hidden,
    answer: (data, { id }) => ({ hidden: flagIn(data, "hidden") ?? true, id }),
  }),
  xWrite({
    name: "x_v2_tweets_unhide_reply",
    searchWords: "show a hidden reply again, unhide",
    title: "Show a hidden reply",
    description: "Show a reply again that you had hidden.",
    ...hiding,
    effect: "undo",
    operation: "hidePostsReply",
    params: { id: aPost, hidden: z.literal(false).default(false).meta(HIDDEN) },
    place: ({ id }) => ({ path: { tweet_id: id }, body: { hidden: false } }),
    output: hidden,
    answer: (data, { id }) => ({ hidden: flagIn(data, "hidden") ?? false, id }),
  }),
];
