import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allTools } from "../src/tools/all-tools.ts";
import type { Args } from "./calls/tool-call.ts";
import { type Answer, type LiveStage, openStage } from "./live-stage.ts";
import { toolCalls } from "./tool-calls.ts";

/** In everything that one account stores and is told, and in nothing that the other is given. */
const MARK = "ZEBRA7Q4X";

/**
 * Two accounts of one configuration and one database, each with an X of its own, so that nothing of the first reaches
 * the second by way of X. The servers are processes of their own.
 */
const folder = mkdtempSync(join(tmpdir(), "tuitbot-tenants-"));
const database = join(folder, "tuitbot.db");
/** The settings outside of `accounts`, which are those of the first account. */
const settings = {
  TUITBOT_STORAGE__DB_PATH: database,
  TUITBOT_APPROVALS__KEY: "ab".repeat(32),
  TUITBOT_BUSINESS__BRAND_VOICE: `${MARK} voice`,
  TUITBOT_BUSINESS__PRODUCT_NAME: `${MARK} product`,
  TUITBOT_BUSINESS__PRODUCT_KEYWORDS: `${MARK} keyword`,
  TUITBOT_TARGETS__ACCOUNTS: `${MARK}_target`,
};
let me: string;
let second: LiveStage;
/** A thread of the first account that was cut after its first post. */
const cutThread = [`One ${MARK}`, `Two ${MARK}`];
/** What the first account was called with. */
const calls = new Map<string, Args>();
/** Everything in its answers that a caller could name again, by the name it has there. */
const named = new Map<string, Set<unknown>>();

beforeAll(async () => {
  const first = await openStage("admin", () => settings);
  me = first.me;
  for (const { name } of allTools) {
    const args = marked((await toolCalls[name]?.args(first)) ?? {}) as Args;
    calls.set(name, args);
    collect(await first.call(name, args));
  }
  // Something is left that waits, and something that is drafted.
  collect(await first.call("create_draft", { texts: [`A draft ${MARK}`] }));
  collect(await first.call("x_delete_tweet", { tweet_id: first.mySpare }));
  first.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
  collect(await first.call("x_post_thread", { tweets: cutThread }));
  await first.close();
  // So that no number is that of one thing in the first account and of another in the second.
  const db = new DatabaseSync(database);
  db.exec("update sqlite_sequence set seq = seq + 1000");
  db.close();
  second = await openStage("admin", inTheSecondAccount, [], 12);
}, 180_000);

afterAll(async () => {
  await second?.close();
  rmSync(folder, { recursive: true, force: true });
});

function inTheSecondAccount(home: string): NodeJS.ProcessEnv {
  const config = join(home, "config.toml");
  writeFileSync(
    config,
    [
      "[accounts.second]",
      `auth.token_file = ${JSON.stringify(join(home, "tokens.json"))}`,
      `media.roots = ${JSON.stringify([join(home, "media")])}`,
    ].join("\n"),
  );
  return { ...settings, TUITBOT_CONFIG: config, TUITBOT_ACCOUNT: "second" };
}

test("no tool and no resource shows one account what another has, or lets it change that", async () => {
  expect(second.me).not.toBe(me);
  const stored = rowsOf(me);
  for (const table of ["audit", "receipts", "steps", "approvals", "drafts", "ledger", "publications"])
    expect(Object.keys(stored), "what the first account has").toContain(table);
  expect(JSON.stringify(stored)).toContain(MARK);

  const shown: string[] = [];
  /** How the second account was answered about a thing of the first, by the parameter that named it. */
  const answers: Record<string, string[]> = {};
  const ask = async (tool: string, args: Args, foreign?: string) => {
    const answer = await second.call(tool, args);
    if (JSON.stringify(answer).includes(MARK)) shown.push(`${tool} ${JSON.stringify(args)}`);
    if (foreign === undefined) return;
    const code = answer.error?.code ?? `${tool} succeeded`;
    answers[foreign] = [...new Set([...(answers[foreign] ?? []), code])];
  };
  const theirs = thingsOf(stored);
  for (const tool of allTools) {
    const own = ((await toolCalls[tool.name]?.args(second)) ?? {}) as Args;
    await ask(tool.name, own);
    // What the first account was called with, and each thing that is stored of it or was named in its answers.
    await ask(tool.name, unmarked(calls.get(tool.name) ?? {}) as Args);
    // The schema of every tool is one of an object.
    const { properties } = tool.inputSchema("flat") as {
      readonly properties: Readonly<Record<string, object>>;
    };
    for (const [parameter, schema] of Object.entries(properties)) {
      // Ids of X are texts.
      const isOfX = parameter === "id" && !("type" in schema && schema.type === "integer");
      for (const value of (isOfX ? undefined : theirs[parameter]) ?? [])
        await ask(tool.name, { ...own, [parameter]: value }, parameter);
      for (const value of [...(named.get(parameter) ?? [])].slice(-2))
        await ask(tool.name, { ...own, [parameter]: value });
    }
  }
  for (const resume of named.get("resume") ?? [])
    await ask("x_post_thread", { tweets: cutThread, resume }, "resume");
  const { resources } = await second.client.listResources();
  const approvals = (theirs.id ?? []).map((id) => `tuitbot://approvals/${String(id)}`);
  for (const uri of [...resources.map((resource) => resource.uri), ...approvals]) {
    const read = await second.client.readResource({ uri }).catch((error: unknown) => String(error));
    if (JSON.stringify(read).includes(MARK)) shown.push(uri);
  }
  expect(shown, "shown of another account").toEqual([]);
  expect(answers).toEqual({ id: ["not_found"], correlation_id: ["not_found"], resume: ["not_found"] });
  expect(rowsOf(me), "what the first account has afterwards").toEqual(stored);
}, 300_000);

/** What tuitbot itself has given ids and handles, by the parameters that take them. Things of X are for everybody. */
function thingsOf(rows: ReturnType<typeof rowsOf>): Readonly<Record<string, readonly unknown[]>> {
  const last = (table: string, column: string) => (rows[table] ?? []).slice(-3).map((row) => row[column]);
  return {
    id: [...last("drafts", "id"), ...last("approvals", "id")],
    correlation_id: [...last("audit", "correlation_id"), ...last("receipts", "id")],
  };
}

/** Every row of an account, in all tables that have accounts. */
function rowsOf(account: string): Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> {
  const db = new DatabaseSync(database, { readOnly: true });
  const tables = db.prepare("select name from sqlite_master where type = 'table'").all();
  const rows = tables.flatMap(({ name }) => {
    const columns = db.prepare(`pragma table_info("${String(name)}")`).all();
    if (!columns.some((column) => column.name === "account")) return [];
    const found = db.prepare(`select * from "${String(name)}" where account = ?`).all(account);
    return found.length === 0 ? [] : [[String(name), found] as const];
  });
  db.close();
  return Object.fromEntries(rows);
}

/** Marks every text of some length. */
function marked(value: unknown): unknown {
  return mapTexts(value, (text) => (/ /.test(text) && text.length < 200 ? `${text} ${MARK}` : text));
}

function unmarked(value: unknown): unknown {
  return mapTexts(value, (text) => text.replaceAll(MARK, "mine"));
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(one, change)]));
}

function collect(answer: Answer): void {
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, one] of Object.entries(value)) {
      if (
        /(^|_)id$|^(resume|pagination_token|next_token)$/.test(name) &&
        ["string", "number"].includes(typeof one)
      )
        named.set(name, (named.get(name) ?? new Set()).add(one));
      visit(one);
    }
  };
  visit(answer);
}
