import { cast } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Agent } from "../../src/agents/agent.ts";
import { saveAgent } from "../../src/agents/agents.ts";
import { approvalsFor } from "../../src/app/approvals.ts";
import { agent, type Desk, openDesk, ownerOf } from "./desk.ts";

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk({ config: { mcp_policy: { require_approval_for: ["x_follow_user"] } } });
});
afterEach(() => desk?.close());

interface Made {
  readonly results: readonly { readonly status: string; readonly approval_queue_id?: number }[];
}

const people = () =>
  [...desk.sandbox.world.people.values()].filter(({ id }) => id !== ownerOf(desk)).slice(0, 3);

async function approve(id: number): Promise<void> {
  const owner = approvalsFor(desk.services, {
    by: "person via cli",
    mayDecide: async () => true,
    signal: new AbortController().signal,
  });
  const found = await owner.find(id);
  const approved = found.ok ? await owner.approve(found.value) : found;
  if (!approved.ok) throw new Error(approved.failure.message);
}

describe("make_calls", () => {
  test("queues each call that needs approval with the note, and its decisions are announced", async () => {
    const calls = people().map(({ id }) => ({ tool: "x_follow_user", args: { user_id: id } }));
    const { data } = await desk.call("make_calls", { calls, note: "They baked with us." });
    const { results } = data as Made;
    expect(results.map(({ status }) => status)).toEqual(["queued", "queued", "queued"]);
    const { data: waiting } = await desk.call("list_pending_approvals");
    expect(Object(waiting).items.map(({ note }: { note: string }) => note)).toEqual(
      calls.map(() => "They baked with us."),
    );
    for (const { approval_queue_id } of results) await approve(approval_queue_id ?? 0);
    expect((await desk.call("get_pending_count")).meta?.decisions).toMatchObject(
      calls.map(() => ({ status: "executed" })),
    );
  });

  test("its items are approved by one question, without others that wait", async () => {
    await desk.close();
    const asking = { require_approval_for: ["x_follow_user"] };
    desk = await openDesk({ config: { mcp_policy: asking, approvals: { allow_agent: true } } });
    const [other, ...planned] = people().map(({ id }) => ({ tool: "x_follow_user", args: { user_id: id } }));
    await desk.call("x_follow_user", { ...other?.args });
    const { data } = await desk.call("make_calls", { calls: planned });
    const ids = (data as Made).results.map(({ approval_queue_id = 0 }) => approval_queue_id);
    expect((await desk.call("approve_all", { ids })).data).toMatchObject({ approved: 2, ids });
    expect((await desk.call("get_pending_count")).data).toEqual({ pending_count: 1 });
  });

  test("carries out what needs no approval, and goes on after a call that fails", async () => {
    const { id } = desk.sandbox.say(cast.friend, "Worth keeping.");
    const calls = [
      { tool: "x_bookmark_tweet", args: { tweet_id: id } },
      { tool: "x_bookmark_tweet", args: { text: "no post" } },
      { tool: "x_v2_mutes_create", args: { target_user_id: `@${cast.stranger}` } },
    ];
    const { data } = await desk.call("make_calls", { calls });
    expect(data).toMatchObject({
      results: [
        { status: "executed", index: 0, result: { bookmarked: true } },
        { status: "failed", index: 1, code: "invalid_input" },
        { status: "executed", index: 2 },
      ],
    });
  });

  test.each(["approve_item", "approve_all", "make_calls", "undo_last", "x_search_tweets", "x_never_was"])(
    "refuses a list with %s before any of it is made",
    async (tool) => {
      const { id } = desk.sandbox.say(cast.friend, "Not to be kept.");
      const calls = [
        { tool: "x_bookmark_tweet", args: { tweet_id: id } },
        { tool, args: {} },
      ];
      const before = desk.sandbox.journal.entries.length;
      expect((await desk.call("make_calls", { calls })).error).toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining(tool),
      });
      expect(desk.sandbox.journal.entries).toHaveLength(before);
    },
  );

  test("holds an agent to its own limits", async () => {
    const small = {
      name: "small",
      profile: "write",
      accounts: ["default"],
      limits: [{ key: "two", dimension: "global", match_value: "*", max_count: 2, period_seconds: 86_400 }],
    } as const;
    // Omitted settings are undefined: no caps, no subject, no end.
    await saveAgent(desk.services.db.store.db, small as unknown as Parameters<typeof saveAgent>[1], 0);
    const limited = small as unknown as Agent;
    const calls = [1, 2, 3].map((number) => {
      const { id } = desk.sandbox.say(cast.friend, `Loaf ${number}.`);
      return { tool: "x_bookmark_tweet", args: { tweet_id: id } };
    });
    const answer = await desk.core.pipeline.call({
      tool: "make_calls",
      args: { calls },
      caller: { ...agent, principal: "agent:small" },
      context: { agent: limited },
    });
    expect(answer).toMatchObject({
      envelope: {
        data: {
          results: [
            { status: "executed" },
            { status: "executed" },
            { status: "failed", code: "policy_denied_rate_limited" },
          ],
        },
      },
    });
  });
});
