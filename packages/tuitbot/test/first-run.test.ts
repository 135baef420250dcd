import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { StateDump } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { cleanEnv, type Envelope, tuitbotCommand } from "./live-server.ts";

/** The first minutes of somebody without an account: a server on the sandbox, a client, and a second terminal. */

/** The first minutes take minutes on a busy machine. */
const MINUTES = { timeout: 300_000 };

let home: string;
let servers: Served[];

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-first-run-")));
  servers = [];
});

afterEach(async () => {
  await Promise.all(servers.map(({ stop }) => stop()));
  rmSync(home, { recursive: true, force: true });
});

interface Served {
  /** Everything it printed before clients could connect. */
  readonly printed: string;
  readonly call: (tool: string, args?: Record<string, unknown>) => Promise<Envelope>;
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
}

/** The line that a person copies, with the address and the token. */
const CONNECT = /claude mcp add --transport http tuitbot (\S+) --header "Authorization: Bearer (\S+)"/;

/** Starts a server and connects a client with what it prints. */
function serve(...words: readonly string[]): Promise<Served> {
  const { command, args } = tuitbotCommand;
  return connected(spawnIn(home, [command, ...args, "mcp", "serve", "--http", "0", ...words]));
}

function spawnIn(cwd: string, [program = "", ...args]: readonly string[]): ChildProcessWithoutNullStreams {
  const env = cleanEnv(home, { TUITBOT_APPROVALS__ALLOW_WITHOUT_TERMINAL: "true" });
  return spawn(program, args, { env, cwd });
}

async function connected(child: ChildProcessWithoutNullStreams): Promise<Served> {
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const printed = await new Promise<string>((resolve, reject) => {
    let [out, err] = ["", ""];
    child.stdout.on("data", (bytes: Buffer) => {
      out += bytes;
      if (out.includes("Stop with Ctrl-C.")) resolve(out);
    });
    child.stderr.on("data", (bytes: Buffer) => {
      err += bytes;
    });
    void ended.then(() => reject(new Error(`It ended. ${out}${err}`)));
  });
  const [, url = "", token = ""] = CONNECT.exec(printed) ?? [];
  const client = new Client({ name: "agent", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  const served: Served = {
    printed,
    async call(tool, args = {}) {
      const { structuredContent } = await client.callTool({ name: tool, arguments: args });
      // Every answer of this server is the envelope; tests check what is in it.
      return structuredContent as unknown as Envelope;
    },
    async stop(signal = "SIGTERM") {
      await client.close();
      child.kill(signal);
      await ended;
    },
  };
  servers.push(served);
  return served;
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program; `keys` are pressed once the screen shows what they answer. */
function run(
  [program = "", ...args]: readonly string[],
  keys: readonly (readonly [shows: string, key: string])[] = [],
  cwd = home,
): Promise<Ended> {
  const child = spawnIn(cwd, [program, ...args]);
  const waiting = [...keys];
  let [out, err, seen] = ["", "", 0];
  child.stdout.on("data", (bytes: Buffer) => {
    out += bytes;
    const [next] = waiting;
    const at = next === undefined ? -1 : out.indexOf(next[0], seen);
    if (next === undefined || at === -1) return;
    waiting.shift();
    seen = at + next[0].length;
    child.stdin.write(next[1]);
  });
  child.stderr.on("data", (bytes: Buffer) => {
    err += bytes;
  });
  if (keys.length === 0) child.stdin.end();
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out, err })));
}

const tuitbot = (...words: readonly string[]) =>
  run([tuitbotCommand.command, ...tuitbotCommand.args, ...words]);

interface Candidate {
  readonly id: string;
  readonly text: string;
  readonly can_reply: boolean;
}

/** All texts in the running sandbox, as it says itself. */
async function textsOnX(): Promise<readonly string[]> {
  const folders = join(home, ".tuitbot", "sandboxes");
  const [name = ""] = readdirSync(folders);
  const { url } = JSON.parse(readFileSync(join(folders, name, "running.json"), "utf8"));
  // The sandbox's own description of what is in it.
  const state = (await (await fetch(`${url}/_sandbox/state`)).json()) as Pick<StateDump, "posts">;
  return state.posts.map(({ text }) => text);
}

const waits = { success: true, data: { status: "queued", policy_decision: "routed_to_approval" } };

