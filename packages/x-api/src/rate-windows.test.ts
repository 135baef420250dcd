import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operations } from "./operations/index.ts";
import { RateWindows } from "./rate-windows.ts";

const now = 1_800_000_000_000;
const seconds = now / 1000;

function headers(
  rows: Readonly<Record<string, readonly [limit: number, remaining: number, reset: number]>>,
): Headers {
  const all = new Headers();
  for (const [prefix, [limit, remaining, reset]] of Object.entries(rows)) {
    all.set(`${prefix}-limit`, String(limit));
    all.set(`${prefix}-remaining`, String(remaining));
    all.set(`${prefix}-reset`, String(reset));
  }
  return all;
}

describe("rate windows", () => {
  it("reads the 15-minute window and both 24-hour windows from the headers", () => {
    const windows = new RateWindows();
    const given = headers({
      "x-rate-limit": [100, 99, seconds + 900],
      "x-app-limit-24hour": [10_000, 9000, seconds + 80_000],
      "x-user-limit-24hour": [300, 12, seconds + 70_000],
    });
    const seen = windows.observe(operations.createPosts, "createPosts", "user", given, now);
    expect(seen.map((w) => [w.scope, w.seconds, w.limit, w.remaining, w.resetAt - now])).toEqual([
      ["user", 900, 100, 99, 900_000],
      ["app", 86_400, 10_000, 9000, 80_000_000],
      ["user", 86_400, 300, 12, 70_000_000],
    ]);
    expect(windows.running(now, "createPosts")).toEqual(seen);
    expect(windows.running(now, "deletePosts")).toEqual([]);
  });

  it("keeps the windows of the user and of the app apart", () => {
    const windows = new RateWindows();
    const given = (remaining: number) => headers({ "x-rate-limit": [300, remaining, seconds + 900] });
    windows.observe(operations.searchPostsRecent, "searchPostsRecent", "user", given(5), now);
    windows.observe(operations.searchPostsRecent, "searchPostsRecent", "app", given(200), now);
    expect(windows.running(now).map((w) => [w.scope, w.remaining])).toEqual([
      ["user", 5],
      ["app", 200],
    ]);
  });

  it("counts X's per-second limits, which have no header", () => {
    const windows = new RateWindows();
    const given = headers({ "x-rate-limit": [300, 299, seconds + 900] });
    windows.observe(operations.searchPostsAll, "searchPostsAll", "app", given, now);
    expect(windows.running(now)).toMatchObject([
      { seconds: 900, remaining: 299 },
      { seconds: 1, limit: 1, remaining: 0, resetAt: now + 1000 },
    ]);
    expect(windows.running(now + 1000)).toMatchObject([{ seconds: 900 }]);
  });

  it("reads the per-second limit if X sends it", () => {
    const windows = new RateWindows();
    const given = headers({ "x-rate-limit": [1, 0, seconds + 1] });
    windows.observe(operations.searchPostsAll, "searchPostsAll", "app", given, now);
    expect(windows.running(now)).toMatchObject([{ seconds: 1, limit: 1, remaining: 0, resetAt: now + 1000 }]);
  });

  it.each(["", "many", "-1", "1.5", "1e400"])("takes no window from a header that says %j", (nonsense) => {
    const given = headers({ "x-rate-limit": [100, 99, seconds + 900] });
    given.set("x-rate-limit-remaining", nonsense);
    const windows = new RateWindows();
    expect(windows.observe(operations.createPosts, "createPosts", "user", given, now)).toEqual([]);
  });

  const answer = fc.record({
    limit: fc.integer({ min: 1, max: 100 }),
    remaining: fc.integer({ min: 0, max: 120 }),
    window: fc.integer({ min: 0, max: 3 }),
    at: fc.integer({ min: 0, max: 3600 }),
  });

  it("hides expired windows, counts above the limit, and duplicates", () => {
    fc.assert(
      fc.property(
        fc.array(answer, { maxLength: 30 }),
        fc.integer({ min: 0, max: 3600 }),
        (answers, later) => {
          const windows = new RateWindows();
          for (const a of answers) {
            const given = headers({ "x-rate-limit": [a.limit, a.remaining, seconds + (a.window + 1) * 900] });
            windows.observe(operations.createPosts, "createPosts", "user", given, now + a.at * 1000);
          }
          const running = windows.running(now + later * 1000);
          expect(running.length).toBeLessThanOrEqual(1);
          for (const w of running) {
            expect(w.resetAt).toBeGreaterThan(now + later * 1000);
            expect(w.remaining).toBeLessThanOrEqual(w.limit);
          }
        },
      ),
    );
  });

  it("ends with the latest state for any order of answers in a window", () => {
    const shuffled = fc
      .integer({ min: 1, max: 20 })
      .chain((sent) => fc.shuffledSubarray([...Array(sent).keys()], { minLength: sent, maxLength: sent }));
    fc.assert(
      fc.property(shuffled, (order) => {
        const windows = new RateWindows();
        for (const i of order) {
          const given = headers({ "x-rate-limit": [50, 49 - i, seconds + 900] });
          windows.observe(operations.createPosts, "createPosts", "user", given, now);
        }
        expect(windows.running(now)).toMatchObject([{ remaining: 50 - order.length }]);
      }),
    );
  });

  it("resets for a new window, and ignores late answers of the old one", () => {
    const windows = new RateWindows();
    const observe = (remaining: number, reset: number, at: number) =>
      windows.observe(
        operations.createPosts,
        "createPosts",
        "user",
        headers({ "x-rate-limit": [50, remaining, reset] }),
        at,
      );
    observe(3, seconds + 900, now);
    observe(49, seconds + 1800, now + 900_000);
    observe(2, seconds + 900, now + 900_001);
    expect(windows.running(now + 900_001)).toMatchObject([{ remaining: 49 }]);
  });
});
