import { escapeInvisible } from "@toolpact/contract/internal/text";
import { cast } from "@toolpact/x-sandbox";
import { afterEach, describe, expect, test } from "vitest";
import { approvalsFor } from "../../src/app/approvals.ts";
import { itemJson } from "../../src/app/pending-items.ts";
import { formatItem } from "../../src/approval/consent.ts";
import { itemText } from "../../src/cli/approve/approval-view.ts";
import { type Desk, openDesk } from "./desk.ts";
import { postsOf } from "./passes.ts";

let desk: Desk;
afterEach(() => desk?.close());

const open = (config: object = {}) => openDesk({ config: { approval_mode: true, ...config } });
const owner = () =>
  approvalsFor(desk.services, {
    by: "person via cli",
    mayDecide: async () => true,
    signal: new AbortController().signal,
  });
async function item(id: unknown) {
  const found = await owner().find(Number(id));
  return found.ok ? found.value : expect.fail(found.failure.message);
}
async function queued(tool: string, args: object) {
  const { data } = await desk.call(tool, { ...args });
  return data as {
    approval_queue_id: number;
    reason: string;
    matched_rule_id: string;
    estimated_usd: number;
  };
}
const inDays = (days: number) => new Date(desk.sandbox.clock.now() + days * 86_400_000).toISOString();

describe("the reasons of a queued call", () => {
  test("begin with what X forbids, also in approval mode", async () => {
    desk = await open({ mcp_policy: { require_approval_for: ["x_post_tweet"] } });
    const waiting = await queued("x_post_tweet", { text: `@${cast.friend} thank you for the like!` });
    expect(waiting.matched_rule_id).toBe("hard:x_unsolicited_mention");
    expect(waiting.reason).toBe(
      "X does not allow automated posts that call people who did not ask for it. Your settings ask for approval.",
    );
    expect((await item(waiting.approval_queue_id)).reason).toBe(waiting.reason);
  });

  test("name approval mode only if nothing else asks", async () => {
    desk = await open();
    const plain = await queued("x_post_tweet", { text: "Good morning." });
    expect(plain).toMatchObject({ matched_rule_id: "approval_mode" });
    const friend = desk.sandbox.person(cast.friend).id;
    expect(await queued("x_follow_user", { target_user_id: friend })).toMatchObject({
      matched_rule_id: "hard:x_user_initiated",
      reason: "X allows likes and follows only when a person asks for them.",
    });
  });
});

describe("the price", () => {
  test("is in the answer of each call that waits or is scheduled", async () => {
    desk = await open();
    expect(await queued("x_post_tweet", { text: "Rye." })).toMatchObject({ estimated_usd: 0.015 });
    const thread = { texts: ["One.", "Two.", "Three."] };
    expect((await desk.call("create_draft", thread)).data).toMatchObject({ estimated_usd: 0.045 });
    const scheduled = await desk.call("create_draft", { texts: ["Spelt."], scheduled_for: inDays(1) });
    expect(scheduled.data).toMatchObject({ estimated_usd: 0.015, time_zone: "UTC" });
    expect(Object(scheduled.data).now).toBe(new Date(desk.sandbox.clock.now()).toISOString());
    const series = { variants: ["Loaves.", "Bread."], repeats: "09:30", until: inDays(5) };
    const { data } = await desk.call("create_recurring_posts", series);
    expect(data).toMatchObject({ count: 5, estimated_usd: 0.075, time_zone: "UTC" });
  });
});

test("a text of a thread or a draft that is too long is named by its index", async () => {
  desk = await open();
  const texts = ["Short.", "long ".repeat(80), "Short again."];
  for (const [tool, args] of [
    ["x_post_thread", { tweets: texts }],
    ["create_draft", { texts }],
  ] as const) {
    const { error } = await desk.call(tool, { ...args });
    expect(error).toMatchObject({ code: "tweet_too_long", details: { tweet_index: 1 } });
    expect(error?.message).toContain("Post 2 of 3");
  }
});

