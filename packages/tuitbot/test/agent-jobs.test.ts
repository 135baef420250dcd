import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testApp } from "./command-line.ts";
import { cleanEnv, type Envelope, tuitbotCommand } from "./live-server.ts";
import { signedInEnv } from "./signed-in-env.ts";
import { newHome } from "./web/served.ts";

/**
 * Thirteen jobs that an owner gives to an agent, as scripted conversations with a real server in approval mode: how many calls
 * and bytes each takes. The agent knows the everyday tools and finds every other one with find_tools. The numbers of
 * a language model that had to find its own way, with an earlier version, are in `before`: its calls include detours,
 * so the two are not the same measurement.
 */
let sandbox: Sandbox;
let client: Client;
let home: string;
let remove: () => void;
let env: NodeJS.ProcessEnv;
const measured: Record<string, Cost> = {};

interface Cost {
  readonly calls: number;
  readonly bytes: number;
}

/** Bytes of answers. `most` is about a tenth above the last measurement, to detect growing answers. */
const jobs: Readonly<Record<string, { readonly before: Partial<Cost>; readonly most: Cost }>> = {
  "a replies, approval, how they do": {
    before: { calls: 18, bytes: 28_012 },
    most: { calls: 4, bytes: 3_950 },
  },
  "b thread of five at the next slot, with its cost": {
    before: { calls: 7, bytes: 15_572 },
    most: { calls: 1, bytes: 1_450 },
  },
  "c picture with alt text, then delete": {
    before: { calls: 9, bytes: 5_687 },
    most: { calls: 3, bytes: 2_850 },
  },
  "d answers to mentions as drafts, nothing sent": {
    before: { calls: 7, bytes: 16_657 },
    most: { calls: 3, bytes: 2_300 },
  },
  "e last week, best time, cost": { before: { calls: 9, bytes: 13_306 }, most: { calls: 3, bytes: 2_800 } },
  "f follow five people and put them into a list": {
    before: { calls: 31, bytes: 45_409 },
    most: { calls: 5, bytes: 5_000 },
  },
  "g same thanks to everybody is discouraged": {
    before: { calls: 47, bytes: 32_198 },
    most: { calls: 2, bytes: 1_550 },
  },
  "h Mondays at nine, in three variants": {
    before: { calls: 8, bytes: 21_473 },
    most: { calls: 2, bytes: 1_950 },
  },
  "i undo the last thing, then stop": { before: { calls: 9 }, most: { calls: 3, bytes: 3_800 } },
  "j twenty posts of somebody, without reposts": {
    before: { calls: 1, bytes: 6_842 },
    most: { calls: 1, bytes: 2_450 },
  },
  "k message, bookmark, German search": {
    before: { calls: 17, bytes: 31_519 },
    most: { calls: 4, bytes: 3_900 },
  },
  "l tasks outside the everyday list": {
    before: { calls: 72, bytes: 208_896 },
    most: { calls: 36, bytes: 42_000 },
  },
  "m recover from errors of X, nothing twice": {
    before: { calls: 29, bytes: 25_721 },
    most: { calls: 5, bytes: 3_300 },
  },
};

