import { systemClock } from "@toolpact/contract";
import { describe, expect, test } from "vitest";
import { catalogFor } from "../../src/server/catalog.ts";
import { aliasesOf } from "../../src/tools/argument-names.ts";
import { serveLive } from "../live-server.ts";

const { tools } = catalogFor("admin");
const cases = tools.flatMap((tool) => {
  // The schema of an object has its properties as an object.
  const properties = (tool.inputSchema("flat").properties ?? {}) as Record<
    string,
    { readonly type?: string }
  >;
  return [...aliasesOf({ ...tool, properties })].map(([alias, parameter]) => ({ tool, alias, parameter }));
});

describe("the names of arguments", () => {
  test.each([
    ["x_reply_to_tweet", ["tweet_id", "post_id", "id", "reply_to_id"], "in_reply_to_id"],
    ["x_v2_tweets_retweeted_by", ["tweet_id", "post_id"], "id"],
    ["x_get_user_tweets", ["username", "handle", "target_user_id"], "user_id"],
    ["x_follow_user", ["user_id", "username"], "target_user_id"],
    ["x_v2_mutes_create", ["user_id", "username"], "target_user_id"],
    ["x_v2_lists_members_add", ["list_id"], "id"],
    ["x_v2_lists_follow", ["id"], "list_id"],
    ["x_search_tweets", ["limit", "count", "page_size"], "max_results"],
    ["list_drafts", ["max_results", "count"], "limit"],
    ["x_ads_campaigns", ["pagination_token", "next_token"], "cursor"],
    ["create_draft", ["in_reply_to", "reply_to"], "in_reply_to_id"],
    ["create_draft", ["scheduled_at", "when"], "scheduled_for"],
    ["x_upload_media", ["path", "file"], "file_path"],
    ["x_upload_media", ["alt"], "alt_text"],
    ["x_post_tweet", ["content", "message"], "text"],
    ["x_post_tweet", ["poll"], "poll_options"],
  ])("%s takes %j for %s", (name, aliases, parameter) => {
    for (const alias of aliases)
      expect(cases).toContainEqual(
        expect.objectContaining({ tool: expect.objectContaining({ name }), alias, parameter }),
      );
  });

  test("an id is not taken for a name, since names can be digits", () => {
    const names = cases
      .filter(({ tool }) => tool.name === "x_get_user_by_username")
      .map(({ alias }) => alias);
    expect(names).not.toContain("user_id");
  });

  test("every alias of every tool is read as the parameter itself, before anything is checked or hashed", () => {
    expect(cases.length).toBeGreaterThan(500);
    for (const { tool, alias, parameter } of cases) {
      const read = tool.readArguments?.({ [alias]: "1" });
      expect(read, `${tool.name} ${alias}`).toEqual(tool.readArguments?.({ [parameter]: "1" }));
      expect(Object.keys(read ?? {}), `${tool.name} ${alias}`).toEqual([parameter]);
    }
  });

  test("a parameter and its alias together are refused, naming the alias", async () => {
    const tool = tools.find(({ name }) => name === "x_reply_to_tweet");
    const args = { text: "hi", in_reply_to_id: "20", tweet_id: "21" };
    const parsed = tool?.parse(tool.readArguments?.(args) ?? args);
    expect(parsed).toMatchObject({ ok: false, failure: expect.stringContaining("no parameter `tweet_id`") });
  });

  test("ids are taken as an array or comma-separated by every tool that takes several", () => {
    const takers = tools.flatMap((tool) =>
      Object.keys((tool.inputSchema("flat").properties ?? {}) as object)
        .filter((name) => /^(?:user_ids|ids|media_ids|candidate_ids|participant_ids|tweet_ids)$/.test(name))
        .map((name) => ({ tool, name })),
    );
    expect(takers.length).toBeGreaterThan(8);
    for (const { tool, name } of takers) {
      const problem = (value: string | string[]) => {
        const parsed = tool.parse(tool.readArguments?.({ [name]: value }) ?? {});
        return parsed.ok ? "" : parsed.failure.includes(`\`${name}`);
      };
      if (tool.name === "x_post_thread" || tool.name === "x_post_thread_dry_run") continue;
      expect(problem("1234567890123,1234567890124"), `${tool.name} ${name}`).toBe(
        problem(["1234567890123", "1234567890124"]),
      );
    }
  });

  test("one possible value is not offered, and accepted if it is sent", () => {
    const offered = (name: string) =>
      Object.keys((tools.find((tool) => tool.name === name)?.inputSchema("flat").properties ?? {}) as object);
    expect(offered("x_v2_mutes_create")).not.toContain("user_id");
    expect(offered("x_v2_tweets_hide_reply")).not.toContain("hidden");
    expect(offered("x_ads_campaign_create")).not.toContain("status");
    const mute = tools.find(({ name }) => name === "x_v2_mutes_create");
    const both = { user_id: "me", target_user_id: "@spam" };
    expect(mute?.parse(mute.readArguments?.(both) ?? {})).toMatchObject({ ok: true, value: { input: both } });
    expect(mute?.parse(mute.readArguments?.({ user_id: "@spam" }) ?? {})).toMatchObject({
      ok: true,
      value: { input: both },
    });
  });

  test("everything that is wrong with a call is reported at once", () => {
    const reply = tools.find(({ name }) => name === "x_reply_to_tweet");
    const parsed = reply?.parse({ in_reply_to_id: "no post", media_ids: 7, nonsense: 1, idempotency_key: 5 });
    const failure = parsed?.ok === false ? parsed.failure : "";
    for (const name of ["text", "in_reply_to_id", "media_ids", "nonsense", "idempotency_key"])
      expect(failure).toContain(`\`${name}\``);
  });

  test("a repeat under another name is the same call", async () => {
    const server = await serveLive(["--sandbox"], { TUITBOT_APPROVAL_MODE: "false" });
    try {
      const { data } = await server.call("x_get_user_mentions", {});
      const [mention] = (data as { posts: { id: string }[] }).posts;
      const text = `Thank you, that helps ${systemClock.now()}`;
      const first = await server.call("x_reply_to_tweet", { text, in_reply_to_id: mention?.id });
      expect(first).toMatchObject({ success: true });
      const second = await server.call("x_reply_to_tweet", { text, post_id: mention?.id });
      expect(
        second.success && Object(second.data).approval_queue_id !== Object(first.data).approval_queue_id,
      ).toBe(false);
    } finally {
      await server.close();
    }
  });
});
