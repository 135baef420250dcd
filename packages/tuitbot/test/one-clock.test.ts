import type { JsonObject } from "@toolpact/contract";
import { cast } from "@toolpact/x-sandbox";
import { expect, test } from "vitest";
import { effectiveConfig } from "../src/config/effective-config.ts";
import { configSchema } from "../src/config/schema.ts";
import type { Profile } from "../src/profiles.ts";
import { catalogFor } from "../src/server/catalog.ts";
import { createCore } from "../src/server/core.ts";
import { sandboxWorld } from "../src/x/sandbox-account.ts";
import type { Envelope } from "./live-server.ts";

const WEEK = 7 * 86_400_000;

/** A sandbox that is a week ahead of this machine, and more with every second. */
function aheadOfTheMachine(profile: Profile) {
  const { sandbox, account } = sandboxWorld("enterprise", { speed: 60 });
  sandbox.clock.advance(WEEK);
  const values = configSchema.parse({ approval_mode: false });
  const core = createCore({
    profile,
    catalog: catalogFor(profile),
    config: effectiveConfig(
      { values, file: undefined, fromEnvironment: [] },
      { env: {}, home: "/", cwd: "/" },
    ),
    account,
  });
  return {
    sandbox,
    async call(tool: string, args: JsonObject): Promise<Envelope> {
      const answer = await core.pipeline.call({ tool, args, caller: { transport: "stdio" } });
      if (answer.kind !== "rendered") throw new Error(answer.kind);
      // Every answer is the envelope.
      return answer.envelope as unknown as Envelope;
    },
  };
}

test.each(["write", "utility-readonly"] as const)(
  "in %s a new post of a fast sandbox is scored as new",
  async (profile) => {
    const { sandbox, call } = aheadOfTheMachine(profile);
    const { id } = sandbox.say(cast.friend, "A new loaf");
    const { data } = await call("score_tweet", { tweet_id: id });
    expect(data).toMatchObject({ recency: configSchema.parse({}).scoring.recency_max });
  },
);

test("a repeat in utility-write may be made again by the clock of the sandbox", async () => {
  const { sandbox, call } = aheadOfTheMachine("utility-write");
  expect(await call("x_post_tweet", { text: "Once" })).toMatchObject({ success: true });
  const before = sandbox.clock.now();
  const { error } = await call("x_post_tweet", { text: "Once" });
  const { repeatable_at } = Object(error?.details) as { readonly repeatable_at: string };
  expect(Date.parse(repeatable_at)).toBeGreaterThan(before);
  sandbox.clock.advance(Date.parse(repeatable_at) - sandbox.clock.now());
  expect(await call("x_post_tweet", { text: "Once" })).toMatchObject({
    error: { reason: "duplicate_content" },
  });
});

test("times of the schedule are those of the sandbox", async () => {
  const { sandbox, call } = aheadOfTheMachine("write");
  const before = sandbox.clock.now();
  const { data } = await call("list_pending_approvals", {});
  const { now } = data as { readonly now: string };
  expect(Date.parse(now)).toBeGreaterThanOrEqual(before);
});
