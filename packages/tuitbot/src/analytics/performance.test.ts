import { describe, expect, it, test } from "vitest";
import { bestTimes, heatmap } from "./best-times.ts";
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
    expect(engagementRate({ ...metrics, impressions: 0 })).toBeNull();
  });

  it("takes a like or a reply for a reaction", () => {
    expect(isEngaged({ likes: 0, replies: 0 })).toBe(false);
    expect(isEngaged({ likes: 1, replies: 0 })).toBe(true);
    expect(isEngaged({ likes: 0, replies: 1 })).toBe(true);
  });

  it("has no mean of nothing", () => {
    expect(meanOf(0, 0)).toBeNull();
    expect(meanOf(10, 3)).toBe(3.33);
  });
});

test("the week begins on Monday and has the hours with posts", () => {
  const sums = [
    { weekday: 6, hour: 23, posts: 1, score_sum: 90 },
    { weekday: 0, hour: 9, posts: 2, score_sum: 40 },
    { weekday: 1, hour: 0, posts: 0, score_sum: 0 },
  ];
  expect(heatmap(sums)).toEqual([
    { weekday: "Mon", hour: 9, posts: 2, avg_performance: 20 },
    { weekday: "Sun", hour: 23, posts: 1, avg_performance: 90 },
  ]);
});

test("an hour of the week is called good on five posts or more", () => {
  const sums = [
    { weekday: 6, hour: 23, posts: 4, score_sum: 900 },
    { weekday: 0, hour: 9, posts: 5, score_sum: 40 },
    { weekday: 2, hour: 9, posts: 6, score_sum: 90 },
  ];
  expect(bestTimes(sums).map(({ weekday }) => weekday)).toEqual(["Wed", "Mon"]);
});
