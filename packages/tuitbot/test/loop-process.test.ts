import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { webhookStandIn } from "../../contract/test/notify/stand-ins.ts";
import { scheduleDraft } from "../src/drafts/edit-draft.ts";
import { createDraft } from "../src/drafts/store-draft.ts";
import { openStore } from "../src/storage/open-store.ts";
import { cleanEnv, tuitbotCommand } from "./live-server.ts";
import { signedInEnv } from "./signed-in-env.ts";
import { postedBy } from "./storage/world.ts";

let home: string;
let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;
const running: ChildProcess[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "tuitbot-loops-"));
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  env = await signedInEnv(home, sandbox);
});

afterEach(async () => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  await sandbox.close();
  rmSync(home, { recursive: true, force: true });
});

function start(words: readonly string[]): ChildProcess {
  const child = spawn(tuitbotCommand.command, [...tuitbotCommand.args, ...words], {
    env: cleanEnv(home, env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  return child;
}

async function finished(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
  let out = "";
  let err = "";
  child.stdout?.on("data", (part: Buffer) => (out += part.toString()));
  child.stderr?.on("data", (part: Buffer) => (err += part.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, out, err };
}

function database(): DatabaseSync {
  return new DatabaseSync(env.TUITBOT_STORAGE__DB_PATH ?? "", { timeout: 10_000 });
}

describe("tuitbot tick", () => {
  test("does what is due, tells it to programs, and remembers across processes", async () => {
    const words = ["tick", "--ignore-schedule", "--output", "json"];
    const first = await finished(start(words));
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(first.out)).toMatchObject({
      success: true,
      mode: "autopilot",
      approval_mode: true,
      schedule_active: true,
      dry_run: false,
      loops: {
        scheduled: { status: "completed" },
        mentions: { status: "completed" },
        targets: { status: "skipped", reason: "targets.accounts is empty" },
        discovery: { status: "skipped", reason: "business.product_keywords is empty" },
        content: { status: "skipped", reason: "no language model is set up" },
        analytics: { status: "completed" },
      },
      errors: [],
    });
    const second = JSON.parse((await finished(start(words))).out);
    expect(second.loops.analytics).toEqual({ status: "skipped", reason: "not due yet" });

    const stored = database();
    expect(stored.prepare("select count(*) as days from follower_snapshots").get()).toEqual({ days: 1 });
    expect(stored.prepare("select * from leases").all()).toEqual([]);
    stored.close();
  });

  test("leaves the account to another process that is at work", async () => {
    await finished(start(["tick", "--loops", "retention"]));
    const stored = database();
    const { id } = sandbox.person(cast.owner);
    const lease = stored.prepare(
      "insert into leases (account, name, holder, until) values (?, 'tick', 'other', ?)",
    );
    lease.run(id, Date.now() + 100_000);
    const refused = await finished(start(["tick", "--loops", "retention"]));
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain("Another tuitbot is running for this account");
    stored.prepare("update leases set until = 0").run();
    stored.close();
    expect((await finished(start(["tick", "--loops", "retention"]))).code).toBe(0);
  });

  test("says which loops there are, and which of them failed", async () => {
    expect(await finished(start(["tick", "--loops", "everything"]))).toMatchObject({
      code: 2,
      err: expect.stringContaining("There are scheduled, mentions, targets"),
    });
    sandbox.faults.add({ operation: "getUsersMentions", kind: "error", status: 403 });
    const broken = await finished(start(["tick", "--loops", "mentions", "--ignore-schedule"]));
    expect(broken).toMatchObject({ code: 1, out: expect.stringContaining("mentions   failed:") });
  });
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "tuitbot run ends on %s and lets go of everything",
  async (signal) => {
    const child = start(["run", "--output", "json"]);
    const line = new Promise<string>((resolve) =>
      child.stdout?.once("data", (part) => resolve(String(part))),
    );
    const end = finished(child);
    expect(JSON.parse(await line)).toMatchObject({ loops: { analytics: { status: "completed" } } });
    child.kill(signal);
    expect(await end).toMatchObject({ code: 0, err: "" });
    const stored = database();
    expect(stored.prepare("select * from leases").all()).toEqual([]);
    stored.close();
  },
);

test.each([
  { over: "stdio", words: [] },
  { over: "HTTP", words: ["--http", "127.0.0.1:0"] },
])("a server over $over with a runner publishes what is due, and leaves no lease", async ({ words }) => {
  Object.assign(env, {
    TUITBOT_APPROVAL_MODE: "false",
    TUITBOT_MCP_POLICY__REQUIRE_APPROVAL_FOR: "",
    TUITBOT_SERVER__RUNNER: "true",
  });
  const account = sandbox.person(cast.owner).id;
  const opened = await openStore({ path: env.TUITBOT_STORAGE__DB_PATH ?? "" }, { now: Date.now });
  if (!opened.ok) throw opened.failure;
  const book = { store: opened.value, account, now: Date.now };
  const { id } = await createDraft(book, {
    texts: ["Due"],
    topic: "bread",
    framework: "tip",
    writer: "test",
  });
  await scheduleDraft(book, id, { dueAt: Date.now(), by: "test" });
  await opened.value.close();
  const child = spawn(tuitbotCommand.command, [...tuitbotCommand.args, "mcp", "serve", ...words], {
    env: cleanEnv(home, env),
    stdio: ["pipe", "pipe", "pipe"],
  });
  running.push(child);
  const end = finished(child);
  await expect.poll(() => postedBy(sandbox).map(({ text }) => text), { timeout: 30_000 }).toEqual(["Due"]);
  const stored = database();
  const leases = () => stored.prepare("select name from leases order by name").all();
  expect(leases()).toContainEqual({ name: "runner" });
  child.kill("SIGTERM");
  expect(await end).toMatchObject({ code: 0, err: "" });
  expect(leases()).toEqual([]);
  stored.close();
});

test("tuitbot run tells people that X refuses too often, and that the sign-in is lost before it ends", async () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const webhook = await webhookStandIn(secret);
  env = {
    ...env,
    TUITBOT_NOTIFY__PEOPLE: JSON.stringify([{ name: "Ana", webhook_url: `${webhook.url}/hook` }]),
    TUITBOT_NOTIFY__WEBHOOK_SECRET: secret,
    TUITBOT_CIRCUIT_BREAKER__ERROR_THRESHOLD: "1",
    TUITBOT_SCHEDULE__ACTIVE_HOURS_START: "0",
    TUITBOT_SCHEDULE__ACTIVE_HOURS_END: "0",
  };
  const kinds = () => webhook.got.map(({ type }) => type);
  try {
    sandbox.faults.add({ operation: "getUsersMentions", kind: "error", status: 403 });
    const refused = start(["run"]);
    const end = finished(refused);
    await expect.poll(kinds, { timeout: 20_000 }).toEqual(["tuitbot.breaker_open"]);
    expect(webhook.got[0]?.data).toMatchObject({
      text: expect.stringContaining("Nothing is published before"),
    });
    refused.kill("SIGTERM");
    await end;

    sandbox.faults.clear();
    const stored = database();
    stored.prepare("update loops set ran_at = 0").run();
    stored.close();
    sandbox.faults.add({ operation: "getUsersMentions", kind: "error", status: 401, count: 10 });
    const lost = await finished(start(["run"]));
    expect(lost.code).not.toBe(0);
    expect(kinds()).toEqual(["tuitbot.breaker_open", "tuitbot.sign_in_lost"]);
  } finally {
    await webhook.close();
  }
}, 60_000);
