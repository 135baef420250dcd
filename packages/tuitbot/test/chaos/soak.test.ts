import { expect, test } from "vitest";
import { growth, type Sample, soak } from "./soak.ts";

// A short form of `npm run chaos -- soak`, which makes 100,000 calls.
test.each(["stdio", "http"] as const)(
  "a server that answers many calls of every kind over %s holds no more than before",
  { timeout: 300_000 },
  async (transport) => {
    const { ends, complaints } = await soak(transport, 1_000);
    expect(complaints).toEqual([]);
    // Every kind of call was made, and none met a bug.
    expect(Object.keys(ends).sort()).toEqual([
      "cancelled",
      "done",
      "duplicate_request",
      "invalid_input",
      "protocol error",
      "tweet_too_long",
    ]);
  },
);

test("the soak complains about memory and timers that grow, and not about noise", () => {
  const samples = (part: (nth: number) => Partial<Sample>): Sample[] =>
    Array.from({ length: 20 }, (_, nth) => ({
      calls: nth * 1_000,
      heap: 30e6 + (nth % 3) * 1e6,
      rss: 130e6 + (nth % 2) * 10e6,
      timers: nth % 2,
      handles: 9 + (nth % 4),
      listeners: 5,
      ...part(nth),
    }));
  expect(growth(samples(() => ({})))).toEqual([]);
  expect(growth(samples((nth) => ({ heap: 30e6 + nth * 1e6 })))).toEqual([
    "heap grows by 8.6 MB in the last 9000 calls",
  ]);
  expect(growth(samples((nth) => ({ timers: nth, listeners: 5 + nth })))).toEqual([
    "timers grow from 9 to 19",
    "listeners grow from 14 to 24",
  ]);
});
