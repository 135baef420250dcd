import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { profileManifest } from "../src/server/manifest.ts";
import { allTools } from "../src/tools/all-tools.ts";
import { type How, type TestApp, testApp } from "./command-line.ts";
import { type MadeUpX, madeUpX, signIn } from "./made-up-x.ts";

const SAYS_WHETHER_X_CAN_BE_USED = ["get_capabilities", "health_check"];

/** Tools that neither use X nor make calls that do, by their declaration. */
const local = allTools.filter(
  ({ name, needs, facts }) =>
    !needs.includes("x") && facts.makesCalls === undefined && !SAYS_WHETHER_X_CAN_BE_USED.includes(name),
);

/** Arguments of those that need some; what they name need not exist. */
const ARGS: Readonly<Record<string, object>> = {
  compose_tweet: { topic: "bread" },
  create_draft: { texts: ["A loaf a day."] },
  discard_draft: { id: 1 },
  draft_replies_for_candidates: { candidate_ids: ["1"] },
  edit_draft: { id: 1, texts: ["Another text."] },
  generate_reply: { tweet_text: "My loaf is flat.", tweet_author: "@sandbox_friend" },
  generate_thread: { topic: "bread" },
  generate_thread_plan: { topic: "bread" },
  generate_tweet: { topic: "bread" },
  get_author_context: { identifier: "@sandbox_friend" },
  get_draft: { id: 1 },
  get_mutation_detail: { correlation_id: "00000000-0000-4000-8000-000000000000" },
  recommend_engagement_action: {
    author_username: "@sandbox_friend",
    tweet_text: "A post about rust",
    campaign_objective: "meet people who write rust",
  },
  reject_item: { id: 1 },
  schedule_draft: { id: 1, scheduled_for: "2100-01-01T12:00:00Z" },
  x_post_thread_dry_run: { tweets: ["One thought.", "And another."] },
  x_post_tweet_dry_run: { text: "Only a thought." },
  x_v2_blocks_create: { target_user_id: "1" },
  x_v2_blocks_delete: { target_user_id: "1" },
  x_v2_dm_conversation_by_id: { conversation_id: "1-2" },
  x_v2_users_pin_tweet: { tweet_id: "1" },
  x_v2_users_unpin_tweet: {},
};

interface Weather {
  readonly what: string;
  /** The answer of X to anything. */
  readonly answer: () => Promise<Response>;
  readonly isSignedOut?: true;
}

const weathers: readonly Weather[] = [
  {
    what: "X cannot be reached",
    answer: () => Promise.reject(new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } })),
  },
  {
    what: "X limits every request",
    answer: async () =>
      Response.json(
        { title: "Too Many Requests", status: 429 },
        { status: 429, headers: { "x-rate-limit-reset": String(Math.ceil(Date.now() / 1_000) + 900) } },
      ),
  },
  { what: "X never answers", answer: () => new Promise(() => {}) },
  {
    what: "nobody is signed in any more",
    isSignedOut: true,
    answer: async () => Response.json({ title: "Unauthorized", status: 401 }, { status: 401 }),
  },
];

describe.each(weathers)("while $what", ({ answer, isSignedOut }) => {
  let desk: TestApp;
  let x: MadeUpX;
  let how: How;
  let sent = 0;

  beforeAll(async () => {
    desk = testApp();
    x = await madeUpX();
    await signIn(desk, x);
    const queued = await desk.run(
      ["call", "x_post_tweet", "--json", JSON.stringify({ text: "A loaf a day." })],
      x.how,
    );
    expect(queued.json(), "the account was used once").toMatchObject({ meta: { approval_mode: true } });
    if (isSignedOut) rmSync(join(desk.home, ".tuitbot/tokens.json"));
    const fetch = () => {
      sent += 1;
      return answer();
    };
    how = { ...x.how, machine: { ...x.how.machine, fetch } };
  });

  afterAll(async () => {
    await desk[Symbol.asyncDispose]();
    await x[Symbol.asyncDispose]();
  });

  test("every local tool answers as it declares, and X is not asked", async () => {
    const manifest = profileManifest("admin");
    for (const { name } of local) {
      sent = 0;
      const words = ["call", name, "--profile", "admin", "--json", JSON.stringify(ARGS[name] ?? {})];
      const { out, err } = await desk.run(words, how);
      const envelope = JSON.parse(out === "" ? `{"printed":${JSON.stringify(err)}}` : out);
      const { possible_error_codes = [] } = manifest.tools.find((tool) => tool.name === name) ?? {};
      expect([...possible_error_codes, "invalid_input", undefined], `${name}: ${out}${err}`).toContain(
        envelope.error?.code,
      );
      expect(envelope, name).toHaveProperty("success");
      // X has taken some operations out of its API, which is known without asking it.
      if (envelope.error?.reason !== "removed_by_x")
        expect(envelope.error?.code ?? "", `${name}: ${out}`).not.toMatch(/^x_|db_error/);
      expect(sent, name).toBe(0);
    }
  });

  test.each(SAYS_WHETHER_X_CAN_BE_USED)("%s succeeds", async (name) => {
    const { out, err } = await desk.run(["call", name, "--profile", "admin"], how);
    expect(JSON.parse(out || err)).toMatchObject({ success: true });
  });

  test.each([
    [["drafts", "list"], "There are no drafts."],
    [["approve", "--list"], "A loaf a day."],
  ])("tuitbot %j shows what is stored", async (words, text) => {
    sent = 0;
    const ran = await desk.run(words, how);
    expect(ran.err).toBe("");
    expect(ran.out).toContain(text);
    expect(sent).toBe(0);
  });

  test("drafts are written, edited, scheduled and discarded", async () => {
    sent = 0;
    const done = async (tool: string, args: object) => {
      const { out, err } = await desk.run(["call", tool, "--json", JSON.stringify(args)], how);
      const answer = JSON.parse(out || err);
      expect(answer, `${tool}: ${out}${err}`).toMatchObject({ success: true });
      return answer.data;
    };
    const { draft_id: id } = await done("create_draft", { texts: ["Rye is next."] });
    await done("edit_draft", { id, texts: ["Rye is next, on Monday."] });
    const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString();
    await done("schedule_draft", { id, scheduled_for: tomorrow });
    expect(await done("get_draft", { id })).toMatchObject({
      texts: ["Rye is next, on Monday."],
      scheduled_for: tomorrow,
    });
    await done("discard_draft", { id });
    expect(sent).toBe(0);
  });

  test("an item can be rejected", async () => {
    const ran = await desk.run(["approve", "--id", "1", "--reject"], how);
    expect([ran.err, ran.out]).toEqual(["", expect.stringContaining("Item 1 is rejected.")]);
  });
});

test("sixty lists of drafts ask X who is signed in once", async () => {
  await using desk = testApp();
  await using x = await madeUpX();
  await signIn(desk, x);
  const before = x.sandbox.journal.entries.length;
  for (let times = 0; times < 60; times++) {
    const ran = await desk.run(["drafts", "list"], x.how);
    expect(ran.err).toBe("");
  }
  expect(x.sandbox.journal.entries.slice(before).map(({ operation }) => operation)).toEqual(["getUsersMe"]);
});

const seeded: Readonly<Record<string, readonly string[]>> = {
  get_capabilities: [],
  health_check: [],
  get_stats: ["db_error"],
  list_pending_approvals: ["db_error"],
  get_discovery_feed: ["db_error"],
};

test.each(Object.entries(seeded))("%s declares no failures but %j", (name, codes) => {
  const tool = profileManifest("write").tools.find((one) => one.name === name);
  expect(tool?.possible_error_codes ?? []).toEqual(codes);
});
