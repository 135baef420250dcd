import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { scheduleDraft } from "../../src/drafts/edit-draft.ts";
import { findDraft } from "../../src/drafts/find-draft.ts";
import { createDraft } from "../../src/drafts/store-draft.ts";
import type { Database } from "../../src/storage/database.ts";
import { openStore } from "../../src/storage/open-store.ts";
import type { Store } from "../../src/storage/store.ts";
import { cleanEnv } from "../live-server.ts";
import { signedInEnv, signInAt } from "../signed-in-env.ts";
import { postedBy } from "../storage/world.ts";
import { doomedProgram } from "./doomed-program.ts";
import type { Death } from "./order.ts";

/** Commands that work by themselves, killed where it hurts and run again once every lease has ended. */

let program: readonly string[];
let home: string;
let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;
let aheadMs: number;

beforeAll(async () => {
  program = await doomedProgram();
}, 300_000);

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "tuitbot-killed-"));
  sandbox = new Sandbox({
    plan: "enterprise",
    size: { people: 8, posts: 10 },
    start: Date.now(),
    realTime: Date.now,
  });
  env = await signedInEnv(home, sandbox);
  aheadMs = 0;
});

afterEach(async () => {
  await sandbox.close();
  await rm(home, { recursive: true, force: true });
});

const NEVER: Death = { kind: "never" };
/** Longer than any lease; that of a pass is the longest. */
const LEASES_MS = 31 * 60_000;

interface Ended {
  readonly isKilled: boolean;
  readonly out: string;
  readonly err: string;
}

function tuitbot(words: readonly string[], death: Death): Promise<Ended> {
  const child = spawn(process.execPath, [...program, ...words], {
    env: cleanEnv(home, { ...env, CHAOS_DOOM: JSON.stringify({ death, clockAheadMs: aheadMs }) }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (bytes: Buffer) => (out += bytes));
  child.stderr.on("data", (bytes: Buffer) => (err += bytes));
  return new Promise((resolve) =>
    child.once("close", (_, signal) => resolve({ isKilled: signal === "SIGKILL", out, err })),
  );
}

/** Returns the lines that a server prints to stderr while this tool is called. */
async function saidByServer(tool: string): Promise<string> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...program, "mcp", "serve"],
    env: cleanEnv(home, { ...env, CHAOS_DOOM: JSON.stringify({ death: NEVER, clockAheadMs: aheadMs }) }),
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (part) => (said += String(part)));
  const client = new Client({ name: "tester", version: "1" });
  await client.connect(transport);
  await client.callTool({ name: tool, arguments: {} });
  await client.close();
  return said;
}

function later(): void {
  aheadMs += LEASES_MS;
  sandbox.clock.advance(LEASES_MS);
}

async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const opened = await openStore({ path: env.TUITBOT_STORAGE__DB_PATH ?? "" }, { now: Date.now });
  if (!opened.ok) throw opened.failure;
  try {
    return await work(opened.value);
  } finally {
    await opened.value.close();
  }
}

/** Returns a column of a table, row by row. */
function column(table: keyof Database, name: string): Promise<readonly unknown[]> {
  return withStore(async ({ db }) => {
    const rows = await db.selectFrom(table).selectAll().execute();
    return rows.map((row) => Reflect.get(row, name));
  });
}

const texts = () => postedBy(sandbox).map(({ text }) => text);

