import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Sandbox } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cleanEnv, tuitbotCommand } from "./live-server.ts";
import { signedInEnv } from "./signed-in-env.ts";

/** The commands as users run them: each in a separate process, with an empty home. */

let home: string;
let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-person-")));
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  env = await signedInEnv(home, sandbox);
});

afterEach(async () => {
  await sandbox.close();
  rmSync(home, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A reaction to text on the screen: a key press, or an action elsewhere. */
type Step = readonly [shows: string, then: string | (() => Promise<unknown>)];

/** Runs a program on a screen with these steps. */
function run([program = "", ...args]: readonly string[], steps: readonly Step[] = []): Promise<Ended> {
  const child = spawn(program, args, { env: cleanEnv(home, env), cwd: home });
  const waiting = [...steps];
  let [out, err, seen] = ["", "", 0];
  child.stdout.on("data", (bytes: Buffer) => {
    out += bytes;
    const [next] = waiting;
    const at = next === undefined ? -1 : out.indexOf(next[0], seen);
    if (next === undefined || at === -1) return;
    waiting.shift();
    seen = at + next[0].length;
    if (typeof next[1] === "string") child.stdin.write(next[1]);
    else void next[1]();
  });
  child.stderr.on("data", (bytes: Buffer) => {
    err += bytes;
  });
  if (steps.length === 0) child.stdin.end();
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out, err })));
}

function tuitbot(...words: readonly string[]): Promise<Ended> {
  return run([tuitbotCommand.command, ...tuitbotCommand.args, ...words]);
}

/** `script` of util-linux gives a program a terminal. */
const TERMINAL = "script";
const hasTerminal = spawnSync(TERMINAL, ["--version"]).stdout?.includes("util-linux") === true;
if (!hasTerminal)
  console.warn("There is no `script` of util-linux: approve is not tested on a real terminal.");

function tuitbotOnTerminal(words: string, steps: readonly Step[]): Promise<Ended> {
  const command = [tuitbotCommand.command, ...tuitbotCommand.args, words].join(" ");
  return run([TERMINAL, "--quiet", "--return", "--flush", "--command", command, "/dev/null"], steps);
}

async function agentPosts(text: string): Promise<void> {
  const { out } = await tuitbot("call", "x_post_tweet", "--json", JSON.stringify({ text }));
  expect(JSON.parse(out)).toMatchObject({
    data: { status: "queued", policy_decision: "routed_to_approval" },
  });
}

