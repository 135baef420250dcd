import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { scriptedPerson } from "@toolpact/contract/testing";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { clientNames, clients, type ServerPlace } from "../../contract/test/clients.ts";
import { cleanEnv, type Envelope, queuedItem, tuitbotCommand } from "./live-server.ts";
import { signedInEnv } from "./signed-in-env.ts";

/** Real server processes and every kind of client: whose yes counts on which transport. */

const TOKEN = "a-token-that-is-long-enough";
const bearer = { authorization: `Bearer ${TOKEN}` };
const trusted = { TUITBOT_APPROVALS__HTTP_CLIENT_ASKS_PERSON: "true" };

let home: string;
let sandbox: Sandbox;
let env: Record<string, string>;

beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-person-")));
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  env = cleanEnv(home, { ...(await signedInEnv(home, sandbox)), TUITBOT_SERVER__TOKEN: TOKEN });
  onTestFinished(async () => {
    await sandbox.close();
    rmSync(home, { recursive: true, force: true });
  });
});

const stdio = (): ServerPlace => ({
  command: tuitbotCommand.command,
  args: [...tuitbotCommand.args, "mcp", "serve"],
  env,
});

async function http(more: NodeJS.ProcessEnv = {}, words: readonly string[] = []): Promise<string> {
  const child = spawn(
    tuitbotCommand.command,
    [...tuitbotCommand.args, "mcp", "serve", "--http", "0", "--output", "json", ...words],
    { env: { ...env, ...more }, stdio: ["ignore", "pipe", "ignore"] },
  );
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.kill();
    await ended;
  });
  const [line] = await once(child.stdout, "data");
  return (JSON.parse(String(line)) as { url: string }).url;
}

/** A queued post, and the answer to an approval of it by a client whose "person" always says yes. */
async function selfApproval(place: ServerPlace, client: (typeof clientNames)[number]) {
  const person = scriptedPerson(() => "yes");
  const { call } = await clients[client].connect(place, person);
  // Every answer of this server is the envelope.
  const routed = (await call("x_post_tweet", { text: "Good morning" })) as Envelope;
  const id = queuedItem(routed) ?? expect.fail(JSON.stringify(routed));
  return { id, person, call, answer: (await call("approve_item", { id })) as Envelope };
}

function posts(): number {
  const { id } = sandbox.person(cast.owner);
  const { start } = sandbox.clock;
  return [...sandbox.world.posts.values()].filter(({ authorId, at }) => authorId === id && at >= start)
    .length;
}

function decidedBy(id: number): unknown {
  const database = new DatabaseSync(join(home, "store/tuitbot.db"), { readOnly: true, timeout: 5_000 });
  try {
    return database.prepare("select decided_by from approvals where id = ?").get(id)?.decided_by;
  } finally {
    database.close();
  }
}

const refused = {
  success: false,
  error: {
    code: "policy_denied_hard_rule",
    reason: "needs_person",
    fix_by: "human",
    suggested_fix: expect.stringContaining("tuitbot approve"),
  },
};
const approved = { success: true, data: { status: "approved" } };

describe.each(clientNames)("with %s", (client) => {
  const name = client === "SDK 1.x" ? "old" : "new";

  test("an answer over stdio is a person's, and the queue says through whom", async () => {
    const { id, person, answer } = await selfApproval(stdio(), client);
    expect(answer).toMatchObject(approved);
    expect(person.asked).toHaveLength(1);
    expect(posts()).toBe(1);
    expect(decidedBy(id)).toBe(`person via stdio, client "${name}"`);
  });

  test("an answer over HTTP is nobody's: no question is asked, nothing is sent or rejected", async () => {
    const place = { url: await http(), headers: bearer };
    const { id, person, call, answer } = await selfApproval(place, client);
    expect(answer).toMatchObject(refused);
    expect(await call("approve_all", {})).toMatchObject(refused);
    expect(await call("reject_item", { id })).toMatchObject(refused);
    expect(person.asked).toEqual([]);
    expect(posts()).toBe(0);
    expect(decidedBy(id)).toBeNull();
  });

  test("an answer over HTTP counts where the operator trusts the client with the token", async () => {
    const { id, answer } = await selfApproval({ url: await http(trusted), headers: bearer }, client);
    expect(answer).toMatchObject(approved);
    expect(posts()).toBe(1);
    expect(decidedBy(id)).toBe(`person via http, client "${name}", token`);
  });
});

test("without a token nobody counts as a person over HTTP, whatever the operator trusts", async () => {
  const place = { url: await http(trusted, ["--no-token"]) };
  const { person, answer } = await selfApproval(place, "SDK 2, protocol 2026-07-28");
  expect(answer).toMatchObject(refused);
  expect(person.asked).toEqual([]);
  expect(posts()).toBe(0);
});

test("where the operator lets the agent decide, the queue names the agent and how it came in", async () => {
  const agent = { TUITBOT_APPROVALS__ALLOW_AGENT: "true" };
  const place = { url: await http(agent), headers: bearer };
  const { id, person, answer } = await selfApproval(place, "SDK 2, protocol 2026-07-28");
  expect(answer).toMatchObject(approved);
  expect(person.asked).toEqual([]);
  expect(decidedBy(id)).toBe('agent via http, client "new", token');
});
