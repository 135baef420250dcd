import { type Outcome, ok } from "@toolpact/contract";
import * as z from "zod";
import { FOUND_FIELDS, foundPost } from "../../discovery/found-post.ts";
import { type PostFacts, scorePost, scoringKeywords } from "../../discovery/score.ts";
import { errors, xErrors } from "../../errors.ts";
import { allSix } from "../../profiles.ts";
import { peopleOf } from "../../x/shapes/people.ts";
import type { XObject } from "../../x/shapes/x-object.ts";
import { MAX_POST, MAX_WORD } from "../../x/text-limits.ts";
import { askX, type FromX } from "../../x/toolkit/ask-x.ts";
import type { X } from "../../x/x.ts";
import { aPost } from "../params.ts";
import { defineTool } from "../product.ts";

const count = z.int().min(0);
const points = z.number();

export const scoreTweet = defineTool({
  name: "score_tweet",
  searchWords: "rate a post, score a tweet",
  title: "Score a post",
  description:
    "Score how much a post is worth a reply, from 0 to 100, by the configured keywords: by its id, or for free by what an earlier read returned. find_reply_opportunities searches and scores in one call.",
  category: "scoring",
  effect: "none",
  openWorld: true,
  profiles: allSix,
  needs: ["x", "config"],
  errors: xErrors,
  facts: { operations: ["getPostsById"] },
  input: z.strictObject({
    tweet_id: aPost.optional().describe("Post id or URL; without it give all others"),
    text: z.string().max(MAX_POST).optional().describe("Text of the post"),
    author_username: z.string().max(MAX_WORD).optional().describe("Such as @XDevelopers"),
    author_followers: count.optional().describe("Followers of the author"),
    likes: count.optional().describe("Likes of the post"),
    retweets: count.optional().describe("Reposts of the post"),
    replies: count.optional().describe("Replies to the post"),
    created_at: z.string().max(MAX_WORD).optional().describe("Such as 2026-09-01T12:00:00Z"),
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
  handler: async ({ tweet_id, ...given }, { x, config, signal }) => {
    const post = tweet_id === undefined ? givenPost(given) : await readPost(x, tweet_id, signal);
    if (!post.ok) return post;
    const { scoring } = config.values;
    const score = scorePost(post.value, {
      weights: scoring,
      keywords: scoringKeywords(config.values),
      now: x.now(),
    });
    return ok({ ...score, meets_threshold: score.total >= scoring.threshold, threshold: scoring.threshold });
  },
});

async function readPost(x: X, id: string, signal: AbortSignal): Promise<FromX<PostFacts>> {
  const answer = await askX<XObject | null>(x.client, "getPostsById", {
    path: { id },
    query: FOUND_FIELDS,
    signal,
  });
  if (!answer.ok) return answer;
  const { data, includes } = answer.value;
  if (data === null) return errors.fail("not_found", "X has no such post, or does not show it.");
  const { authorFollowers, postedAt, ...post } = foundPost(data, peopleOf(includes));
  return ok({ ...post, followers: authorFollowers, createdAt: postedAt });
}

interface GivenPost {
  readonly text?: string | undefined;
  readonly author_followers?: number | undefined;
  readonly likes?: number | undefined;
  readonly retweets?: number | undefined;
  readonly replies?: number | undefined;
  readonly created_at?: string | undefined;
}

function givenPost(given: GivenPost): Outcome<PostFacts, ReturnType<typeof badPost>["failure"]> {
  const { text, author_followers: followers, likes, retweets: reposts, replies, created_at } = given;
  if (
    text === undefined ||
    followers === undefined ||
    likes === undefined ||
    reposts === undefined ||
    replies === undefined ||
    created_at === undefined
  )
    return badPost(
      "Give `tweet_id`, or all of text, author_followers, likes, retweets, replies and created_at.",
    );
  const createdAt = Date.parse(created_at);
  return Number.isNaN(createdAt)
    ? badPost("`created_at` is not a time such as 2026-09-01T12:00:00Z.")
    : ok({ text, followers, likes, reposts, replies, createdAt });
}

function badPost(message: string) {
  return errors.fail("invalid_input", message, { fixBy: "agent" });
}