describe("tuitbot tick that is killed while it publishes what is scheduled", () => {
  const pass = ["tick", "--loops", "scheduled", "--output", "json"];

  test.each<{ readonly at: string; readonly death: Death }>([
    { at: "before the first request", death: { kind: "request", number: 1, when: "before" } },
    { at: "with the first under way", death: { kind: "request", number: 1, when: "under way" } },
    { at: "with the first answered", death: { kind: "request", number: 1, when: "answered" } },
    { at: "in the middle of a thread", death: { kind: "request", number: 3, when: "under way" } },
    { at: "with a thread all out", death: { kind: "request", number: 4, when: "answered" } },
  ])("$at publishes each once and forgets none", { timeout: 60_000 }, async ({ death }) => {
    env = { ...env, TUITBOT_APPROVAL_MODE: "false", TUITBOT_MCP_POLICY__REQUIRE_APPROVAL_FOR: "" };
    const { account, ids } = await scheduled([["Alone"], ["One", "Two", "Three"]]);
    expect(await tuitbot(pass, death)).toMatchObject({ isKilled: true });
    later();
    expect(await tuitbot(pass, NEVER)).toMatchObject({ isKilled: false, err: "" });
    expect(texts()).toEqual(["Alone", "One", "Two", "Three"]);
    const out = await withStore(async (store) => {
      const book = { store, account, now: Date.now };
      return Promise.all(ids.map((id) => findDraft(book, id)));
    });
    expect(out).toMatchObject(ids.map(() => ({ value: { status: "published" } })));
    // One that is known to have sent nothing gives way to another.
    const states = await column("receipts", "state");
    expect(states.filter((state) => state !== "failed")).toEqual(["confirmed", "confirmed"]);
    expect(await column("leases", "holder")).toEqual([]);
  });

  /** Drafts that are due. */
  async function scheduled(drafts: readonly (readonly string[])[]) {
    const account = sandbox.person(cast.owner).id;
    const ids = await withStore(async (store) => {
      const book = { store, account, now: Date.now };
      const made: number[] = [];
      for (const texts of drafts) {
        const { id } = await createDraft(book, { texts, topic: "bread", framework: "tip", writer: "test" });
        await scheduleDraft(book, id, { dueAt: Date.now() - 1, by: "test" });
        made.push(id);
      }
      return made;
    });
    return { account, ids };
  }
});

test("an approved thread that waits because the sign-in was lost is said by health_check, doctor and the loop", {
  timeout: 60_000,
}, async () => {
  const tweets = JSON.stringify({ tweets: ["One", "Two"] });
  await tuitbot(["call", "x_post_thread", "--json", tweets], NEVER);
  expect(
    await tuitbot(["approve", "--id", "1", "--yes"], { kind: "request", number: 2, when: "before" }),
  ).toMatchObject({
    isKilled: true,
  });
  // The tokens have run out: X renews them, and the process that asked for that dies before it has stored them.
  await signInAt(home, sandbox, 0);
  const renewal: Death = { kind: "request", number: 1, when: "answered" };
  expect(await tuitbot(["call", "health_check"], renewal)).toMatchObject({ isKilled: true });
  later();
  const health = await tuitbot(["call", "health_check", "--output", "json"], NEVER);
  expect(JSON.parse(health.out)).toMatchObject({
    data: {
      status: "degraded",
      x: { status: "expired", message: expect.stringContaining("sign-in to X was lost") },
      approved_waiting: 1,
    },
  });
  const doctor = await tuitbot(["doctor", "--output", "json"], NEVER);
  const { checks } = JSON.parse(doctor.out) as { checks: readonly { name: string }[] };
  expect(checks).toContainEqual(
    expect.objectContaining({ name: "account", status: "failed", message: expect.stringContaining("lost") }),
  );
  expect(checks).toContainEqual(
    expect.objectContaining({
      name: "database",
      status: "warning",
      message: expect.stringContaining("not carried out yet: 1"),
    }),
  );
  const pass = await tuitbot(["tick"], NEVER);
  expect(pass.err).toContain("sign-in to X was lost");
  expect(await saidByServer("x_get_me")).toMatch(/tuitbot: The sign-in to X was lost.*tuitbot auth login/);
});

describe("tuitbot approve that is killed while it releases an item", () => {
  const call = (text: string) => ["call", "x_post_tweet", "--json", JSON.stringify({ text })];

  test.each<{ readonly at: string; readonly death: Death }>([
    { at: "before the request", death: { kind: "request", number: 1, when: "before" } },
    { at: "with the request under way", death: { kind: "request", number: 1, when: "under way" } },
    { at: "with the request answered", death: { kind: "request", number: 1, when: "answered" } },
  ])("$at publishes it once and says so to the next who asks", { timeout: 60_000 }, async ({ death }) => {
    await tuitbot(call("To be approved"), NEVER);
    const approve = ["approve", "--id", "1", "--yes"];
    expect(await tuitbot(approve, death)).toMatchObject({ isKilled: true });
    expect(await column("approvals", "status")).toEqual(["releasing"]);
    later();
    // The next server that looks finishes the approved calls.
    expect(await tuitbot(["approve", "--list"], NEVER)).toMatchObject({
      out: expect.stringMatching(/^Nothing waits for you\.\n/),
    });
    expect(texts()).toEqual(["To be approved"]);
    expect(await column("approvals", "status")).toEqual(["executed"]);
    expect(await column("receipts", "state")).toContain("confirmed");
    expect(await tuitbot(approve, NEVER)).toMatchObject({
      out: "",
      err: expect.stringContaining("carried out"),
    });
    expect(texts()).toEqual(["To be approved"]);
  });
});
