import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../src/storage/open-store.ts";
import { type Envelope, type LiveServer, queuedItem, serveLive } from "./live-server.ts";
import { signedInEnv } from "./signed-in-env.ts";
import { postedBy } from "./storage/world.ts";

/** The pipeline's promises, tested with a real client on a real server process whose clock may be ahead. */

const SECOND = 1_000;
const HOUR = 3_600_000;
const doom = new URL("./chaos/doom.ts", import.meta.url).pathname;

let home: string;
let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;
const servers: LiveServer[] = [];

beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-twice-")));
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  env = {
    ...(await signedInEnv(home, sandbox)),
    TUITBOT_APPROVAL_MODE: "false",
    TUITBOT_APPROVALS__ALLOW_AGENT: "true",
    TUITBOT_MCP_POLICY__REQUIRE_APPROVAL_FOR: "",
  };
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  await sandbox.close();
  rmSync(home, { recursive: true, force: true });
});

/** A server that was started so much later. */
async function serve(aheadMs = 0, more: NodeJS.ProcessEnv = {}): Promise<LiveServer> {
  // Time has passed for X as well.
  if (aheadMs > 0) sandbox.clock.set(Date.now() + aheadMs);
  const fate = { death: { kind: "never" }, clockAheadMs: aheadMs };
  const server = await serveLive(["--profile", "write"], {
    ...env,
    ...(aheadMs > 0 && { NODE_OPTIONS: `--import ${doom}`, CHAOS_DOOM: JSON.stringify(fate) }),
    ...more,
  });
  servers.push(server);
  return server;
}

/** The call, and the approval that a safety rule asks for. */
async function approved(
  { call }: LiveServer,
  tool: string,
  args: Record<string, unknown>,
): Promise<Envelope> {
  const answer = await call(tool, args);
  const id = queuedItem(answer);
  return id === undefined ? answer : call("approve_item", { id });
}

describe("the same post", () => {
  const hello = { text: "Good morning" };

  test("is refused within 30 seconds, with what came of the first", async () => {
    const { call } = await serve();
    const first = await call("x_post_tweet", hello);
    expect(await call("x_post_tweet", hello)).toMatchObject({
      success: false,
      error: {
        code: "validation_error",
        reason: "duplicate_request",
        retryable: false,
        details: { receipt: { id: first.meta?.correlation_id, state: "confirmed", result: first.data } },
      },
    });
    expect(postedBy(sandbox)).toHaveLength(1);
  });

  test("with Gemini's wait_for_previous is the same post as without it", async () => {
    const { call } = await serve();
    expect(await call("x_post_tweet", { ...hello, wait_for_previous: true })).toMatchObject({
      success: true,
    });
    expect(await call("x_post_tweet", hello)).toMatchObject({ error: { reason: "duplicate_request" } });
    expect(postedBy(sandbox)).toHaveLength(1);
  });

  test("gets the first answer later, in any process, and is a new post after a day", async () => {
    const first = await (await serve()).call("x_post_tweet", hello);
    expect(first).toMatchObject({ success: true });
    for (const later of [31 * SECOND, 23 * HOUR]) {
      const again = await (await serve(later)).call("x_post_tweet", hello);
      expect(again).toMatchObject({ success: true, data: first.data, meta: { replayed: true } });
    }
    expect(sandbox.journal.of("createPosts")).toHaveLength(1);
    const tomorrow = await (await serve(25 * HOUR)).call("x_post_tweet", hello);
    expect(tomorrow.meta).not.toHaveProperty("replayed");
    expect(sandbox.journal.of("createPosts")).toHaveLength(2);
  });

  test("with a key of the caller is the same call, and with other words it is not", async () => {
    const { call } = await serve();
    await call("x_post_tweet", { ...hello, idempotency_key: "a" });
    expect(await call("x_post_tweet", { text: "Good night", idempotency_key: "a" })).toMatchObject({
      error: { code: "validation_error", reason: "idempotency_key_reused" },
    });
    expect(await call("x_post_tweet", { text: "Good night", idempotency_key: "b" })).toMatchObject({
      success: true,
    });
  });

  test("that got no answer is settled by the next server that starts, before anybody calls", async () => {
    sandbox.faults.add({ operation: "createPosts", kind: "hang", when: "after" });
    const first = await serve();
    const asked = first.call("x_post_tweet", hello).catch(() => undefined);
    await expect.poll(() => postedBy(sandbox)).toHaveLength(1);
    await first.close();
    await asked;
    const second = await serve(2 * 60 * SECOND);
    await expect.poll(receiptStates).toEqual(["confirmed"]);
    expect(await second.call("x_post_tweet", hello)).toMatchObject({
      success: true,
      data: { id: postedBy(sandbox)[0]?.id },
      meta: { replayed: true },
    });
    expect(postedBy(sandbox)).toHaveLength(1);
  });
});

