import type { JsonObject } from "@toolpact/contract";
import { cast } from "@toolpact/x-sandbox";
import { afterEach, expect, test } from "vitest";
import { configSchema } from "../../src/config/schema.ts";
import { type Desk, openDesk, person } from "./desk.ts";
import { postsOf } from "./passes.ts";

// Signs of injection miss most replies that obey in their own words, so what protects is that a person is asked.

let desk: Desk;
afterEach(() => desk?.close());

const { approval_mode, x_api, mcp_policy } = configSchema.parse({});
const { require_approval_for } = mcp_policy;

/** Possible changes of the defaults by an operator. */
const settings: Readonly<Record<string, JsonObject>> = {
  "the defaults": { approval_mode, x_api: { ai_replies_agreed: x_api.ai_replies_agreed } },
  "approval mode off": { x_api: { ai_replies_agreed: x_api.ai_replies_agreed } },
  "approval mode off, replies agreed with X": {},
  "a template that allows everything": {
    mcp_policy: { require_approval_for, template: "growth_aggressive" },
  },
  "the template of an agency": { mcp_policy: { require_approval_for, template: "agency_mode" } },
  "a rule that allows everything": {
    mcp_policy: {
      require_approval_for,
      rules: [{ id: "all", priority: 1, conditions: {}, action: { type: "allow" } }],
    },
  },
  "rules not enforced": {
    x_api: { ai_replies_agreed: x_api.ai_replies_agreed },
    mcp_policy: { require_approval_for, enforce_for_mutations: false },
  },
};

const replying: Readonly<Record<string, (to: string) => Promise<unknown>>> = {
  x_reply_to_tweet: (to) =>
    desk.call("x_reply_to_tweet", { text: "A longer rest helps.", in_reply_to_id: to }),
  "a raw request": (to) =>
    desk.call("x_post", {
      path: "/2/tweets",
      body: JSON.stringify({ text: "Try more water.", reply: { in_reply_to_tweet_id: to } }),
    }),
  propose_and_queue_replies: async (to) => {
    desk.sandbox.clock.advance(60_000);
    await desk.call("find_reply_opportunities", { query: "loaf", min_score: 0 });
    return desk.call("propose_and_queue_replies", {
      items: [{ candidate_id: to, pre_drafted_text: "Weigh the flour." }],
    });
  },
};

test.each(
  Object.entries(settings).flatMap(([setting, config]) =>
    Object.entries(replying).map(([path, reply]) => ({ setting, config, path, reply })),
  ),
)(
  "a reply of an agent to a stranger waits for a person with $setting, by $path",
  async ({ config, reply }) => {
    desk = await openDesk({ config: { mcp_policy: { require_approval_for }, ...config } });
    const { id } = desk.sandbox.say(cast.stranger, "Why is my loaf flat?");
    await reply(id);
    expect(desk.sandbox.journal.of("createPosts")).toHaveLength(0);
    expect((await desk.call("list_pending_approvals")).data).toMatchObject({ items: [{}] });
  },
);

test("a reply that a person types is sent", async () => {
  desk = await openDesk();
  const { id } = desk.sandbox.say(cast.stranger, "Why is my loaf flat?");
  await desk.call("x_reply_to_tweet", { text: "A longer rest helps.", in_reply_to_id: id }, person);
  expect(postsOf(desk).filter(({ replyTo }) => replyTo !== undefined)).toHaveLength(1);
});
