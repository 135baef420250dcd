import { describe, expect, it, test } from "vitest";
import { bestTimes, confidenceOf, heatmap } from "./best-times.ts";
import { engagementRate, isEngaged, meanOf, performanceScore } from "./performance.ts";

const metrics = { likes: 10, replies: 4, reposts: 5, bookmarks: 1, impressions: 1_000 };

describe("performance", () => {
  it("weighs replies most, then reposts, then likes, per thousand views", () => {
    expect(performanceScore(metrics)).toBe(70);
    expect(performanceScore({ ...metrics, impressions: 0 })).toBe(70_000);
    expect(performanceScore({ ...metrics, likes: 0, replies: 0, reposts: 0 })).toBe(0);
  });

  it("counts everybody who did something, and nobody where nobody saw it", () => {
    expect(engagementRate(metrics)).toBe(0.02);
    expect(engagementRate({ ...metrics, impressions: 0 })).toBe(0);
  });

  it("takes a like or a reply for a reaction", () => {
    expect(isEngaged({ likes: 0, replies: 0 })).toBe(false);
    expect(isEngaged({ likes: 1, replies: 0 })).toBe(true);
    expect(isEngaged({ likes: 0, replies: 1 })).toBe(true);
  });

  it("has no mean of nothing", () => {
    expect(meanOf(0, 0)).toBe(0);
    expect(meanOf(10, 3)).toBe(3.33);
  });
});

test.each([
  [0, 0],
  [1, 20],
  [2, 50],
  [3, 65],
  [4, 80],
  [5, 90],
  [9, 94],
  [15, 100],
  [100, 100],
])("%d posts in an hour make it %d sure", (posts, confidence) => {
  expect(confidenceOf(posts)).toBe(confidence);
});

test("the week begins on Monday and has 168 hours", () => {
  const sums = [
    { weekday: 0, hour: 9, posts: 2, score_sum: 40 },
    { weekday: 6, hour: 23, posts: 1, score_sum: 90 },
  ];
  const cells = heatmap(sums);
  expect(cells).toHaveLength(168);
  expect(cells[9]).toEqual({ weekday: "Mon", hour: 9, posts: 2, avg_performance: 20, confidence: 50 });
  expect(cells[167]).toMatchObject({ weekday: "Sun", hour: 23, avg_performance: 90 });
  expect(cells[0]).toEqual({ weekday: "Mon", hour: 0, posts: 0, avg_performance: 0, confidence: 0 });
  expect(bestTimes(sums).map(({ weekday }) => weekday)).toEqual(["Sun", "Mon"]);
});
