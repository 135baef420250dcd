import { ok, systemClock } from "@toolpact/contract";
import * as z from "zod";
import { scorePost, scoringKeywords } from "../../discovery/score.ts";
import { errors } from "../../errors.ts";
import { allSix } from "../../profiles.ts";
import { MAX_POST, MAX_WORD } from "../../x/text-limits.ts";
import { defineTool } from "../product.ts";

const count = z.int().min(0);
const points = z.number();

export const scoreTweet = defineTool({
  name: "score_tweet",
  searchWords: "rate a post, score a tweet",
  title: "Score a post",
  description:
    "Score how much a post is worth a reply, from 0 to 100, by the configured keywords. Take the numbers from a read such as get_tweet_by_id. find_reply_opportunities searches and scores in one call.",
  category: "scoring",
  effect: "none",
  openWorld: false,
  profiles: allSix,
  needs: ["config"],
  errors: ["invalid_input"],
  deadlineMs: Number.POSITIVE_INFINITY,
  input: z.strictObject({
    text: z.string().max(MAX_POST).describe("Text of the post"),
    author_username: z.string().max(MAX_WORD).describe("Such as @XDevelopers"),
    author_followers: count.describe("Followers of the author"),
    likes: count.describe("Likes of the post"),
    retweets: count.describe("Reposts of the post"),
    replies: count.describe("Replies to the post"),
    created_at: z.string().max(MAX_WORD).describe("Such as 2026-09-01T12:00:00Z"),
  }),
  output: z.object({
    total: points,
    keyword_relevance: points,
    follower: points,
    recency: points,
    engagement: points,
    reply_count: points,
    content_type: points,
    meets_threshold: z.boolean(),
    threshold: points,
  }),
  handler: ({ text, author_followers, likes, retweets, replies, created_at }, { config }) => {
    const createdAt = Date.parse(created_at);
    if (Number.isNaN(createdAt)) {
      return errors.fail("invalid_input", "`created_at` is not a time such as 2026-09-01T12:00:00Z.", {
        fixBy: "agent",
      });
    }
    const { scoring } = config.values;
    const score = scorePost(
      { text, followers: author_followers, likes, reposts: retweets, replies, createdAt },
      { weights: scoring, keywords: scoringKeywords(config.values), now: systemClock.now() },
    );
    return ok({ ...score, meets_threshold: score.total >= scoring.threshold, threshold: scoring.threshold });
  },
});
