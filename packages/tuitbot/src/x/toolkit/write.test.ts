import { Sandbox } from "@toolpact/x-sandbox";
import { describe, expect, it } from "vitest";
import { sandboxX } from "../../../test/sandbox-x.ts";
import { markPost, setFollowing } from "./engage.ts";
import { refusedText } from "./preflight.ts";
import { sendRequest } from "./request.ts";
import { sendPost } from "./write.ts";

const size = { people: 8, posts: 20 };
const { signal } = new AbortController();

describe("on the plan that most people have", () => {
  it.each([
    ["like", (x: ReturnType<typeof sandboxX>) => markPost(x, "like", "1", signal), "2026-04-20"],
    [
      "follow",
      (x: ReturnType<typeof sandboxX>) => setFollowing(x, true, "@sandbox_friend", signal),
      "2026-04-20",
    ],
    [
      "quote",
      (x: ReturnType<typeof sandboxX>) => sendPost(x, { text: "hm", quoteOf: "1" }, signal),
      "2026-04-20",
    ],
  ] as const)("X is not asked to %s", async (action, act, since) => {
    const sandbox = new Sandbox({ size, plan: "self_serve" });
    const outcome = await act(sandboxX(sandbox));
    expect(outcome).toMatchObject({
      ok: false,
      failure: {
        code: "x_forbidden",
        reason: "unavailable_on_plan",
        message: expect.stringContaining(`since ${since}. Nothing was sent.`),
        suggestedFix: expect.stringContaining("enterprise plan"),
        details: { action, needs: "enterprise", since },
      },
    });
    expect(sandbox.journal.entries).toEqual([]);
  });

  it("a reply goes out where the author called, and nowhere else", async () => {
    const sandbox = new Sandbox({ size, plan: "self_serve" });
    const x = sandboxX(sandbox);
    const call = sandbox.say("sandbox_friend", "What does @sandbox_owner think?");
    const other = sandbox.say("sandbox_unknown", "What does everyone think?");
    expect(await sendPost(x, { text: "Good.", replyTo: call.id }, signal)).toMatchObject({ ok: true });
    expect(await sendPost(x, { text: "Good too.", replyTo: other.id }, signal)).toMatchObject({
      failure: {
        code: "x_forbidden",
        reason: "reply_not_allowed",
        suggestedFix: expect.stringMatching(
          /mentioned or quoted this account.*An enterprise plan lifts this\./,
        ),
      },
    });
  });

  it("a refused reply is not explained by the plan that is in force", async () => {
    const sandbox = new Sandbox({ size, plan: "self_serve" });
    const x = { ...sandboxX(sandbox), access: { plan: "enterprise", isPremium: false } as const };
    const other = sandbox.say("sandbox_unknown", "What does everyone think?");
    const refused = [
      await sendPost(x, { text: "Good too.", replyTo: other.id }, signal),
      await sendRequest(
        x,
        {
          method: "POST",
          host: "api.x.com",
          path: "/2/tweets",
          query: [],
          headers: [],
          body: JSON.stringify({ text: "Good too.", reply: { in_reply_to_tweet_id: other.id } }),
        },
        signal,
      ),
    ];
    for (const outcome of refused) {
      expect(outcome).toMatchObject({
        failure: {
          reason: "reply_not_allowed",
          suggestedFix: expect.stringMatching(/`x_api.plan` is enterprise.*X does not agree/),
          fixBy: "operator",
        },
      });
      expect(JSON.stringify(outcome)).not.toMatch(/lifts this/);
    }
  });
});

describe("the text of a post", () => {
  const setting = {
    access: { plan: "self_serve", isPremium: false },
    isReply: false,
    hasMedia: false,
  } as const;

  it.each([
    ["x".repeat(280), undefined],
    ["x".repeat(281), "tweet_too_long"],
    ["日".repeat(140), undefined],
    ["日".repeat(141), "tweet_too_long"],
    [`${"x".repeat(256)} https://example.com/${"a".repeat(100)}`, undefined],
    [`${"x".repeat(257)} https://example.com/${"a".repeat(100)}`, "tweet_too_long"],
    ["👩‍👩‍👧‍👦".repeat(140), undefined],
    ["", "invalid_input"],
    [" \n", "invalid_input"],
    ["a\ufffeb", "invalid_input"],
    ["a\0b", "invalid_input"],
    ["a\x1bb", "invalid_input"],
    ["a\tb\r\nc", undefined],
    ["$ONE", undefined],
    ["$ONE $TWO", "x_forbidden"],
  ])("is weighed as X weighs it", (text, code) => {
    expect(refusedText(text, setting)?.failure.code).toBe(code);
  });

  it("may be empty with media, longer with Premium, and have more cashtags on a larger plan", () => {
    expect(refusedText("", { ...setting, hasMedia: true })).toBeUndefined();
    const access = { plan: "enterprise", isPremium: true } as const;
    expect(refusedText("x".repeat(25_000), { ...setting, access })).toBeUndefined();
    expect(refusedText("x".repeat(25_001), { ...setting, access })?.failure.code).toBe("tweet_too_long");
    expect(refusedText("$ONE $TWO", { ...setting, access })).toBeUndefined();
  });

  it("does not count the names at the beginning of a reply", () => {
    const text = `@sandbox_friend @sandbox_owner ${"x".repeat(280)}`;
    expect(refusedText(text, { ...setting, isReply: true })).toBeUndefined();
    expect(refusedText(text, setting)?.failure.code).toBe("tweet_too_long");
  });
});

it("a quote with media is rejected instead of dropping the media", async () => {
  const sandbox = new Sandbox({ size, plan: "enterprise" });
  const draft = { text: "hm", quoteOf: "1", mediaIds: ["2"] };
  expect(await sendPost(sandboxX(sandbox), draft, signal)).toMatchObject({
    failure: { code: "invalid_input" },
  });
  expect(sandbox.journal.entries).toEqual([]);
});

it("a follow of a protected account reports that it has to be accepted first", async () => {
  const sandbox = new Sandbox({ size, plan: "enterprise" });
  const target_user_id = sandbox.person("sandbox_shy").id;
  expect(await setFollowing(sandboxX(sandbox), true, "@sandbox_shy", signal)).toEqual({
    ok: true,
    value: { following: false, pending: true, target_user_id },
  });
});
