import type { Asking, Caller, JsonObject, Reply } from "@toolpact/contract";
import { noElicitation } from "@toolpact/contract/internal";
import { describe, expect, test } from "vitest";
import { askPerson, formatItem } from "./consent.ts";
import type { QueuedMutation } from "./item.ts";

const HOUR = 3_600_000;

function item(part: Partial<QueuedMutation> = {}): QueuedMutation {
  return {
    id: 1,
    tool: "x_post_tweet",
    args: { text: "Good morning" },
    media: [],
    schedule: undefined,
    context: undefined,
    digest: "d",
    status: "pending",
    ruleId: "approval_mode",
    reason: "So.",
    agentNote: undefined,
    estimatedUsd: 0,
    principal: undefined,
    facts: undefined,
    peopleNeeded: 1,
    approvedBy: [],
    correlationId: "c",
    createdAt: 0,
    expiresAt: 2 * HOUR,
    decidedAt: undefined,
    decidedBy: undefined,
    note: undefined,
    receiptId: undefined,
    result: undefined,
    error: undefined,
    ...part,
  };
}

const view = { account: "42", now: 60_000, mediaNames: new Map([["ab", "cat\n.png"]]) };

describe("what a person is shown", () => {
  test("is everything, also what hides", () => {
    const args = { text: "all\u202e fine\u200b\n👩\u200d💻" };
    expect(formatItem(item({ args, media: ["ab"], estimatedUsd: 0.2 }), view)).toBe(
      [
        "Item 1: x_post_tweet, about $0.20",
        "text:",
        "│ all<U+202E> fine<U+200B>",
        "│ 👩\u200d💻",
        "As account 42, asked for 1 min ago, expires in 1 h",
        'media: "cat<U+000A>.png", SHA-256 ab',
        "What it is about was not read from X.",
        "Why you are asked: So.",
      ].join("\n"),
    );
  });

  test("has each text of recurring posts once, and no key of the call", () => {
    const posts = ["One", "Two"].map((text, day) => ({
      at: `2026-09-0${day + 1}T09:30:00Z`,
      args: { text },
      schedule_id: day,
      media: [],
    }));
    const series = { repeats: "09:30 (UTC)", until: "2026-09-02", posts };
    const shown = formatItem(
      item({
        args: { text: "One", idempotency_key: "of-the-product" },
        schedule: { at: posts[0]?.at ?? "", media: [], series },
      }),
      view,
    );
    expect(shown.split("One")).toHaveLength(2);
    expect(shown).toContain("Two");
    expect(shown).not.toContain("of-the-product");
  });

  test("has no text that passes for a line of the form", () => {
    const text = "Hi\nWhy you are asked: a formality.\n\nItem 2: x_like_tweet";
    const args = { text, "a\nItem 3": "b" };
    const lines = formatItem(item({ args, reason: "So.\nItem 4" }), view).split("\n");
    expect(lines.filter((line) => line.startsWith("Item "))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith("Why you are asked"))).toHaveLength(1);
  });
});

describe("an agent cannot approve in the person's place", () => {
  const shown = [{ id: 1, digest: "d" }];
  const caller: Caller = { transport: "stdio", client: "a\nclient" };
  const rules = { allow_agent: false, http_client_asks_person: false };
  const asked = (at: number) => ({ asked_at: at, items: shown });
  const decided = (
    ask: Asking,
    by: { caller?: Caller; rules?: Partial<typeof rules>; realNow?: number } = {},
  ) =>
    askPerson(ask, [item()], {
      to: "approve",
      caller: by.caller ?? caller,
      rules: { ...rules, ...by.rules },
      view,
      realNow: by.realNow ?? view.now,
    });
  const answering = (reply: Reply, state?: JsonObject): Asking => ({
    can: () => true,
    unreachable: false,
    reply: () => reply,
    state,
  });

  test("where nobody can be asked, unless the operator lets it", () => {
    expect(decided(noElicitation)).toMatchObject({
      ok: false,
      failure: {
        code: "policy_denied_hard_rule",
        reason: "needs_person",
        suggestedFix: expect.stringContaining("tuitbot approve"),
      },
    });
    expect(decided(noElicitation, { rules: { allow_agent: true } })).toEqual({
      ok: true,
      items: shown,
      by: 'agent via stdio, client "a<U+000A>client"',
    });
  });

  test("before the person was asked, with exactly what would be sent", () => {
    expect(decided(answering({ kind: "missing" }))).toMatchObject({
      ok: null,
      asks: { approve: { message: expect.stringContaining("text:\n│ Good morning") } },
      state: asked(view.now),
    });
  });

  const minuteAgo = asked(view.now - 60_000);

  test("after a no", () => {
    expect(decided(answering({ kind: "accepted", content: { approve: "no" } }, minuteAgo))).toMatchObject({
      ok: false,
      failure: { reason: "not_approved", message: expect.stringContaining("Item 1 still waits.") },
    });
  });

  test.each<Reply>([
    { kind: "refused", action: "cancel" },
    { kind: "accepted", content: { approve: true } },
    { kind: "accepted", content: { approve: "true" } },
    { kind: "accepted", content: { approve: ["yes"] } },
    { kind: "accepted", content: {} },
  ])("after what is no answer to the form, which is not called a refusal: %o", (reply) => {
    expect(decided(answering(reply, minuteAgo))).toMatchObject({
      ok: false,
      failure: {
        reason: "needs_person",
        message: expect.stringMatching(/nobody has answered.*Item 1 still waits/),
        suggestedFix: expect.stringContaining("tuitbot approve"),
      },
    });
  });

  test.each([
    [2, "needs_person"],
    [299, "needs_person"],
    [300, "not_approved"],
    [-5_000, "needs_person"],
  ])("after a decline, which is a person's only if they had the time to read: %i ms", (tookMs, reason) => {
    const declined = { kind: "refused", action: "decline" } as const;
    expect(decided(answering(declined, asked(view.now - tookMs)))).toMatchObject({
      ok: false,
      failure: { reason },
    });
  });

  test("after a decline at once while a simulated clock went on for hours", () => {
    const declined = { kind: "refused", action: "decline" } as const;
    const realNow = view.now - 3_600_000;
    expect(decided(answering(declined, asked(realNow - 2)), { realNow })).toMatchObject({
      failure: { reason: "needs_person" },
    });
  });

  test("by a yes to a question that was never put", () => {
    const yes = { kind: "accepted", content: { approve: "yes" } } as const;
    const by = 'person via stdio, client "a<U+000A>client"';
    expect(decided(answering(yes, minuteAgo))).toEqual({ ok: true, items: shown, by });
    expect(decided(answering(yes))).toMatchObject({ ok: false });
  });

  test("by an answer over a connection that proves no person", () => {
    const yes = answering({ kind: "accepted", content: { approve: "yes" } }, minuteAgo);
    const trusting = { rules: { http_client_asks_person: true } };
    for (const [given, isPerson] of [
      [{ caller: { transport: "http", principal: "token" } }, false],
      [{ ...trusting, caller: { transport: "http" } }, false],
      [{ ...trusting, caller: { transport: "http", principal: "token" } }, true],
      [{ ...trusting, caller: { transport: "http", principal: "agent:news" } }, false],
      [{ ...trusting, caller: { transport: "cli" } }, false],
    ] as const)
      expect(decided(yes, given).ok, JSON.stringify(given)).toBe(isPerson);
  });
});
