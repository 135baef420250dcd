import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { knownScopes, type Sandbox } from "@toolpact/x-sandbox";
import { afterEach, describe, expect, test } from "vitest";
import { breakDatabase } from "./broken-database.ts";
import { cleanEnv, type LiveServer, queuedItem, serveLive, tuitbotCommand } from "./live-server.ts";
import { letThrough } from "./live-stage.ts";
import { setStage } from "./stage.ts";

/** Everything that reports whether the account can act has to report every way in which it cannot. */

interface World {
  readonly home: string;
  readonly env: Record<string, string>;
  readonly sandbox: Sandbox;
  readonly tokens: string;
  readonly key: string;
  readonly database: string;
  readonly signIn: (scopes?: readonly string[]) => void;
}

interface Report {
  readonly can_act: boolean;
  readonly blocked_by: readonly { readonly reason: string; readonly fix: string; readonly fix_by: string }[];
}

let closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

async function world(more: Record<string, string> = {}): Promise<World> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-degraded-")));
  const { sandbox } = setStage(home);
  closing.push(
    () => rmSync(home, { recursive: true, force: true }),
    () => sandbox.close(),
  );
  const tokens = join(home, "tokens.json");
  const key = join(home, "approval.key");
  const database = join(home, "tuitbot.db");
  const signIn = (scopes: readonly string[] = knownScopes) => {
    const { accessToken, refreshToken, expiresInSeconds } = sandbox.signIn({ scopes });
    const stored = {
      version: 1,
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_at: Date.now() + expiresInSeconds * 1_000,
      scopes,
    };
    writeFileSync(tokens, JSON.stringify(stored), { mode: 0o600 });
  };
  signIn();
  const env = cleanEnv(home, {
    TUITBOT_X_API__BASE_URL: await sandbox.listen(),
    TUITBOT_X_API__CLIENT_ID: sandbox.app.clientId,
    TUITBOT_X_API__READ_RETRIES: "0",
    TUITBOT_AUTH__TOKEN_FILE: tokens,
    TUITBOT_APPROVALS__KEY_FILE: key,
    TUITBOT_STORAGE__DB_PATH: database,
    ...more,
  });
  return { home, env, sandbox, tokens, key, database, signIn };
}

async function serve({ env }: World, profile = "write"): Promise<LiveServer> {
  const server = await serveLive(["--profile", profile], env);
  closing.push(server.close);
  return server;
}

/** Runs a command to its end, and reads the JSON it prints. */
function run({ env, home }: World, words: readonly string[]): Promise<{ code: number; json: unknown }> {
  return new Promise((resolve) => {
    const { command, args } = tuitbotCommand;
    const child = execFile(
      command,
      [...args, ...words, "--output", "json"],
      { env, cwd: home },
      (_, stdout) =>
        resolve({ code: child.exitCode ?? -1, json: stdout === "" ? undefined : JSON.parse(stdout) }),
    );
  });
}

/** Spends nearly all of the daily budget. */
function spend({ database }: World, usd: number): void {
  const db = new DatabaseSync(database, { timeout: 10_000 });
  db.prepare("update spend set micros = micros + ?").run(usd * 1e6);
  db.close();
}

interface Breakage {
  readonly how: string;
  readonly reason: string;
  readonly fixBy: "agent" | "operator" | "human";
  readonly env?: Record<string, string>;
  readonly run: (world: World) => unknown;
  /** Whether commands in other processes see nothing of it. */
  readonly isSeenOnlyByServer?: boolean;
  readonly isConfiguration?: boolean;
}

const breakages: readonly Breakage[] = [
  {
    how: "the approval key is damaged",
    reason: "approval_key_unusable",
    fixBy: "operator",
    isConfiguration: true,
    run: ({ key }) => writeFileSync(key, "nonsense"),
  },
  {
    how: "the tables of the database are gone",
    reason: "database_failed",
    fixBy: "operator",
    isConfiguration: true,
    // To another process it is a database that no server has used yet.
    isSeenOnlyByServer: true,
    run: ({ database }) => closing.push(breakDatabase(database)),
  },
  {
    how: "the database file is gone",
    reason: "database_replaced",
    fixBy: "operator",
    isConfiguration: true,
    isSeenOnlyByServer: true,
    run: ({ database }) => rmSync(database),
  },
  {
    how: "everything is stopped",
    reason: "stopped_by_person",
    fixBy: "human",
    run: (here) => run(here, ["stop"]),
  },
  {
    how: "the budget is used up",
    reason: "budget",
    fixBy: "operator",
    env: { TUITBOT_BUDGET__MAX_USD_PER_DAY: "1" },
    run: (here) => spend(here, 0.989),
  },
  {
    how: "nobody is signed in any more",
    reason: "x_not_configured",
    fixBy: "operator",
    run: ({ tokens }) => rmSync(tokens),
  },
  {
    how: "the file of the sign-in is damaged",
    reason: "x_not_configured",
    fixBy: "operator",
    run: ({ tokens }) => writeFileSync(tokens, '{"version":1,"access_to'),
  },
];

