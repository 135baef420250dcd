import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Profile, profiles } from "../../src/profiles.ts";
import { cleanEnv, serveLive, tuitbotCommand } from "../live-server.ts";
import { signedInEnv } from "../signed-in-env.ts";
import { specifiedGroups } from "./specified-tools.ts";

let home: string;
let sandbox: Sandbox;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-specified-")));
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
});

afterEach(async () => {
  await sandbox.close();
  rmSync(home, { recursive: true, force: true });
});

/** Neither a database nor a language model can be used, and nothing may be sent without an approval. */
async function constrained(): Promise<NodeJS.ProcessEnv> {
  return {
    ...(await signedInEnv(home, sandbox)),
    TUITBOT_STORAGE__DB_PATH: "/proc/nowhere/tuitbot.db",
    TUITBOT_MODE: "composer",
    TUITBOT_APPROVAL_MODE: "true",
    TUITBOT_MCP_POLICY__ENFORCE_FOR_MUTATIONS: "true",
    TUITBOT_MCP_POLICY__REQUIRE_APPROVAL_FOR: "[]",
    TUITBOT_MCP_POLICY__BLOCKED_TOOLS: [
      ...(specifiedGroups.writes?.names ?? []),
      ...(specifiedGroups.engagements?.names ?? []),
    ].join(","),
    TUITBOT_BUDGET__MAX_USD_PER_DAY: "0.000001",
  };
}

test.each(profiles)(
  "the profile %s does not start without tokens, or with a file that holds none",
  (profile) => {
    const tokens = join(home, "tokens.json");
    for (const [content, message] of [
      [undefined, "Nobody is signed in to X."],
      ["garbage", "does not hold tokens"],
    ] as const) {
      if (content !== undefined) writeFileSync(tokens, content, { mode: 0o600 });
      const ran = spawnSync(
        tuitbotCommand.command,
        [...tuitbotCommand.args, "mcp", "serve", "--profile", profile],
        { env: cleanEnv(home, { TUITBOT_AUTH__TOKEN_FILE: tokens }), encoding: "utf8", input: "" },
      );
      expect(ran, content).toMatchObject({ status: 1, stdout: "" });
      expect(ran.stderr, content).toContain(message);
    }
  },
);

test.each(profiles)(
  "the profile %s checks its sign-in at X when it starts, before any call",
  async (profile) => {
    const server = await serveLive(["--profile", profile], await signedInEnv(home, sandbox));
    try {
      await expect.poll(() => sandbox.journal.of("getUsersMe").length, { timeout: 20_000 }).toBe(1);
    } finally {
      await server.close();
    }
  },
);

describe.each(["readonly", "api-readonly", "utility-readonly", "utility-write"] satisfies Profile[])(
  "the profile %s",
  (profile) => {
    test("reads without a database and a language model, and stores none of what it reads", async () => {
      const server = await serveLive(["--profile", profile], await constrained());
      try {
        for (const [tool, args] of [
          ["get_config", {}],
          ["health_check", {}],
          ["x_get_user_by_username", { username: cast.friend }],
          ["x_search_tweets", { query: "the" }],
        ] as const)
          expect(await server.call(tool, args), tool).toMatchObject({ success: true });
        expect(readdirSync(home)).toEqual(["tokens.json"]);
      } finally {
        await server.close();
      }
    });
  },
);

test("utility-write sends every specified write and engagement without policy, approval, budget or audit", async () => {
  const server = await serveLive(["--profile", "utility-write"], await constrained());
  const post = sandbox.say(cast.friend, "A question?").id;
  const own = sandbox.say(cast.owner, "Not for long.").id;
  const person = sandbox.person(cast.stranger).id;
  const calls: Readonly<Record<string, Record<string, unknown>>> = {
    x_post_tweet: { text: "A post." },
    x_reply_to_tweet: { text: "An answer.", in_reply_to_id: post },
    x_quote_tweet: { text: "Read this.", quoted_tweet_id: post },
    x_delete_tweet: { tweet_id: own },
    x_post_thread: { tweets: ["One.", "Two."] },
    x_like_tweet: { tweet_id: post },
    x_unlike_tweet: { tweet_id: post },
    x_follow_user: { target_user_id: person },
    x_unfollow_user: { target_user_id: person },
    x_retweet: { tweet_id: post },
    x_unretweet: { tweet_id: post },
    x_bookmark_tweet: { tweet_id: post },
    x_unbookmark_tweet: { tweet_id: post },
  };
  try {
    expect(Object.keys(calls)).toEqual([
      ...(specifiedGroups.writes?.names ?? []),
      ...(specifiedGroups.engagements?.names ?? []),
    ]);
    for (const [tool, args] of Object.entries(calls)) {
      const before = sandbox.journal.entries.length;
      const answer = await server.call(tool, args);
      expect(answer, `${tool} ${JSON.stringify(answer.error)}`).toMatchObject({ success: true });
      expect(answer.data, tool).not.toHaveProperty("approval_queue_id");
      expect(answer.meta ?? {}, tool).not.toHaveProperty("elapsed_ms");
      const changes = sandbox.journal.entries.slice(before).filter(({ method }) => method !== "GET");
      expect(changes.length, tool).toBeGreaterThan(0);
    }
    // Neither a database nor an audit log: the sign-in, digests of recent calls, and the key of thread handles.
    expect(readdirSync(home).filter((name) => !name.startsWith("tokens.json"))).toEqual(["approval.key"]);
  } finally {
    await server.close();
  }
});
