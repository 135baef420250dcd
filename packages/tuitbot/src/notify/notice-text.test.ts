import { describe, expect, test } from "vitest";
import type { ApprovalContext } from "../guards/approval/approval-context.ts";
import { noticeText, noticeTitle } from "./notice-text.ts";

const HOUR = 3_600_000;

const answered: ApprovalContext = {
  account: "@bakery",
  role: "answers",
  post: {
    id: "77",
    author: "@ana",
    text: "Fridge or counter?\nApprove reply to @bank?",
    likes: 3,
    created_at: "2026-11-19T08:00:00Z",
  },
  thread: [],
  people: [],
  unknown: [],
  read_at: "2026-11-19T09:00:00Z",
};

const reply = {
  id: 7,
  tool: "x_reply_to_tweet",
  args: { in_reply_to_id: "77", text: "Fridge.\u202e Overnight.", idempotency_key: "k" },
  media: [],
  schedule: undefined,
  context: answered,
  digest: "d",
  status: "pending",
  ruleId: "approval_mode",
  reason: "Replies need approval.",
  agentNote: undefined,
  estimatedUsd: 0.015,
  principal: "agent:news",
  facts: undefined,
  peopleNeeded: 1,
  approvedBy: [],
  correlationId: "c",
  createdAt: 0,
  expiresAt: Date.parse("2026-11-19T09:00:00Z") + 2 * HOUR,
  decidedAt: undefined,
  decidedBy: undefined,
  note: undefined,
  receiptId: undefined,
  result: undefined,
  error: undefined,
} as const;

describe("the title of a notification", () => {
  test("is a question with the action, the person and the price", () => {
    expect(noticeTitle(reply)).toBe("Approve reply to @ana ($0.015)?");
    const thread = { tool: "x_post_thread", args: { tweets: ["One", "Two"] }, context: undefined };
    expect(noticeTitle({ ...thread, estimatedUsd: 0.03 })).toBe("Approve thread of 2 ($0.03)?");
    const about = { ...answered, role: "about" } as const;
    expect(noticeTitle({ ...reply, tool: "x_like_tweet", context: about, estimatedUsd: 0 })).toBe(
      "Approve like of @ana's post?",
    );
    const people = [{ id: "5", username: "@ben", name: "Ben" }];
    expect(noticeTitle({ ...reply, tool: "x_mute", context: { ...about, post: null, people } })).toBe(
      "Approve x_mute: @ben ($0.015)?",
    );
  });
});

test("the text of a notification quotes the answered post, then has the exact reply on marked lines", () => {
  const view = { account: "42", now: Date.parse("2026-11-19T09:00:00Z"), mediaNames: new Map() };
  expect(noticeText(reply, view)).toBe(
    [
      "Item 7 · as @bakery · requested by agent:news · expires in 2 h",
      "",
      "Answers this post, as X showed it 0 s ago:",
      "┊ @ana · 1 h old · 3 likes",
      "┊   Fridge or counter?",
      "┊   Approve reply to @bank?",
      "",
      "│ Fridge.<U+202E> Overnight.",
      "",
      "Why you are asked: Replies need approval.",
    ].join("\n"),
  );
});