describe.each(breakages)("while $how", (breakage) => {
  test("every report says that the account cannot act, and it cannot", async () => {
    const { reason, fixBy, isSeenOnlyByServer, isConfiguration = false } = breakage;
    const here = await world(breakage.env);
    const { call } = await serve(here);
    expect(await call("health_check")).toMatchObject({
      data: { status: "ok", can_act: true, blocked_by: [] },
    });
    expect(await call("get_capabilities")).toMatchObject({
      data: { can_post_tweets: true, blocked_by: [] },
    });
    expect(await call("validate_config")).toMatchObject({ data: { valid: true, blocked_by: [] } });
    expect(await call("x_post_tweet", { text: "Before." })).toMatchObject({ success: true });
    expect(await run(here, ["status"])).toMatchObject({ json: { can_act: true, blocked_by: [] } });
    expect(await run(here, ["doctor"])).toMatchObject({ json: { can_act: true, blocked_by: [] } });

    await breakage.run(here);

    const says = (report: unknown) => {
      const { can_act, blocked_by } = report as Report;
      expect(can_act).toBe(false);
      expect(blocked_by).toContainEqual(
        expect.objectContaining({ reason, fix_by: fixBy, fix: expect.stringMatching(/\w/) }),
      );
    };
    const posted = await call("x_post_tweet", { text: "After." });
    // A call that waits for approval needs X only once it is approved.
    expect(posted.success && queuedItem(posted) === undefined, JSON.stringify(posted)).toBe(false);
    const health = await call("health_check");
    expect(health).toMatchObject({ success: true, data: { status: "degraded" } });
    says(health.data);
    const capabilities = await call("get_capabilities");
    expect(capabilities).toMatchObject({
      success: true,
      data: { can_post_tweets: false, can_reply: false },
    });
    says(capabilities.data);
    const config = await call("validate_config");
    expect(config).toMatchObject({ success: true, data: { valid: !isConfiguration } });
    says(config.data);
    if (isSeenOnlyByServer) return;
    const doctor = await run(here, ["doctor"]);
    expect(doctor).toMatchObject({ code: 1, json: { healthy: false } });
    says(doctor.json);
    says((await run(here, ["status"])).json);
  });
});

test("a database that another process locks is reported", async () => {
  const here = await world();
  const { call } = await serve(here);
  expect(await call("health_check")).toMatchObject({ data: { status: "ok" } });
  const db = new DatabaseSync(here.database, { timeout: 10_000 });
  db.exec("begin immediate");
  const health = await call("health_check");
  expect(health).toMatchObject({ data: { status: "degraded", can_act: false } });
  expect((health.data as Report).blocked_by).toContainEqual(
    expect.objectContaining({ reason: "database_busy", fix_by: "agent" }),
  );
  db.close();
  expect(await call("health_check")).toMatchObject({ data: { status: "ok" } });
});

test("utility-write reports that its file of recent calls is damaged", async () => {
  const here = await world();
  const { call } = await serve(here, "utility-write");
  expect(await call("health_check")).toMatchObject({ data: { status: "ok" } });
  writeFileSync(`${here.tokens}.calls`, "nonsense");
  expect(await call("x_post_tweet", { text: "After." })).toMatchObject({ success: false });
  expect(await call("health_check")).toMatchObject({
    data: { status: "degraded", can_act: false, blocked_by: [{ reason: "recent_calls_unusable" }] },
  });
  expect(await call("validate_config")).toMatchObject({ data: { valid: false, can_act: false } });
});

test("a sign-in without tweet.write is reported, and reading goes on", async () => {
  const here = await world();
  here.signIn(["tweet.read", "users.read", "offline.access"]);
  const { call } = await serve(here);
  expect(await call("get_capabilities")).toMatchObject({
    data: {
      can_post_tweets: false,
      can_search: true,
      blocked_by: [{ reason: "missing_scope", blocks: ["post", "reply"] }],
    },
  });
});

test("a used-up daily limit is reported for what it limits", async () => {
  const here = await world({ ...letThrough, TUITBOT_LIMITS__MAX_TWEETS_PER_DAY: "1" });
  const { call } = await serve(here);
  expect(await call("x_post_tweet", { text: "One." })).toMatchObject({ success: true });
  expect(await call("x_post_tweet", { text: "Two." })).toMatchObject({
    error: { code: "policy_denied_rate_limited" },
  });
  expect(await call("get_capabilities")).toMatchObject({
    data: {
      can_post_tweets: false,
      can_reply: true,
      blocked_by: [{ reason: "policy_limit", blocks: ["post"] }],
    },
  });
});
