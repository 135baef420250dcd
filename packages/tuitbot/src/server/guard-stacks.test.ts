import { describe, expect, test } from "vitest";
import type { Profile } from "../profiles.ts";
import { fullCatalog } from "./catalog.ts";
import { stackOf } from "./guard-stacks.ts";

function stack(profile: Profile, name: string) {
  const tool = fullCatalog.get(name) ?? expect.fail(`There is no ${name}.`);
  const { guards, codesFor } = stackOf(profile, tool);
  return { guards, codes: codesFor(tool) };
}

test.each<readonly [Profile, string, readonly string[]]>([
  ["utility-write", "x_like_tweet", ["recent calls", "deadline"]],
  ["readonly", "x_search_tweets", ["deadline", "cost"]],
  [
    "write",
    "x_search_tweets",
    ["deadline", "account if signed in", "decisions", "remember texts", "read limits", "budget"],
  ],
  [
    "write",
    "get_pending_count",
    ["deadline", "stored account", "decisions", "remember texts", "read limits"],
  ],
  ["write", "approve_item", ["deadline", "account", "decisions"]],
  ["write", "x_like_tweet", ["deadline", "account", "decisions", "plan", "protect"]],
])("profile %s runs the guards for %s in order", (profile, tool, guards) => {
  expect(stack(profile, tool).guards).toEqual(guards);
});

describe("the guards before a tool answer only what they can answer for it", () => {
  const like = stack("write", "x_like_tweet").codes;

  test("only what publishes can be too long", () => {
    expect(like).not.toContain("tweet_too_long");
    expect(stack("write", "x_post_tweet").codes).toContain("tweet_too_long");
    expect(stack("admin", "x_post").codes).toContain("tweet_too_long");
  });

  test("only an upload can fail to read its file", () => {
    expect(like).not.toContain("file_read_error");
    expect(stack("write", "x_post_tweet").codes).not.toContain("file_read_error");
    expect(stack("write", "x_upload_media").codes).toContain("file_read_error");
  });

  test("no policy stands before reads, and none of it where nothing is stored", () => {
    const ofPolicy = (profile: Profile, tool: string) =>
      stack(profile, tool).codes.filter((code) => code.startsWith("policy_"));
    expect(ofPolicy("write", "get_pending_count")).toEqual([]);
    // The caps of the budget.
    expect(ofPolicy("write", "x_search_tweets")).toEqual([
      "policy_denied_rate_limited",
      "policy_denied_user_rule",
    ]);
    expect(ofPolicy("readonly", "x_search_tweets")).toEqual([]);
    expect(ofPolicy("utility-write", "x_like_tweet")).toEqual([]);
  });
});