describe("on the sandbox", () => {
  test("the settings that protect a real account are in force, and the plan is the same everywhere", async () => {
    const { call } = await serve("--sandbox");
    const { data: config } = await call("get_config");
    expect(config).toMatchObject({
      approval_mode: true,
      approvals: { allow_agent: false },
      x_api: { plan: "enterprise" },
    });
    expect(await call("get_capabilities")).toMatchObject({
      data: { tier: "enterprise", approval_mode: true },
    });
    const cheap = await serve("--sandbox-plan", "self_serve");
    expect(await cheap.call("get_config")).toMatchObject({ data: { x_api: { plan: "self_serve" } } });
    expect(await cheap.call("get_capabilities")).toMatchObject({ data: { tier: "self_serve" } });
  });

  test("a search for sourdough finds posts worth a reply, which X would accept", async () => {
    const { call } = await serve("--sandbox");
    const found = await call("find_reply_opportunities", { query: "sourdough" });
    const { candidates } = found.data as { readonly candidates: readonly Candidate[] };
    expect(candidates.length).toBeGreaterThanOrEqual(5);
    for (const { can_reply, text } of candidates) {
      expect(can_reply).toBe(true);
      expect(text).toContain("sourdough");
    }
  });

  test("nothing goes out before a person has approved it, and the agent cannot", async () => {
    const { call } = await serve("--sandbox");
    expect(await call("x_post_tweet", { text: "Rye today." })).toMatchObject(waits);
    expect(await call("approve_item", { id: 1 })).toMatchObject({
      success: false,
      error: { code: "policy_denied_hard_rule" },
    });
    expect(await textsOnX()).not.toContain("Rye today.");
  });

  test("a person approves from another process, which finds the sandbox by itself", async () => {
    const { call } = await serve("--sandbox");
    expect(await call("x_post_tweet", { text: "Rye today." })).toMatchObject(waits);
    const listed = await tuitbot("approve", "--list");
    expect(listed.err).toMatch(
      /^tuitbot: Nobody is signed in to X, so this is the sandbox that runs as process \d+\.\n$/,
    );
    expect(listed.out).toContain("│ Rye today.");
    expect(await tuitbot("approve", "--id", "1", "--yes")).toMatchObject({ code: 0 });
    expect(await textsOnX()).toContain("Rye today.");
    expect(await call("get_pending_count")).toMatchObject({ data: { pending_count: 0 } });
  });

  test("at speed, people react, the post gets figures, and what is scheduled goes out", MINUTES, async () => {
    const { call } = await serve("--sandbox", "--speed", "600");
    expect(await call("x_post_tweet", { text: "Rye today." })).toMatchObject(waits);
    expect(await tuitbot("approve", "--id", "1", "--yes")).toMatchObject({ code: 0 });
    await vi.waitFor(
      async () => expect(await call("get_stats")).toMatchObject({ data: { tweets_measured: 1 } }),
      { timeout: 60_000, interval: 500 },
    );
    const { data: summary } = await call("get_analytics_summary");
    expect(summary).toMatchObject({
      content_breakdown: [{ content_type: "tweet", measured: 1, total_impressions: expect.any(Number) }],
    });
    expect(await call("health_check")).toMatchObject({ data: { runner: { alive: true } } });
    const { data: draft } = await call("create_draft", { texts: ["Tomorrow: spelt."] });
    const { draft_id, created_at } = draft as { readonly draft_id: number; readonly created_at: string };
    const scheduled_for = new Date(Date.parse(created_at) + 5 * 3_600_000).toISOString();
    expect(await call("schedule_draft", { id: draft_id, scheduled_for })).toMatchObject({ success: true });
    await vi.waitFor(
      async () => {
        const { items } = JSON.parse((await tuitbot("approve", "--list", "--output", "json")).out);
        for (const { id } of items) await tuitbot("approve", "--id", String(id), "--yes");
        expect(await textsOnX()).toContain("Tomorrow: spelt.");
      },
      { timeout: 90_000, interval: 500 },
    );
  });

  test("the files of a sandbox are readable by their owner alone, and end with it", async () => {
    const server = await serve("--sandbox");
    await server.call("get_pending_count");
    const folders = join(home, ".tuitbot", "sandboxes");
    const [name = ""] = readdirSync(folders);
    expect(statSync(join(folders, name)).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(join(folders, name)))
      expect(statSync(join(folders, name, file)).mode & 0o777, file).toBe(0o600);
    await server.stop();
    expect(readdirSync(folders)).toEqual([]);
  });

  test("a sandbox that was killed is not found, and the next one cleans up after it", async () => {
    const killed = await serve("--sandbox");
    await killed.call("get_pending_count");
    await killed.stop("SIGKILL");
    expect(await tuitbot("approve", "--list")).toMatchObject({
      code: 1,
      err: expect.stringContaining("Nobody is signed in to X."),
    });
    await (await serve("--sandbox")).call("get_pending_count");
    expect(readdirSync(join(home, ".tuitbot", "sandboxes"))).toHaveLength(1);
  });

  test("approve --sandbox says when none runs", async () => {
    expect(await tuitbot("approve", "--sandbox", "--list")).toMatchObject({
      code: 1,
      err: "tuitbot: No sandbox is running. Start one: tuitbot mcp serve --sandbox.\n",
    });
  });

  test("a server that cannot listen leaves nothing behind", async () => {
    const ended = await tuitbot("mcp", "serve", "--sandbox", "--http", "not a port");
    expect(ended.code).toBe(2);
    const folders = join(home, ".tuitbot", "sandboxes");
    expect(existsSync(folders) ? readdirSync(folders) : []).toEqual([]);
  });
});

