import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configSchema } from "../config/schema.ts";
import { type PostFacts, scorePost, scoringKeywords } from "./score.ts";
import { searchedWords } from "./words.ts";

const { scoring: weights } = configSchema.parse({});
const now = Date.UTC(2026, 8, 1, 12);
const minute = 60_000;

const best: PostFacts = {
  text: "I like rust",
  followers: 5000,
  likes: 300,
  reposts: 40,
  replies: 0,
  createdAt: now - 2 * minute,
};

function score(change: Partial<PostFacts>, keywords: readonly string[] = ["rust", "zig"]) {
  return scorePost({ ...best, ...change }, { weights, keywords, now });
}

it("adds up the worked example to 82.5", () => {
  expect(score({})).toEqual({
    total: 82.5,
    keyword_relevance: 17.5,
    follower: 15,
    recency: 10,
    engagement: 15,
    reply_count: 15,
    content_type: 10,
  });
});

describe("each signal", () => {
  it.each([
    [["rust"], 35],
    [["rust", "zig"], 17.5],
    [["like rust", "zig"], 70 / 3],
    [["RUST"], 35],
    [["like rust", "zig", "go", "java", "perl", "ada", "lisp"], 70 / 3],
    [["I like", "like rust", "zig", "go"], 35],
    [["rus"], 0],
    [["python"], 0],
    [[], 0],
  ])("keywords %j give %d", (keywords, points) => {
    expect(score({}, keywords).keyword_relevance).toBeCloseTo(points, 2);
  });

  it.each([
    [0, 0],
    [50, 3.75],
    [99, 7.43],
    [100, 7.5],
    [550, 11.25],
    [1000, 15],
    [10_000, 15],
    [55_000, 9.38],
    [100_000, 3.75],
    [5_000_000, 3.75],
  ])("%d followers give %d", (followers, points) => {
    expect(score({ followers }).follower).toBeCloseTo(points, 2);
  });

  it.each([
    [-10, 10],
    [0, 10],
    [5, 10],
    [5.9, 10],
    [30, 8],
    [60, 5],
    [360, 2.5],
    [361, 0],
  ])("an age of %d minutes gives %d", (age, points) => {
    expect(score({ createdAt: now - age * minute }).recency).toBeCloseTo(points, 2);
  });

  it("gives nothing for an unknown age", () => {
    expect(score({ createdAt: undefined }).recency).toBe(0);
  });

  it.each([
    [0, 15],
    [5, 11.25],
    [10, 7.5],
    [20, 0],
    [500, 0],
  ])("%d replies give %d", (replies, points) => {
    expect(score({ replies }).reply_count).toBeCloseTo(points, 2);
  });

  it.each([
    [0, 1000, 0],
    [25, 1000, 7.5],
    [50, 1000, 15],
    [5000, 1000, 15],
    [1, 0, 15],
  ])("%d likes at %d followers give %d", (likes, followers, points) => {
    expect(score({ likes, followers, reposts: 0 }).engagement).toBeCloseTo(points, 2);
  });

  it("gives nothing for the kind of a post with media, or of a quote", () => {
    expect(score({ hasMedia: true }).content_type).toBe(0);
    expect(score({ isQuote: true }).content_type).toBe(0);
  });
});

it("the query counts, as much of its best alternative as is in the post", () => {
  const found = (query: string) =>
    scorePost(best, { weights, keywords: ["zig"], searched: searchedWords(query), now }).keyword_relevance;
  expect(["rust", "rust cooking", "python OR rust", "python"].map(found)).toEqual([35, 17.5, 35, 0]);
});

it("the best possible post scores 100 with any weights", () => {
  const points = fc.integer({ min: 1, max: 100 });
  fc.assert(
    fc.property(
      fc.record({
        keyword_relevance_max: points,
        follower_count_max: points,
        recency_max: points,
        engagement_rate_max: points,
        reply_count_max: points,
        content_type_max: points,
      }),
      (weights) => {
        expect(scorePost(best, { weights, keywords: ["rust"], now }).total).toBe(100);
      },
    ),
  );
});

it("a score is between 0 and 100 and the sum of its parts with any weights", () => {
  const points = fc.integer({ min: 0, max: 100 });
  fc.assert(
    fc.property(
      fc.record({
        keyword_relevance_max: points,
        follower_count_max: points,
        recency_max: points,
        engagement_rate_max: points,
        reply_count_max: points,
        content_type_max: points,
      }),
      fc.record({
        followers: fc.nat(),
        likes: fc.nat(),
        reposts: fc.nat(),
        replies: fc.nat(),
        createdAt: fc.nat(),
      }),
      (weights, numbers) => {
        const { total, ...signals } = scorePost(
          { text: "rust", ...numbers },
          { weights, keywords: ["rust"], now },
        );
        const sum = Object.values(signals).reduce((a, b) => a + b, 0);
        expect(total).toBeCloseTo(Math.min(100, sum), 0);
        for (const signal of Object.values(signals)) expect(signal).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});

it("keywords come from product, competitors and topics without duplicates", () => {
  const { business } = configSchema.parse({
    business: {
      product_keywords: ["Rust", "zig"],
      competitor_keywords: ["rust "],
      industry_topics: ["compilers"],
    },
  });
  expect(scoringKeywords({ business })).toEqual(["rust", "zig", "compilers"]);
  expect(scoringKeywords({ business: { ...business, industry_topics: [] } })).toEqual(["rust", "zig"]);
});