beforeAll(async () => {
  ({ home, remove } = newHome());
  mkdirSync(join(home, "media"));
  writeFileSync(join(home, "media", "loaf.png"), Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  env = {
    ...(await signedInEnv(home, sandbox)),
    TUITBOT_MEDIA__ROOTS: join(home, "media"),
    TUITBOT_BUSINESS__PRODUCT_KEYWORDS: "sourdough",
    TUITBOT_X_API__AI_REPLIES_AGREED: "true",
  };
  client = await connected(env);
}, 60_000);

async function connected(env: NodeJS.ProcessEnv): Promise<Client> {
  const { command, args } = tuitbotCommand;
  const agent = new Client({ name: "agent", version: "1" });
  await agent.connect(
    new StdioClientTransport({
      command,
      args: [...args, "mcp", "serve"],
      env: cleanEnv(home, env),
      stderr: "ignore",
    }),
  );
  return agent;
}

afterAll(async () => {
  await client?.close();
  await sandbox?.close();
  remove?.();
});

type Answer = Envelope & { readonly data: Record<string, unknown> };
type Call = (tool: string, args?: Record<string, unknown>) => Promise<Answer>;

/** Runs a job and counts its calls and the bytes of its answers, as a client shows them to a model. */
async function job(name: string, act: (call: Call) => Promise<void>, agent = client): Promise<void> {
  let calls = 0;
  let bytes = 0;
  await act(async (tool, args = {}) => {
    const { structuredContent } = await agent.callTool({ name: tool, arguments: args });
    calls += 1;
    bytes += Buffer.byteLength(JSON.stringify(structuredContent));
    // Every answer of this server is the envelope.
    return structuredContent as unknown as Answer;
  });
  measured[name] = { calls, bytes };
}

/** The owner at the terminal, in a separate process. */
async function approve(...ids: unknown[]): Promise<void> {
  for (const id of ids) {
    const { code, err } = await testApp().run(["approve", "--id", String(id), "--yes"], {
      env: cleanEnv(home, env),
    });
    expect([code, err]).toEqual([0, ""]);
  }
}

const idOf = ({ data }: Answer) => data.approval_queue_id;

test("a replies, approval, how they do", () =>
  job("a replies, approval, how they do", async (call) => {
    for (const text of ["My sourdough is flat.", "Is a sourdough crust meant to be this dark?"])
      sandbox.say(cast.friend, text);
    sandbox.clock.advance(30_000);
    const found = await call("find_reply_opportunities", { limit: 2, min_score: 0 });
    const [one, two] = found.data.candidates as { id: string }[];
    const proposed = await call("propose_and_queue_replies", {
      items: [
        {
          candidate_id: one?.id,
          pre_drafted_text: "Give it another hour in a warm place.",
          note: "She asks.",
        },
        {
          candidate_id: two?.id,
          pre_drafted_text: "Yes: dark means flavor, not burnt.",
          note: "A question.",
        },
      ],
    });
    const results = proposed.data.results as { approval_queue_id: number }[];
    await approve(...results.map(({ approval_queue_id }) => approval_queue_id));
    // The decisions, with the ids of the replies, come with the next answer.
    const next = await call("get_pending_count");
    const decisions = Object(next.meta).decisions as { result: { id: string } }[];
    expect(decisions).toHaveLength(2);
    const counts = await call("get_tweet_by_id", { tweet_id: decisions[0]?.result.id });
    expect(counts.success).toBe(true);
  }));

test("b thread of five at the next slot, with its cost", () =>
  job("b thread of five at the next slot, with its cost", async (call) => {
    const texts = ["One.", "Two.", "Three.", "Four.", "Five."].map((text) => `Rye, part ${text}`);
    const { data } = await call("create_draft", { texts, next_slot: true, note: "The plan of this week." });
    expect(data).toMatchObject({ estimated_usd: 0.075, scheduled_for: expect.any(String), time_zone: "UTC" });
    await approve(data.approval_queue_id);
  }));

test("c picture with alt text, then delete", () =>
  job("c picture with alt text, then delete", async (call) => {
    const file = { file_path: join(home, "media", "loaf.png"), alt_text: "A loaf" };
    const { data } = await call("x_upload_media", file);
    await approve(idOf(await call("x_post_tweet", { text: "Fresh.", media_ids: [data.media_id] })));
    const undone = await call("undo_last");
    const [{ approval_queue_id } = { approval_queue_id: 0 }] = undone.data.results as {
      approval_queue_id: number;
    }[];
    await approve(approval_queue_id);
    expect([...sandbox.world.posts.values()].map(({ text }) => text)).not.toContain("Fresh.");
  }));

test("d answers to mentions as drafts, nothing sent", () =>
  job("d answers to mentions as drafts, nothing sent", async (call) => {
    for (const text of ["how long do you knead?", "which flour is that?"])
      sandbox.say(cast.friend, `@${cast.owner} ${text}`);
    sandbox.clock.advance(30_000);
    const sent = sandbox.journal.of("createPosts").length;
    const start_time = new Date(sandbox.clock.now() - 60_000).toISOString();
    const { data } = await call("x_get_user_mentions", { start_time });
    const open = (data.posts as { id: string; already_replied: boolean; can_reply: boolean }[]).filter(
      ({ already_replied, can_reply }) => !already_replied && can_reply,
    );
    expect(open).toHaveLength(2);
    for (const { id } of open) {
      const draft = await call("create_draft", { texts: ["Ten minutes by hand."], in_reply_to_id: id });
      expect(draft.data).toMatchObject({ status: "draft", options: { in_reply_to_id: id } });
    }
    expect(sandbox.journal.of("createPosts")).toHaveLength(sent);
  }));

test("g same thanks to everybody is discouraged", () =>
  job("g same thanks to everybody is discouraged", async (call) => {
    const thanks = (name: string) => call("x_post_tweet", { text: `@${name} thank you for the like today!` });
    expect((await thanks(cast.friend)).data).toMatchObject({ matched_rule_id: "hard:x_unsolicited_mention" });
    expect((await thanks(cast.stranger)).error?.suggested_fix).toContain("X forbids");
  }));

test("h Mondays at nine, in three variants", () =>
  job("h Mondays at nine, in three variants", async (call) => {
    const { data } = await call("create_recurring_posts", {
      variants: ["Monday bread.", "Bread on Monday.", "A Monday loaf."],
      repeats: "Mon 09:00",
      until: new Date(Date.now() + 40 * 86_400_000).toISOString(),
    });
    expect(data).toMatchObject({ count: expect.any(Number), estimated_usd: expect.any(Number) });
    await approve(data.approval_queue_id);
    const next = await call("get_pending_count");
    expect(next.meta?.decisions).toMatchObject([{ status: "scheduled" }]);
  }));

test("j twenty posts of somebody, without reposts", () =>
  job("j twenty posts of somebody, without reposts", async (call) => {
    for (let number = 0; number < 20; number++) sandbox.say(cast.stranger, `Loaf number ${number}.`);
    sandbox.clock.advance(30_000);
    const user_id = `@${cast.stranger}`;
    const args = { user_id, max_results: 20, exclude: ["retweets"] };
    expect(await call("x_get_user_tweets", args)).toMatchObject({ success: true });
  }));

test("e last week, best time, cost", () =>
  job("e last week, best time, cost", async (call) => {
    expect(await call("refresh_analytics")).toMatchObject({ success: true });
    expect(await call("get_analytics_summary")).toMatchObject({ success: true });
    expect(await call("get_x_usage")).toMatchObject({ success: true });
  }));

test("f follow five people and put them into a list", () =>
  job("f follow five people and put them into a list", async (call) => {
    const found = await call("find_tools", { query: "put people into a list" });
    expect(JSON.stringify(found.data)).toContain("x_v2_lists_members_add");
    const people = [...sandbox.world.people.values()]
      .filter(({ username, accountStatus }) => !username.startsWith("sandbox_") && accountStatus === "active")
      .slice(0, 5);
    const follows = people.map(({ id: user_id }) => ({ tool: "x_follow_user", args: { user_id } }));
    const planned = await call("make_calls", {
      calls: [{ tool: "x_v2_lists_create", args: { name: "Bakers" } }, ...follows],
      note: "The five bakers you named.",
    });
    await approve(...queuedIn(planned));
    const next = await call("get_pending_count");
    const decisions = Object(next.meta).decisions as { tool: string; result?: { id: string } }[];
    const id = decisions.find(({ tool }) => tool === "x_v2_lists_create")?.result?.id;
    const added = await call("make_calls", {
      calls: people.map(({ id: user_id }) => ({ tool: "x_v2_lists_members_add", args: { id, user_id } })),
    });
    await approve(...queuedIn(added));
    expect(new Map(sandbox.dump().bonds.list_members).get(id ?? "")).toHaveLength(5);
  }));

const queuedIn = ({ data }: Answer) =>
  (data.results as { approval_queue_id?: number }[]).flatMap(
    ({ approval_queue_id }) => approval_queue_id ?? [],
  );

test("k message, bookmark, German search", () =>
  job("k message, bookmark, German search", async (call) => {
    const start_time = new Date(sandbox.clock.now() - 3_600_000).toISOString();
    const post = sandbox.say(cast.friend, "Brot mit Nüssen, wer mag das?");
    sandbox.clock.advance(30_000);
    const query = "brot";
    expect(await call("x_search_tweets", { query, start_time })).toMatchObject({ success: true });
    expect(await call("x_bookmark_tweet", { tweet_id: post.id })).toMatchObject({ success: true });
    await call("find_tools", { query: "send a direct message" });
    const message = { participant_id: sandbox.person(cast.friend).id, text: "Your loaf looks good." };
    expect((await call("x_v2_dm_send_to_participant", message)).data).toMatchObject({ status: "queued" });
  }));

/** A user's request, the tool for it, and its arguments. */
const OUTSIDE: readonly (readonly [task: string, tool: string, args: Record<string, unknown>])[] = [
  ["mute somebody", "x_v2_mutes_create", { target_user_id: `@${cast.stranger}` }],
  ["who did I mute", "x_v2_mutes_list", {}],
  ["unmute somebody", "x_v2_mutes_delete", { target_user_id: `@${cast.stranger}` }],
  ["who follows me", "x_get_followers", {}],
  ["whom do I follow", "x_get_following", {}],
  ["show my lists", "x_v2_lists_owned", {}],
  ["which posts did I bookmark", "x_get_bookmarks", {}],
  ["read my direct messages", "x_v2_dm_events", {}],
  ["how often is sourdough mentioned per day", "x_v2_tweets_counts_recent", { query: "sourdough" }],
  ["find Spaces about bread", "x_v2_spaces_search", { query: "bread" }],
  ["how many followers did I gain", "get_follower_trend", {}],
  ["which limits are left today", "get_rate_limits", {}],
  ["which rules apply to my posts", "get_policy_status", {}],
  ["ideas what to write about", "suggest_topics", {}],
  ["preview a post and its price", "x_post_tweet_dry_run", { text: "Rye on Friday." }],
  ["which accounts do I watch", "list_target_accounts", {}],
  ["is my configuration valid", "validate_config", {}],
  ["which errors did tools have", "get_mcp_error_breakdown", {}],
];

test("l tasks outside the everyday list", () =>
  job("l tasks outside the everyday list", async (call) => {
    const missed: string[] = [];
    for (const [query, tool, args] of OUTSIDE) {
      const { data } = await call("find_tools", { query });
      const found = data.tools as { name: string }[];
      if (!found.some(({ name }) => name === tool)) missed.push(`${query}: ${found.map(({ name }) => name)}`);
      expect(await call(tool, args), tool).toMatchObject({ success: true });
    }
    expect(missed).toEqual([]);
  }));

test("m recover from errors of X, nothing twice", async () => {
  const trusted = await connected({
    ...env,
    TUITBOT_APPROVAL_MODE: "false",
    // The other jobs have used up the limit of an hour.
    TUITBOT_MCP_POLICY__MAX_MUTATIONS_PER_HOUR: "100",
    TUITBOT_MCP_POLICY__REQUIRE_APPROVAL_FOR: "x_delete_tweet",
  });
  /** Time passes at X, which the server learns from X's next two answers: one alone could be wrong. */
  const waited = async ({ error }: Answer) => {
    // A minute more, since the clock stands still while a busy machine reads back.
    sandbox.clock.advance((error?.retry_after_ms ?? 0) + 60_000);
    for (const max_results of [1, 2])
      await trusted.callTool({ name: "x_get_home_timeline", arguments: { max_results } });
  };
  const published = (text: string) =>
    [...sandbox.world.posts.values()].filter((post) => post.text === text).length;
  const untilDone = async (call: Call, tool: string, args: Record<string, unknown>) => {
    let answer = await call(tool, args);
    for (let tries = 1; !answer.success && tries < 4; tries++) {
      await waited(answer);
      const { resume } = Object(answer.error?.details);
      answer = await call(tool, { ...args, ...(resume && { resume }) });
    }
    expect(answer, JSON.stringify(answer.error)).toMatchObject({ success: true });
  };
  try {
    await job(
      "m recover from errors of X, nothing twice",
      async (call) => {
        sandbox.faults.add({ operation: "createPosts", kind: "error", when: "before" });
        await untilDone(call, "x_post_tweet", { text: "After an error." });
        sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
        await untilDone(call, "x_post_tweet", { text: "After a lost answer." });
        sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
        await untilDone(call, "x_post_thread", { tweets: ["Part one.", "Part two.", "Part three."] });
      },
      trusted,
    );
    for (const text of ["After an error.", "After a lost answer.", "Part one.", "Part two.", "Part three."])
      expect([text, published(text)]).toEqual([text, 1]);
  } finally {
    await trusted.close();
  }
});

test("i undo the last thing, then stop", () =>
  job("i undo the last thing, then stop", async (call) => {
    expect(await call("undo_last")).toMatchObject({ success: true });
    expect(await call("stop_everything", { reason: "Enough." })).toMatchObject({ success: true });
    expect((await call("x_post_tweet", { text: "Not now." })).error).toMatchObject({ fix_by: "human" });
  }));

test("each job takes no more calls and bytes than it should", () => {
  for (const [name, { before, most }] of Object.entries(jobs)) {
    const { calls, bytes } = measured[name] ?? expect.fail(`${name} was not done.`);
    console.log(
      `${name}: ${calls} calls, ${bytes} bytes; before ${before.calls} and ${before.bytes ?? "unknown"}`,
    );
    expect(calls, `calls of ${name}`).toBeLessThanOrEqual(most.calls);
    expect(bytes, `bytes of ${name}`).toBeLessThanOrEqual(most.bytes);
  }
});

test("the documentation has these numbers, and which jobs meet the goal", () => {
  const page = readFileSync(new URL("../../../docs/performance.md", import.meta.url), "utf8");
  for (const [name, { before }] of Object.entries(jobs)) {
    const { calls, bytes } = measured[name] ?? expect.fail(`${name} was not done.`);
    const row = page.split("\n").find((line) => line.startsWith(`| ${name[0]} |`)) ?? expect.fail(name);
    const [, , , shownCalls = "", shownBytes = "", goal] = row.split("|").map((cell) => cell.trim());
    expect(shownCalls, name).toBe(`${before.calls} → ${calls}`);
    const [was = "", is = ""] = shownBytes.replaceAll(",", "").split(" → ");
    expect(was, name).toBe(String(before.bytes ?? "unknown"));
    expect(Number(is) / bytes, name).toBeCloseTo(1, 1);
    const isMet =
      calls <= (before.calls ?? 0) / 2 && bytes <= 0.6 * (before.bytes ?? Number.POSITIVE_INFINITY);
    expect(goal, name).toMatch(isMet ? /^met/ : /^missed/);
  }
});
