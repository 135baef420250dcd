import type { Clock } from "@toolpact/contract";
import { cast } from "@toolpact/x-sandbox";
import { describe, expect, test } from "vitest";
import { effectiveConfig } from "../config/effective-config.ts";
import { configSchema } from "../config/schema.ts";
import type { Profile } from "../profiles.ts";
import { connectX } from "../x/connect-x.ts";
import { sandboxWorld } from "../x/sandbox-account.ts";
import { catalogFor } from "./catalog.ts";
import { createCore } from "./core.ts";

/** A clock that the test moves; nothing it was asked to do later is ever done. */
function heldClock(): Clock & { now: () => number; move: (ms: number) => void } {
  let time = 1_000_000;
  return {
    now: () => time,
    after: () => () => {},
    move(ms) {
      time += ms;
    },
  };
}

/** Pauses between retries are over at once; timeouts never come. */
const hastyClock: Clock = {
  now: Date.now,
  after(ms, run) {
    if (ms < 7_000) queueMicrotask(run);
    return () => {};
  },
};

/** Nobody has to approve. */
const unasked = { approval_mode: false, mcp_policy: { require_approval_for: [] } };

function stage(profile: Profile, config: object = {}) {
  const { sandbox, account } = sandboxWorld("enterprise");
  const clock = heldClock();
  const place = { env: {}, home: "/", cwd: "/" };
  const values = configSchema.parse({ ...unasked, ...config });
  const core = createCore({
    profile,
    catalog: catalogFor(profile),
    config: effectiveConfig({ values, file: undefined, fromEnvironment: [] }, place),
    account: { ...account, clock: { ...hastyClock, now: clock.now } },
    clock,
  });
  const call = async (tool: string, args: object) => {
    const answer = await core.pipeline.call({ tool, args: { ...args }, caller: { transport: "cli" } });
    if (answer.kind !== "rendered") throw new Error(answer.kind);
    return answer.envelope;
  };
  return { sandbox, clock, call };
}

describe.each(["utility-write", "write", "admin"] as const)("in %s", (profile) => {
  test("the same post within 30 seconds is refused", async () => {
    const { sandbox, clock, call } = stage(profile);
    const text = "Only once.";
    expect(await call("x_post_tweet", { text })).toMatchObject({ success: true });
    // X's clock runs on while the test does.
    clock.move(20_000);
    const again = await call("x_post_tweet", { text });
    expect(again).toMatchObject({
      success: false,
      error: { code: "validation_error", reason: "duplicate_request", retryable: false },
    });
    // A failure that is not retryable does not say when to retry.
    expect(again?.error).not.toHaveProperty("retry_after_ms");
    expect(sandbox.journal.of("createPosts")).toHaveLength(1);
  });

  test("what X refused can be tried again at once, and undoing is never refused", async () => {
    const { sandbox, call } = stage(profile);
    const tweet_id = sandbox.say(cast.friend, "Like this.").id;
    sandbox.faults.add({ operation: "likePost", kind: "rate_limited" });
    expect(await call("x_like_tweet", { tweet_id })).toMatchObject({ error: { code: "x_rate_limited" } });
    expect(await call("x_like_tweet", { tweet_id })).toMatchObject({ success: true });
    expect(await call("x_unlike_tweet", { tweet_id })).toMatchObject({ success: true });
    expect(await call("x_unlike_tweet", { tweet_id })).toMatchObject({ success: true });
  });
});

describe("the same post after 30 seconds", () => {
  const text = "Once more.";

  test("is refused until then, to the millisecond where nothing is kept", async () => {
    const { sandbox, clock, call } = stage("utility-write");
    await call("x_post_tweet", { text });
    clock.move(29_999);
    expect(await call("x_post_tweet", { text })).toMatchObject({
      error: {
        reason: "duplicate_request",
        details: { repeatable_at: new Date(clock.now() + 1).toISOString() },
      },
    });
    expect(sandbox.journal.of("createPosts")).toHaveLength(1);
  });

  test("is sent again where nothing is kept, and X decides", async () => {
    const { clock, call } = stage("utility-write");
    await call("x_post_tweet", { text });
    clock.move(30_000);
    expect(await call("x_post_tweet", { text })).toMatchObject({
      error: { code: "x_forbidden", reason: "duplicate_content" },
    });
  });

  test.each(["write", "admin"] as const)("gets the first answer in %s", async (profile) => {
    const { sandbox, clock, call } = stage(profile);
    const first = await call("x_post_tweet", { text });
    clock.move(30_000);
    expect(await call("x_post_tweet", { text })).toMatchObject({
      success: true,
      data: first?.data,
      meta: { replayed: true },
    });
    expect(sandbox.journal.of("createPosts")).toHaveLength(1);
  });
});

describe("metadata", () => {
  test("says what a call cost and how often X had to be asked again", async () => {
    const { sandbox, call } = stage("readonly");
    sandbox.faults.add({ operation: "getUsersByUsername", kind: "error" });
    expect(await call("x_get_user_by_username", { username: cast.friend })).toMatchObject({
      success: true,
      meta: { cost: { estimated_usd: 0.01 }, retry_count: 1 },
    });
    expect(await call("get_config", {})).not.toHaveProperty("meta.cost");
  });

  test("calls at the same time have separate bills", async () => {
    const { call } = stage("readonly");
    const [one, ten] = await Promise.all([
      call("x_get_user_by_username", { username: cast.friend }),
      call("x_search_tweets", { query: "the", max_results: 10 }),
    ]);
    expect(one).toMatchObject({ meta: { cost: { estimated_usd: 0.01 } } });
    expect(ten).not.toMatchObject({ meta: { cost: { estimated_usd: 0.01 } } });
  });

  test("mode and approval follow the configuration", async () => {
    const { call } = stage("write", { mode: "composer", approval_mode: false });
    expect(await call("get_mode", {})).toMatchObject({
      data: { mode: "composer", approval_mode: true },
      meta: { mode: "composer", approval_mode: true },
    });
  });
});

describe("who is signed in", () => {
  test("is asked of X once, however many ask", async () => {
    const { sandbox, account } = sandboxWorld("enterprise");
    const x = connectX(account);
    const answers = await Promise.all([x.me(), x.me(), x.me()]);
    expect(new Set(answers.map((answer) => answer.ok && answer.value.username))).toEqual(
      new Set([cast.owner]),
    );
    await x.me();
    expect(sandbox.journal.of("getUsersMe")).toHaveLength(1);
  });

  test("is asked again after a failure, and one caller's giving up ends nobody else's question", async () => {
    const { sandbox, account } = sandboxWorld("enterprise");
    const x = connectX(account);
    sandbox.faults.add({ operation: "getUsersMe", kind: "rate_limited" });
    expect(await x.me()).toMatchObject({ ok: false, failure: { kind: "rate_limited" } });
    const [givenUp, other] = await Promise.all([x.me(AbortSignal.abort()), x.me()]);
    expect(givenUp).toMatchObject({ ok: false, failure: { cause: "aborted" } });
    expect(other).toMatchObject({ ok: true });
  });
});