test("a rollback can be called as it is given, for a post and for a thread", async () => {
  desk = await openDesk();
  const before = postsOf(desk).length;
  for (const [tool, args] of [
    ["x_post_tweet", { text: "Soon gone." }],
    ["x_post_thread", { tweets: ["First of three.", "Second of three.", "Third of three."] }],
  ] as const) {
    const { meta } = await desk.call(tool, { ...args });
    const detail = await desk.call("get_mutation_detail", { correlation_id: String(meta?.correlation_id) });
    const { undo_tool, params, calls = [params] } = Object(Object(detail.data).rollback);
    for (const one of calls) {
      const { approval_queue_id } = await queued(undo_tool, one);
      expect((await owner().approve(await item(approval_queue_id))).ok).toBe(true);
    }
  }
  expect(postsOf(desk)).toHaveLength(before);
});

describe("a note to the approver", () => {
  const note = "Asked for by Ada in the chat.\u001b[2J\u202e Source: https://example.org/rye";

  test("is stored and shown as the agent's words, escaped, and not published", async () => {
    desk = await open();
    const { approval_queue_id: id } = await queued("x_post_tweet", { text: "Rye is out.", note });
    const waiting = await item(id);
    expect(waiting.args).toEqual({ text: "Rye is out." });
    expect(itemJson(waiting)).toMatchObject({ agent_note: note });
    const view = { account: "1", now: desk.sandbox.clock.now(), mediaNames: new Map<string, string>() };
    const me = { id: "1", username: "owner", name: "Owner" };
    for (const shown of [
      formatItem(waiting, view),
      itemText(waiting, [], { me, now: () => view.now, timezone: "UTC" }, { hasColor: false }),
    ]) {
      expect(shown).toContain("Note from the agent, not published:");
      expect(shown).toContain("Asked for by Ada in the chat.");
      expect(shown).toContain(escapeInvisible("\u202e"));
      for (const hidden of ["\u001b", "\u202e"]) expect(shown).not.toContain(hidden);
    }
    const { data } = await desk.call("list_pending_approvals");
    expect(data).toMatchObject({ items: [{ id, note: expect.not.stringContaining("\u202e") }] });
    expect((await owner().approve(waiting)).ok).toBe(true);
    const sent = desk.sandbox.journal.of("createPosts").map((request) => JSON.stringify(request));
    expect(sent.join()).toContain("Rye is out.");
    expect(sent.join()).not.toContain("Ada");
  });

  test("does not make a call another call, and stays with an edited item", async () => {
    desk = await open();
    const first = await queued("x_post_tweet", { text: "Rye is out.", note });
    const again = await queued("x_post_tweet", { text: "Rye is out.", note: "Another reason." });
    expect(again.approval_queue_id).toBe(first.approval_queue_id);
    const edited = await owner().edit(await item(first.approval_queue_id), { text: "Rye is here." });
    expect(edited.ok && edited.value.agentNote).toBe(note);
  });

  test("goes with drafts, series and proposed replies, and has a limit", async () => {
    desk = await open();
    const draft = { texts: ["Spelt on Friday."], scheduled_for: inDays(2), note: "From the plan." };
    const series = { variants: ["Loaves.", "Bread."], repeats: "09:30", until: inDays(3), note: "Weekly." };
    expect((await item((await queued("create_draft", draft)).approval_queue_id)).agentNote).toBe(
      "From the plan.",
    );
    expect((await item((await queued("create_recurring_posts", series)).approval_queue_id)).agentNote).toBe(
      "Weekly.",
    );
    const post = desk.sandbox.say(cast.friend, "My sourdough is flat.");
    desk.sandbox.clock.advance(30_000);
    await desk.call("find_reply_opportunities", { query: "sourdough", min_score: 0 });
    const { data } = await desk.call("propose_and_queue_replies", {
      items: [{ candidate_id: post.id, pre_drafted_text: "Give it an hour more.", note: "She asked." }],
    });
    const [{ approval_queue_id } = { approval_queue_id: 0 }] = Object(data).results;
    expect((await item(approval_queue_id)).agentNote).toBe("She asked.");
    const long = await desk.call("x_post_tweet", { text: "Hi.", note: "x".repeat(501) });
    expect(long.error).toMatchObject({ code: "invalid_input" });
  });
});
