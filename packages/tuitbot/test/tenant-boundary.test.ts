import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Client } from "@modelcontextprotocol/client";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allTools } from "../src/tools/all-tools.ts";
import { serveAccounts } from "./account-server.ts";
import type { Args } from "./calls/tool-call.ts";
import { type Answer, type LiveStage, letThrough, openStage } from "./live-stage.ts";
import { modelServer } from "./model-server.ts";
import { realPostgres as postgres } from "./postgres/real-postgres.ts";
import { newSchema } from "./postgres/server.ts";
import { type Stage, setStage } from "./stage.ts";
import { toolCalls } from "./tool-calls.ts";

/** Occurs in everything one account stores and receives, and in nothing the other gets. */
const MARK = "ZEBRA7Q4X";

/** A thread of the first account that was cut after its first post. */
const cutThread = [`One ${MARK}`, `Two ${MARK}`];

/** An account with a separate X, so its data cannot reach the other through X. */
type Side = LiveStage;

/** Two accounts of one configuration on one database. */
interface Tenants {
  readonly first: Side;
  /** Called when the first account has done all that it does. */
  readonly openSecond: () => Promise<Side>;
  /** The second account by way of somebody who may act for both, and so names one in every call. */
  readonly openBoth?: () => Promise<Pick<Side, "client" | "call">>;
  readonly rowsOf: (account: string) => Promise<Rows>;
  /** Makes numbers unique: none identifies a row in both accounts. */
  readonly skipNumbers: () => Promise<void>;
  readonly close: () => Promise<void>;
}

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** The settings outside of `accounts`, which are those of the first account. */
const voice = {
  TUITBOT_BUSINESS__BRAND_VOICE: `${MARK} voice`,
  TUITBOT_BUSINESS__PRODUCT_NAME: `${MARK} product`,
  TUITBOT_BUSINESS__PRODUCT_KEYWORDS: `${MARK} keyword`,
  TUITBOT_TARGETS__ACCOUNTS: `${MARK}_target`,
};

const folder = mkdtempSync(join(tmpdir(), "tuitbot-tenants-"));

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  if (postgres.ok) await postgres.server.stop();
});

describe("two processes on SQLite", () => boundary(twoProcesses));
describe("one process on SQLite", () => boundary(() => oneProcess(join(folder, "one.db"))));
if (postgres.ok) {
  const { url } = postgres.server;
  describe("one process on PostgreSQL", () => boundary(async () => oneProcess("", await newSchema(url))));
} else describe.skip(`one process on PostgreSQL: ${postgres.why}`, () => {});

/** Without the stop, which refuses every call after it. */
const walked = allTools.filter(({ name }) => name !== "stop_everything");

