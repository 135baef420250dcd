import { type JsonObject, ok } from "@toolpact/contract";
import { cast, type Sandbox } from "@toolpact/x-sandbox";
import { describe, expect, test } from "vitest";
import { effectiveConfig } from "../../src/config/effective-config.ts";
import { configSchema } from "../../src/config/schema.ts";
import {
  type RecentCall,
  type RecentCalls,
  recentCallsInMemory,
} from "../../src/guards/stack/recent-calls-file.ts";
import type { Profile } from "../../src/profiles.ts";
import { catalogFor } from "../../src/server/catalog.ts";
import { createCore } from "../../src/server/core.ts";
import { inMemory } from "../../src/server/persistence.ts";
import { sandboxWorld } from "../../src/x/sandbox-account.ts";
import type { Envelope } from "../live-server.ts";

type ArgsFor = (sandbox: Sandbox, more: string) => JsonObject;

const onPost: ArgsFor = (sandbox, more) => ({ tweet_id: sandbox.say(cast.friend, `A post${more}`).id });
const onPerson: ArgsFor = (sandbox, more) => ({
  target_user_id: sandbox.person(more === "" ? cast.friend : cast.stranger).id,
});

/** The tools whose repeats are rejected, by the specification. */
const GUARDED: Readonly<Record<string, ArgsFor>> = {
  x_post_tweet: (_, more) => ({ text: `A post${more}` }),
  x_reply_to_tweet: (sandbox, more) => ({
    text: more === "" ? "Rye flour does that." : "My oven has no window, so I could not tell.",
    in_reply_to_id: sandbox.say(cast.friend, `A question${more}?`).id,
  }),
  x_quote_tweet: (sandbox, more) => ({
    text: `Read this${more}`,
    quoted_tweet_id: sandbox.say(cast.friend, `A story${more}`).id,
  }),
  x_post_thread: (_, more) => ({ tweets: [`First${more}`, `Second${more}`] }),
  x_like_tweet: onPost,
  x_follow_user: onPerson,
  x_retweet: onPost,
  x_bookmark_tweet: onPost,
};

/** Tools whose repeats change nothing and are not rejected. */
const UNGUARDED: Readonly<Record<string, ArgsFor>> = {
  x_unlike_tweet: onPost,
  x_unfollow_user: onPerson,
  x_unretweet: onPost,
  x_unbookmark_tweet: onPost,
  x_delete_tweet: (sandbox, more) => ({ tweet_id: sandbox.say(cast.owner, `Not for long${more}`).id }),
};

/** A server that needs no approval, on a clock that stands still until moved. */
function serve(profile: Profile, recentCalls: RecentCalls = recentCallsInMemory()) {
  const { sandbox, account } = sandboxWorld("enterprise");
  let now = 1_000_000;
  const clock = { now: () => now, after: () => () => {} };
  const values = configSchema.parse({
    approval_mode: false,
    mcp_policy: { require_approval_for: [], enforce_for_mutations: false },
    limits: { max_replies_per_author_per_day: 50, max_threads_per_week: 50 },
    x_api: { ai_replies_agreed: true },
  });
  const core = createCore({
    profile,
    catalog: catalogFor(profile),
    config: effectiveConfig(
      { values, file: undefined, fromEnvironment: [] },
      { env: {}, home: "/", cwd: "/" },
    ),
    account: { ...account, clock },
    persistence: { ...inMemory(), recentCalls },
    clock,
  });
  return {
    sandbox,
    move: (ms: number) => {
      now += ms;
    },
    async call(tool: string, args: JsonObject): Promise<Envelope> {
      const answer = await core.pipeline.call({ tool, args, caller: { transport: "cli" } });
      if (answer.kind !== "rendered") throw new Error(answer.kind);
      // Every answer is the envelope; tests check what is in it.
      return answer.envelope as unknown as Envelope;
    },
  };
}

const duplicate = { success: false, error: { code: "validation_error", reason: "duplicate_request" } };
const changesIn = (sandbox: Sandbox) =>
  sandbox.journal.entries.filter(({ method }) => method !== "GET").length;

describe.each(["utility-write", "write", "admin"] as const)("in the profile %s", (profile) => {
  test.each(Object.entries(GUARDED))(
    "%s is rejected if it is repeated within 30 seconds, and only with the same arguments",
    async (tool, argsFor) => {
      const { sandbox, move, call } = serve(profile);
      const args = argsFor(sandbox, "");
      expect(await call(tool, args)).toMatchObject({ success: true });
      const sent = changesIn(sandbox);
      move(20_000);
      expect(await call(tool, args)).toMatchObject(duplicate);
      expect(changesIn(sandbox)).toBe(sent);
      expect(await call(tool, argsFor(sandbox, ", another."))).toMatchObject({ success: true });
    },
  );

  test.each(Object.entries(GUARDED))(
    "%s is not rejected as a repeat after 30 seconds",
    async (tool, argsFor) => {
      const { sandbox, move, call } = serve(profile);
      const args = argsFor(sandbox, "");
      expect(await call(tool, args)).toMatchObject({ success: true });
      move(30_001);
      expect(await call(tool, args)).not.toMatchObject(duplicate);
    },
  );

  test.each(Object.entries(UNGUARDED))("%s is never rejected as a repeat", async (tool, argsFor) => {
    const { sandbox, call } = serve(profile);
    const args = argsFor(sandbox, "");
    expect(await call(tool, args)).toMatchObject({ success: true });
    expect(await call(tool, args)).not.toMatchObject(duplicate);
  });

  test("a read is never rejected as a repeat", async () => {
    const { call } = serve(profile);
    for (let times = 0; times < 3; times++)
      expect(await call("x_get_user_by_username", { username: cast.friend })).toMatchObject({
        success: true,
      });
  });
});

test("a call that is over is forgotten with the next call", async () => {
  let recent: readonly RecentCall[] = [];
  const { move, call } = serve("utility-write", {
    check: async () => ok(true),
    async change(change) {
      const changed = change(recent);
      recent = changed.calls;
      return ok(changed.result);
    },
  });
  await call("x_post_tweet", { text: "The first." });
  const [first] = recent;
  expect(recent).toHaveLength(1);
  move(30_001);
  await call("x_post_tweet", { text: "The second." });
  expect(recent).toHaveLength(1);
  expect(recent).not.toContainEqual(first);
});