const root = new URL("../../..", import.meta.url).pathname;
const readmes = ["README.md", "packages/tuitbot/README.md"].map((path) =>
  readFileSync(join(root, path), "utf8"),
);

/** `script` of util-linux gives a program a terminal. */
const hasTerminal = spawnSync("script", ["--version"]).stdout?.includes("util-linux") === true;
if (!hasTerminal)
  console.warn("There is no `script` of util-linux: the README's first minutes are not tested.");

function onTerminal(command: string, keys: readonly (readonly [string, string])[]): Promise<Ended> {
  return run(["script", "--quiet", "--return", "--flush", "--command", command, "/dev/null"], keys, root);
}

describe.runIf(hasTerminal)("the first minutes, in the words of the README and of the program", () => {
  test("lead from npm start to a reply and a post with figures", MINUTES, async () => {
    const [readme = ""] = readmes;
    expect(readme).toContain("npm install && npm start");
    // As printed, but on a free port.
    const server = await connected(spawnIn(root, ["npm", "start", "--", "--http", "0"]));
    const { printed, call } = server;

    const [, question = ""] = /2\. Ask +"(.+)"/.exec(printed) ?? [];
    for (const text of readmes) expect(text).toContain(`"${question}"`);
    const [, approve = ""] =
      /3\. Approve +open \S+ +#[^\n]*\n +or (.+?) +# in a second terminal/.exec(printed) ?? [];
    for (const text of readmes) expect(text).toMatch(new RegExp(`^${approve}( +#|$)`, "m"));
    expect(readme).toContain("claude mcp add --transport http tuitbot");
    expect(printed).toContain("Nothing is posted before you approve it.");

    // "Find posts about sourdough worth a reply, …"
    const [, topic = ""] = /posts about (\w+) worth a reply/.exec(question) ?? [];
    const found = await call("find_reply_opportunities", { query: topic });
    const { candidates } = found.data as { readonly candidates: readonly Candidate[] };
    const [best] = candidates;
    // "… propose a reply to the best one and a post of my own, …"
    const items = [{ candidate_id: best?.id, pre_drafted_text: "A warmer corner did it for me." }];
    expect(await call("propose_and_queue_replies", { items })).toMatchObject({
      data: { results: [{ status: "queued" }] },
    });
    expect(await call("x_post_tweet", { text: "Loaf number ten is in the oven." })).toMatchObject(waits);
    expect(await call("approve_all")).toMatchObject({ success: false });
    expect(await textsOnX()).not.toContain("Loaf number ten is in the oven.");

    // "… and when I have approved them, …"
    const approved = await onTerminal(approve, [
      ["[q] quit ", "a"],
      ["[q] quit ", "a"],
    ]);
    expect(approved.out).toContain("A warmer corner did it for me.");
    expect(approved.out).toContain("2 approved, 0 rejected, 0 still waiting.");
    expect(approved.code).toBe(0);
    expect(await textsOnX()).toContain("Loaf number ten is in the oven.");

    // "… say how they do."
    await vi.waitFor(
      async () =>
        expect(await call("get_stats")).toMatchObject({ data: { tweets_measured: 1, replies_measured: 1 } }),
      { timeout: 120_000, interval: 1_000 },
    );
    const stats = await run(["npx", "tuitbot", "stats"], [], root);
    expect(stats.out).toMatch(/replies +1 +1 +[1-9]/);
    expect(stats.out).toMatch(/posts +1 +1 +[1-9]/);
  });

  test("show the same in a browser, without the token", async () => {
    // Profiles that store nothing have no page to approve at.
    const { printed } = await serve("--sandbox", "--profile", "readonly");
    const [, url = "", token = ""] = CONNECT.exec(printed) ?? [];
    const html = await (await fetch(new URL("/", url), { headers: { accept: "text/html" } })).text();
    expect(html).toContain(`claude mcp add --transport http tuitbot ${url}`);
    expect(html).toContain("Find posts about sourdough worth a reply");
    expect(html).not.toContain(token);
  });
});