describe("tuitbot approve", () => {
  test("without a terminal says how", async () => {
    expect(await tuitbot("approve")).toMatchObject({
      code: 2,
      out: "",
      err: "tuitbot: This is not a terminal, so nobody can be asked. Look with tuitbot approve --list, and decide in a terminal or the web app (tuitbot web).\n",
    });
  });

  test("without a terminal approves nothing, unless the configuration allows it, and still rejects", async () => {
    const allowing = env;
    env = { ...env, TUITBOT_APPROVALS__ALLOW_WITHOUT_TERMINAL: undefined };
    for (const text of ["One", "Two"]) await agentPosts(text);
    for (const words of [[], ["--output", "json"]]) {
      const refused = await tuitbot("approve", "--id", "1", "--yes", ...words);
      expect(refused.code).toBe(2);
      expect(`${refused.out}${refused.err}`).toContain("approvals.allow_without_terminal");
    }
    expect(await tuitbot("approve", "--list")).toMatchObject({ code: 0 });
    expect(await tuitbot("approve", "--id", "2", "--reject")).toMatchObject({ code: 0 });
    const { items } = JSON.parse((await tuitbot("approve", "--list", "--output", "json")).out);
    expect(items).toMatchObject([{ id: 1, args: { text: "One" } }]);
    expect(sandbox.journal.of("createPosts")).toHaveLength(0);
    env = allowing;
    expect(await tuitbot("approve", "--id", "1", "--yes")).toMatchObject({ code: 0 });
    expect(sandbox.journal.of("createPosts")).toHaveLength(1);
  });

  test.runIf(hasTerminal)("approves an item by its number in a terminal", async () => {
    env = { ...env, TUITBOT_APPROVALS__ALLOW_WITHOUT_TERMINAL: undefined };
    await agentPosts("Good morning");
    expect(await tuitbotOnTerminal("approve --id 1 --yes", [["Approved", ""]])).toMatchObject({ code: 0 });
    expect(sandbox.journal.of("createPosts")).toHaveLength(1);
  });

  test("lists and decides by number", async () => {
    await agentPosts("Good morning");
    const listed = await tuitbot("approve", "--list");
    expect(listed).toMatchObject({ code: 0, err: "" });
    expect(listed.out).toContain("│ Good morning");
    const approved = await tuitbot("approve", "--id", "1", "--yes", "--output", "json");
    expect(JSON.parse(approved.out)).toMatchObject({ id: 1, status: "approved" });
    expect(sandbox.journal.of("createPosts")).toHaveLength(1);
  });

  test.runIf(hasTerminal)("goes on by itself when an item is decided elsewhere, or edited", async () => {
    for (const text of ["One", "Two"]) await agentPosts(text);
    const ended = await tuitbotOnTerminal("approve", [
      ["[q] quit ", () => tuitbot("approve", "--id", "1", "--reject")],
      ["│ Two", () => tuitbot("approve", "--id", "2", "--text", "Three")],
      ["│ Three", "a"],
    ]);
    expect(ended).toMatchObject({ code: 0, err: "" });
    expect(ended.out).toMatch(/Meanwhile rejected by [^\n]+terminal/);
    expect(ended.out).toContain("It was edited meanwhile.");
    expect(sandbox.journal.of("createPosts")).toMatchObject([{ body: { text: "Three" } }]);
  });

  test.runIf(hasTerminal)("takes one key an item, and Ctrl-C leaves the rest as it was", async () => {
    for (const text of ["One", "Two", "Three"]) await agentPosts(text);
    const ended = await tuitbotOnTerminal("approve", [
      ["[q] quit ", "r"],
      ["Enter for no reason: ", "\r"],
      ["[q] quit ", "a"],
      ["[q] quit ", "\u0003"],
    ]);
    expect(ended.code).toBe(130);
    expect(ended.out).toContain("Rejected.");
    expect(ended.out).toContain("Approved: Publish a post. Done. https://x.com/");
    const { items } = JSON.parse((await tuitbot("approve", "--list", "--output", "json")).out);
    expect(items).toMatchObject([{ id: 3, args: { text: "Three" } }]);
    expect(sandbox.journal.of("createPosts")).toHaveLength(1);
  });

  test.runIf(hasTerminal)("edits in the editor of the person", async () => {
    await agentPosts("Good morning");
    const script = join(home, "editor.js");
    writeFileSync(script, 'require("node:fs").writeFileSync(process.argv[2], "Good evening\\n")');
    env = { ...env, EDITOR: `${process.execPath} ${script}` };
    const ended = await tuitbotOnTerminal("approve", [
      ["[q] quit ", "e"],
      ["[q] quit ", "a"],
    ]);
    expect(ended.out).toContain("│ Good evening");
    expect(ended.code).toBe(0);
    const [post] = sandbox.dump().posts.filter(({ text }) => text === "Good evening");
    expect(post).toBeDefined();
  });
});

test("tuitbot restore keeps the items of both, and does not run while a server has the database open", async () => {
  await agentPosts("Good morning");
  expect(await tuitbot("backup", "copy.db")).toMatchObject({ code: 0, err: "" });
  await agentPosts("Good evening");
  const server = spawn(tuitbotCommand.command, [...tuitbotCommand.args, "mcp", "serve"], {
    env: cleanEnv(home, env),
    cwd: home,
  });
  try {
    await answerTo(server, {
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "tester", version: "1" },
      },
    });
    await answerTo(server, { method: "tools/call", params: { name: "get_pending_count", arguments: {} } });
    const refused = await tuitbot("restore", "copy.db");
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain("Stop every tuitbot first");
  } finally {
    const ended = new Promise((resolve) => server.once("close", resolve));
    server.kill("SIGTERM");
    await ended;
  }
  expect(await tuitbot("restore", "copy.db")).toMatchObject({ code: 0, err: "" });
  const { items } = JSON.parse((await tuitbot("approve", "--list", "--output", "json")).out);
  expect(items).toMatchObject([{ args: { text: "Good morning" } }, { args: { text: "Good evening" } }]);
});

let lastId = 0;

/** Sends one request and waits for its answer. */
function answerTo(server: ReturnType<typeof spawn>, request: object): Promise<void> {
  lastId += 1;
  const id = lastId;
  return new Promise((resolve) => {
    let seen = "";
    const onData = (bytes: Buffer) => {
      seen += bytes;
      if (!seen.includes(`"id":${id}`)) return;
      server.stdout?.off("data", onData);
      resolve();
    };
    server.stdout?.on("data", onData);
    server.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...request })}\n`);
  });
}