function boundary(setUp: () => Promise<Tenants>): void {
  let tenants: Tenants;
  let second: Side;
  /** The arguments of the first account's calls. */
  const calls = new Map<string, Args>();
  /** Everything in its answers that a caller could name again, by the name it has there. */
  const named: Named = new Map();

  beforeAll(async () => {
    tenants = await setUp();
    const { first } = tenants;
    for (const { name } of walked) {
      const args = marked((await toolCalls[name]?.args(first)) ?? {}) as Args;
      calls.set(name, args);
      collect(await first.call(name, args), named);
    }
    // Something is left that waits, and something that is drafted.
    collect(await first.call("create_draft", { texts: [`A draft ${MARK}`] }), named);
    collect(await first.call("x_delete_tweet", { tweet_id: first.mySpare }), named);
    first.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
    collect(await first.call("x_post_thread", { tweets: cutThread }), named);
    await tenants.skipNumbers();
    second = await tenants.openSecond();
  }, 180_000);

  afterAll(() => tenants?.close());

  test("no tool and no resource shows one account what another has, or lets it change that", async () => {
    const { me } = tenants.first;
    expect(second.me).not.toBe(me);
    const stored = await tenants.rowsOf(me);
    for (const table of ["audit", "receipts", "steps", "approvals", "drafts", "ledger", "publications"])
      expect(Object.keys(stored), "what the first account has").toContain(table);
    expect(JSON.stringify(stored)).toContain(MARK);

    const shown: string[] = [];
    /** How the second account was answered about a thing of the first, by the parameter that named it. */
    const answers: Record<string, string[]> = {};
    const both = await tenants.openBoth?.();
    const ask = async (tool: string, args: Args, foreign?: string) => {
      // A thing of the first account that is asked for by both: in the second account, which it is not in.
      const callers = foreign === undefined || both === undefined ? [second] : [second, both];
      for (const { call } of callers) {
        const answer = await call(tool, args);
        if (JSON.stringify(answer).includes(MARK)) shown.push(`${tool} ${JSON.stringify(args)}`);
        if (foreign === undefined) continue;
        const code = answer.error?.code ?? `${tool} succeeded`;
        answers[foreign] = [...new Set([...(answers[foreign] ?? []), code])];
      }
    };
    const theirs = thingsOf(stored);
    for (const tool of walked) {
      const own = ((await toolCalls[tool.name]?.args(second)) ?? {}) as Args;
      await ask(tool.name, own);
      // The first account's arguments, and everything stored about it or named in its answers.
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
    const ids = (theirs.id ?? []).map(String);
    for (const client of [second.client, ...(both === undefined ? [] : [both.client])])
      for (const uri of await addressesFor(client, ids)) {
        const found = await client.readResource({ uri }).catch((error: unknown) => String(error));
        if (JSON.stringify(found).includes(MARK)) shown.push(uri);
      }
    expect(shown, "shown of another account").toEqual([]);
    expect(answers).toEqual({ id: ["not_found"], correlation_id: ["not_found"], resume: ["not_found"] });
    expect(await tenants.rowsOf(me), "what the first account has afterwards").toEqual(stored);
  }, 300_000);
}

/** Every address that a client is offered, those of the items with these numbers among them. */
async function addressesFor(client: Client, ids: readonly string[]): Promise<readonly string[]> {
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  return [
    ...resources.map(({ uri }) => uri),
    ...resourceTemplates.flatMap(({ uriTemplate }) =>
      ids.map((id) => uriTemplate.replace("{account}", "second").replace("{id}", id)),
    ),
    ...ids.map((id) => `tuitbot://approvals/${id}`),
  ];
}

/** Each account has a separate process. */
async function twoProcesses(): Promise<Tenants> {
  const database = join(folder, "two.db");
  const settings = {
    ...voice,
    TUITBOT_STORAGE__DB_PATH: database,
    TUITBOT_APPROVALS__KEY: "ab".repeat(32),
  };
  const first = await openStage("admin", () => settings);
  let second: LiveStage | undefined;
  return {
    first,
    async openSecond() {
      await first.close();
      second = await openStage("admin", (home) => inTheSecondAccount(home, settings), [], 12);
      return second;
    },
    rowsOf: async (account) => sqliteRowsOf(database, account),
    skipNumbers: async () => skipSqliteNumbers(database),
    close: async () => second?.close(),
  };
}

function inTheSecondAccount(home: string, settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
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

/** One process serves both, with an agent for each and one for both. */
async function oneProcess(database: string, url?: string): Promise<Tenants> {
  const homes = ["first", "second"].map((name) => mkdtempSync(join(folder, `${name}-`)));
  const [first, second] = homes.map((home, index) => setStage(home, 11 + index)) as [Stage, Stage];
  const model = await modelServer();
  const server = await serveAccounts(
    { default: first, second },
    {
      ...voice,
      ...letThrough,
      TUITBOT_LLM__PROVIDER: "ollama",
      TUITBOT_LLM__BASE_URL: model.url,
      TUITBOT_STORAGE__DB_PATH: database,
      ...(url !== undefined && { TUITBOT_STORAGE__URL: url }),
    },
    ["--profile", "admin"],
  );
  const clients: Client[] = [];
  const agent = async (name: string, accounts: readonly string[], more: Args = {}) => {
    const client = await server.connect(await server.addAgent(name, accounts));
    clients.push(client);
    const call = async (tool: string, args: Args): Promise<Answer> => {
      const { structuredContent } = await client.callTool({ name: tool, arguments: { ...more, ...args } });
      // Every answer of this server is the envelope.
      return structuredContent as unknown as Answer;
    };
    return { client, call };
  };
  const side = async (stage: Stage, name: string, account: string): Promise<Side> => ({
    ...stage,
    ...(await agent(name, [account])),
    model,
    listed: allTools.map((tool) => tool.name),
    database,
    // None of these apply to accounts that share a process.
    signIn: () => expect.fail(),
    signOut: () => expect.fail(),
    forgetCalls: () => expect.fail(),
    close: async () => {},
  });
  return {
    first: await side(first, "of-the-first", "default"),
    async openSecond() {
      const opened = await side(second, "of-the-second", "second");
      // Those of the first account are for those who may act for it.
      for (const address of ["drafts", "approvals", "config"])
        await expect(
          opened.client.readResource({ uri: `tuitbot://accounts/default/${address}` }),
        ).rejects.toThrow("You act for no account");
      return opened;
    },
    openBoth: () => agent("of-both", ["default", "second"], { account: "second" }),
    async rowsOf(account) {
      const rows = await (url === undefined ? sqliteRowsOf(database, account) : postgresRowsOf(url, account));
      // How long its own calls took is written by the server from time to time.
      const { telemetry: _, ...others } = rows;
      return others;
    },
    skipNumbers: async () => (url === undefined ? skipSqliteNumbers(database) : skipPostgresNumbers(url)),
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await server.close();
      await Promise.all([first.sandbox.close(), second.sandbox.close()]);
      await model[Symbol.asyncDispose]();
    },
  };
}

/** Ids and handles created by tuitbot, by the parameters that accept them. X's ids are public. */
function thingsOf(rows: Rows): Readonly<Record<string, readonly unknown[]>> {
  const last = (table: string, column: string) => (rows[table] ?? []).slice(-3).map((row) => row[column]);
  return {
    id: [...last("drafts", "id"), ...last("approvals", "id")],
    correlation_id: [...last("audit", "correlation_id"), ...last("receipts", "id")],
  };
}

/** Every row of an account, in all tables that have accounts. */
function sqliteRowsOf(database: string, account: string): Rows {
  const db = new DatabaseSync(database, { readOnly: true });
  const tables = db.prepare("select name from sqlite_master where type = 'table'").all();
  const rows = tables.flatMap(({ name }) => {
    const columns = db.prepare(`pragma table_info("${String(name)}")`).all();
    if (!columns.some((column) => column.name === "account")) return [];
    const found = db.prepare(`select * from "${String(name)}" where account = ?`).all(account);
    return found.length === 0 ? [] : [[String(name), inOrder(found)] as const];
  });
  db.close();
  return Object.fromEntries(rows);
}

/** A database gives rows in any order, and numbers in that of their making. */
function inOrder(rows: Rows[string]): Rows[string] {
  const key = ({ id, ...row }: Rows[string][number]) =>
    `${String(id ?? "").padStart(40)} ${JSON.stringify(row)}`;
  return rows.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
}

function skipSqliteNumbers(database: string): void {
  const db = new DatabaseSync(database);
  db.exec("update sqlite_sequence set seq = seq + 1000");
  db.close();
}

async function postgresRowsOf(url: string, account: string): Promise<Rows> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    "select table_name as name from information_schema.columns where table_schema = current_schema() and column_name = 'account'",
  );
  const found: [string, readonly Readonly<Record<string, unknown>>[]][] = [];
  for (const { name } of tables) {
    // As text, for a stable order.
    const { rows } = await client.query(`select * from "${name}" t where account = $1 order by t::text`, [
      account,
    ]);
    if (rows.length > 0)
      found.push([name, inOrder(rows.map(({ id, ...row }) => ({ ...row, id: numberIn(id) })))]);
  }
  await client.end();
  return Object.fromEntries(found);
}

/** The driver gives large whole numbers as text. */
function numberIn(id: unknown): unknown {
  return typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : id;
}

async function skipPostgresNumbers(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'S' and relnamespace = current_schema()::regnamespace",
  );
  for (const { name } of rows) await client.query(`select setval('"${name}"', nextval('"${name}"') + 1000)`);
  await client.end();
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

type Named = Map<string, Set<unknown>>;

function collect(answer: Answer, named: Named): void {
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