test("a like is answered from memory until it is undone", async () => {
  const { id: tweet_id } = sandbox.say(cast.friend, "Something to like");
  expect(await approved(await serve(), "x_like_tweet", { tweet_id })).toMatchObject({ success: true });
  const later = await serve(72 * HOUR);
  expect(await later.call("x_like_tweet", { tweet_id })).toMatchObject({ meta: { replayed: true } });
  expect(sandbox.journal.of("likePost")).toHaveLength(1);
  expect(await later.call("x_unlike_tweet", { tweet_id })).toMatchObject({ success: true });
  expect(await approved(later, "x_like_tweet", { tweet_id })).toMatchObject({ success: true });
  expect(sandbox.journal.of("likePost")).toHaveLength(2);
});

test("an approved message is answered from memory for a day, and sent again with a key", async () => {
  const message = { participant_id: sandbox.person(cast.friend).id, text: "Are you there?" };
  const send = (server: LiveServer, key?: string) =>
    approved(server, "x_v2_dm_send_to_participant", {
      ...message,
      ...(key !== undefined && { idempotency_key: key }),
    });
  const first = await serve();
  expect(await send(first)).toMatchObject({ success: true });
  expect(await send(first)).toMatchObject({ error: { reason: "duplicate_request" } });
  const later = await serve(31 * SECOND);
  expect(await send(later)).toMatchObject({ success: true, meta: { replayed: true } });
  expect(await send(later, "again")).toMatchObject({ success: true });
  expect(sandbox.journal.of("createDirectMessagesByParticipantId")).toHaveLength(2);
});

describe("an answer", () => {
  test("says how to find, undo and pay for what was done", async () => {
    const { call } = await serve();
    const { data, meta } = await call("x_post_tweet", { text: "With everything" });
    expect(meta).toMatchObject({
      correlation_id: expect.stringMatching(/^[0-9a-f]{8}-/),
      cost: { settled_usd: 0.015 },
    });
    const detail = await call("get_mutation_detail", { correlation_id: String(meta?.correlation_id) });
    expect(detail.data).toMatchObject({
      rollback: {
        reversible: true,
        undo_tool: "x_delete_tweet",
        params: { tweet_id: (data as { id: string }).id },
      },
    });
  });

  test("names the price of a link, and the link goes out only with the caller's yes", async () => {
    const { call } = await serve();
    const text = "Read https://example.com/news today";
    expect(await call("x_post_tweet", { text })).toMatchObject({
      error: { code: "validation_error", reason: "url_price", details: { price_usd: expect.any(Number) } },
    });
    expect(sandbox.journal.of("createPosts")).toEqual([]);
    expect(await call("x_post_tweet", { text, accept_url_price: true })).toMatchObject({ success: true });
  });
});

describe("without a request to X", () => {
  test.each<readonly [string, NodeJS.ProcessEnv, object]>([
    [
      "a dry run says what would be done",
      { TUITBOT_MCP_POLICY__DRY_RUN_MUTATIONS: "true" },
      {
        success: false,
        error: { policy_decision: "dry_run", details: { dry_run: true, would_execute: "x_post_tweet" } },
      },
    ],
    [
      "a blocked tool, under whatever name it was blocked, is refused",
      { TUITBOT_MCP_POLICY__BLOCKED_TOOLS: "post_tweet" },
      { success: false, error: { code: "policy_denied_blocked", policy_decision: "denied" } },
    ],
    [
      "a cap keeps money where it is",
      { TUITBOT_BUDGET__MAX_USD_PER_CALL: "0.001" },
      { success: false, error: { code: "policy_denied_user_rule", reason: "budget" } },
    ],
    [
      "composer mode asks a person about everything, rules or no rules",
      { TUITBOT_MODE: "composer", TUITBOT_MCP_POLICY__ENFORCE_FOR_MUTATIONS: "false" },
      { success: true, data: { status: "queued", policy_decision: "routed_to_approval" } },
    ],
  ])("%s", async (_, more, answer) => {
    const { call } = await serve(0, more);
    expect(await call("x_post_tweet", { text: "Not now" })).toMatchObject(answer);
    expect(sandbox.journal.of("createPosts")).toEqual([]);
  });

  test("deleting asks a person, rules or no rules", async () => {
    const { call } = await serve(0, { TUITBOT_MCP_POLICY__ENFORCE_FOR_MUTATIONS: "false" });
    const { id: tweet_id } = sandbox.say(cast.owner, "Mine");
    expect(await call("x_delete_tweet", { tweet_id })).toMatchObject({
      data: { status: "queued", matched_rule_id: "hard:delete_approval" },
    });
    expect(sandbox.world.posts.has(tweet_id)).toBe(true);
  });
});

async function receiptStates(): Promise<readonly string[]> {
  const opened = await openStore({ path: env.TUITBOT_STORAGE__DB_PATH ?? "" }, { now: Date.now });
  if (!opened.ok) throw opened.failure;
  const rows = await opened.value.db.selectFrom("receipts").select("state").execute();
  await opened.value.close();
  return rows.map(({ state }) => state);
}
