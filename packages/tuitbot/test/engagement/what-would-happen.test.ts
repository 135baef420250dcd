import { afterEach, describe, expect, test } from "vitest";
import { findItem } from "../../src/approval/queue.ts";
import { releaseItem } from "../../src/approval/release.ts";
import { type Desk, openDesk } from "./desk.ts";

let desk: Desk;
afterEach(() => desk.close());

const HOUR = 3_600_000;

describe("a dry run says what the call itself would do", () => {
  const preview = async (text: string) => (await desk.call("x_post_tweet_dry_run", { text })).data;
  const really = async (text: string) => desk.call("x_post_tweet", { text });

  test("send it, or answer it as before, or refuse it as a repetition or a duplicate", async () => {
    desk = await openDesk();
    expect(await preview("Rye today.")).toMatchObject({ would: "send" });
    expect(await really("Rye today.")).toMatchObject({ success: true });
    expect(await preview("Rye today.")).toMatchObject({ would: "refuse" });
    expect(await really("Rye today.")).toMatchObject({ success: false });
    desk.sandbox.clock.advance(HOUR);
    expect(await preview("Rye today.")).toMatchObject({ would: "replay" });
    expect(await really("Rye today.")).toMatchObject({
      success: true,
      meta: { replayed: expect.anything() },
    });
    // Other arguments, the same words for X.
    expect(await preview("Rye  today.")).toMatchObject({
      would: "refuse",
      duplicate_of: expect.any(String),
      why: expect.stringContaining("same words"),
    });
    expect(await really("Rye  today.")).toMatchObject({ error: { reason: "duplicate_content" } });
    desk.sandbox.clock.advance(25 * HOUR);
    expect(await preview("Rye  today.")).toMatchObject({ would: "send" });
    expect(await really("Rye  today.")).toMatchObject({ success: true });
  });

  test("queue it, or refuse it for a limit or a price", async () => {
    desk = await openDesk({ config: { approval_mode: true, limits: { max_tweets_per_day: 1 } } });
    expect(await preview("Rye today.")).toMatchObject({ would: "queue" });
    expect(await preview("See https://example.com")).toMatchObject({ would: "refuse" });
  });

  test.each([
    ["a thread within the limit", 3, { limits: { max_tweets_per_day: 3 } }],
    ["a thread of more posts than the limit allows", 4, { limits: { max_tweets_per_day: 3 } }],
    ["a thread for which too little of the limit is left", 3, { limits: { max_tweets_per_day: 3 } }, 1],
    ["a thread above the cap of a call", 4, { budget: { max_usd_per_call: 0.05 } }],
    ["a thread above the cap of the day", 4, { budget: { max_usd_per_day: 0.05 } }],
    ["a thread that a person approves, within the limit", 3, { approval_mode: true }],
    [
      "a thread that a person approves, above the limit",
      4,
      { approval_mode: true, limits: { max_tweets_per_day: 3 } },
    ],
  ])("for %s", async (_, count, config, before = 0) => {
    desk = await openDesk({ config });
    for (let number = 0; number < before; number++) await really(`Before it, ${number}.`);
    const tweets = Array.from({ length: count }, (_, index) => `Part ${index + 1}.`);
    const { would } = Object((await desk.call("x_post_thread_dry_run", { tweets })).data);
    const { success, data } = await desk.call("x_post_thread", { tweets });
    expect(would).toBe(!success ? "refuse" : Object(data).status === "queued" ? "queue" : "send");
  });
});

describe("get_action_counts", () => {
  test("counts a call that waited, was made again and was released as one try", async () => {
    desk = await openDesk({ config: { approval_mode: true } });
    await desk.call("x_post_tweet", { text: "One" });
    await desk.call("x_post_tweet", { text: "One" });
    await desk.call("x_post_tweet", { text: "Two" });
    const { store, account } = desk.services.db;
    const item = await findItem(store.db, account, 1);
    if (!item.ok) throw new Error(item.failure.message);
    await releaseItem(desk.services.approvals, 1, { digest: item.value.digest, by: "terminal" });
    expect(await desk.call("get_action_counts")).toMatchObject({
      data: { counts: [{ action_type: "x_post_tweet", tried: 2, done: 1 }] },
    });
  });
});

test("the metrics of one tool can be asked for, and those of all are few", async () => {
  desk = await openDesk();
  for (const tool of ["get_mode", "get_mode", "get_stats"]) await desk.call(tool);
  const tools = async (args: object) =>
    (
      (await desk.call("get_mcp_tool_metrics", { ...args })).data as { tools: { tool_name: string }[] }
    ).tools.map(({ tool_name }) => tool_name);
  expect(await tools({})).toEqual(["get_mode", "get_stats"]);
  expect(await tools({ limit: 1 })).toEqual(["get_mode"]);
  expect(await tools({ tool_name: "get_stats" })).toEqual(["get_stats"]);
});
