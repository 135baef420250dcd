import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cleanEnv, type Envelope, queuedItem, tuitbotCommand } from "./live-server.ts";
import { signedInEnv } from "./signed-in-env.ts";

/** Server processes on one database, each with a real client; some clients have a person who can be asked. */

let home: string;
let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;
const clients: Client[] = [];

beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-approval-")));
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  env = await signedInEnv(home, sandbox);
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await sandbox.close();
  rmSync(home, { recursive: true, force: true });
});

/** Answers what the person is shown: yes, no, or they close the window. */
type Person = (message: string) => boolean | undefined | Promise<boolean | undefined>;

interface Agent {
  readonly call: (tool: string, args?: Record<string, unknown>) => Promise<Envelope>;
}

async function agent(person?: Person, more: NodeJS.ProcessEnv = {}): Promise<Agent> {
  const capabilities = person === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name: "tester", version: "1" }, { capabilities });
  if (person !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      const answer = await person(params.message);
      if (answer === undefined) return { action: "cancel" };
      const [name = ""] = Object.keys("requestedSchema" in params ? params.requestedSchema.properties : {});
      return { action: "accept", content: { [name]: answer ? "yes" : "no" } };
    });
  }
  clients.push(client);
  await client.connect(
    new StdioClientTransport({
      command: tuitbotCommand.command,
      args: [...tuitbotCommand.args, "mcp", "serve"],
      env: cleanEnv(home, { ...env, ...more }),
      stderr: "pipe",
    }),
  );
  return {
    async call(tool, args = {}) {
      const { structuredContent } = await client.callTool({ name: tool, arguments: args });
      // Every answer of this server is the envelope; tests check what is in it.
      return structuredContent as unknown as Envelope;
    },
  };
}

async function routed({ call }: Agent, text: string): Promise<number> {
  const answer = await call("x_post_tweet", { text });
  return queuedItem(answer) ?? expect.fail(JSON.stringify(answer));
}

function posted(): readonly string[] {
  const owner = sandbox.person(cast.owner).id;
  return sandbox.journal
    .of("createPosts")
    .flatMap(() => [...sandbox.world.posts.values()].filter(({ authorId }) => authorId === owner).slice(-1))
    .map(({ submitted }) => submitted);
}

test("the form of approve_item shows the post that a reply answers", async () => {
  const shown: string[] = [];
  const { call } = await agent((message) => {
    shown.push(message);
    return false;
  });
  const { id } = sandbox.say(cast.friend, "Why is my loaf so dense?");
  const reply = { in_reply_to_id: id, text: "Let it rise for longer." };
  await call("approve_item", { id: queuedItem(await call("x_reply_to_tweet", reply)) });
  expect(shown).toHaveLength(1);
  for (const words of ["Answers this post", `@${cast.friend}`, "Why is my loaf so dense?", reply.text])
    expect(shown[0]).toContain(words);
});

describe("an agent that would approve its own call", () => {
  test("is asked to fetch the user if its client cannot prompt", async () => {
    const alone = await agent();
    const id = await routed(alone, "Good morning");
    for (const [tool, args] of [
      ["approve_item", { id }],
      ["approve_all", {}],
      ["reject_item", { id }],
    ] as const)
      expect(await alone.call(tool, args), tool).toMatchObject({
        success: false,
        error: {
          code: "policy_denied_hard_rule",
          reason: "needs_person",
          retryable: false,
          fix_by: "human",
          suggested_fix: "Tell the person to run `tuitbot approve`.",
        },
      });
    expect(await alone.call("get_pending_count")).toMatchObject({ data: { pending_count: 1 } });
    expect(posted()).toEqual([]);
  });

  test.each([
    ["says no", () => false, { reason: "not_approved" }],
    [
      "closes the window",
      () => undefined,
      {
        reason: "needs_person",
        message: expect.stringMatching(/nobody has answered.*Item 1 still waits/),
        suggested_fix: "Tell the person to run `tuitbot approve`.",
      },
    ],
  ])("gets nothing sent where the person %s", async (_, person, error) => {
    const asking = await agent(person);
    const id = await routed(asking, "Good morning");
    for (const [tool, args] of [
      ["approve_item", { id }],
      ["reject_item", { id }],
      ["approve_all", {}],
    ] as const)
      expect(await asking.call(tool, args), tool).toMatchObject({ success: false, error });
    expect(await asking.call("get_pending_count")).toMatchObject({ data: { pending_count: 1 } });
    expect(posted()).toEqual([]);
  });

  test("approves by itself only where the operator has said so", async () => {
    const trusted = await agent(undefined, { TUITBOT_APPROVALS__ALLOW_AGENT: "true" });
    const id = await routed(trusted, "Good morning");
    const approved = await trusted.call("approve_item", { id });
    expect(approved).toMatchObject({ success: true, data: { id, status: "approved" } });
    expect(posted()).toEqual(["Good morning"]);
    const detail = await trusted.call("get_recent_mutations", { tool_name: "approve_item" });
    expect(detail).toMatchObject({ data: { mutations: [{ status: "success" }] } });
  });
});

describe("a person who is asked through the client", () => {
  test("sees exactly what would be sent, and it is sent at once", async () => {
    const shown: string[] = [];
    const asking = await agent((message) => {
      shown.push(message);
      return true;
    });
    const id = await routed(asking, "Good\u200b morning");
    expect(await asking.call("approve_item", { id })).toMatchObject({
      success: true,
      data: { id, status: "approved", result: { text: "Good\u200b morning" } },
    });
    expect(shown).toEqual([expect.stringContaining("text:\n│ Good<U+200B> morning")]);
    expect(posted()).toEqual(["Good\u200b morning"]);
    expect(await asking.call("approve_item", { id })).toMatchObject({ error: { reason: "already_decided" } });
    expect(shown).toHaveLength(1);
  });

  test("approves what was shown, and nothing that took its place meanwhile", async () => {
    const asking = await agent(() => {
      const database = new DatabaseSync(join(home, "store/tuitbot.db"), { timeout: 5_000 });
      database.exec(`update approvals set args_json = '{"text":"Buy this"}'`);
      database.close();
      return true;
    });
    const id = await routed(asking, "Good morning");
    expect(await asking.call("approve_item", { id })).toMatchObject({
      error: { code: "policy_denied_hard_rule", reason: "content_changed" },
    });
    expect(posted()).toEqual([]);
  });

  test("can take it off the table", async () => {
    const asking = await agent(() => true);
    const id = await routed(asking, "Good morning");
    expect(await asking.call("reject_item", { id })).toMatchObject({ data: { id, status: "rejected" } });
    expect(await asking.call("approve_item", { id })).toMatchObject({ error: { reason: "already_decided" } });
    expect(posted()).toEqual([]);
  });

  test("approves a whole batch, no larger than the operator wants", async () => {
    const shown: string[] = [];
    const person = (message: string) => {
      shown.push(message);
      return true;
    };
    const asking = await agent(person, { TUITBOT_MAX_BATCH_APPROVE: "2" });
    for (const text of ["One", "Two", "Three"]) await routed(asking, text);
    expect(await asking.call("approve_all")).toMatchObject({
      data: { approved: 2, ids: [1, 2], failed: [], max_batch: 2 },
    });
    expect(shown).toEqual([expect.stringMatching(/│ One\n.*│ Two\n/s)]);
    expect(shown[0]).not.toContain("Three");
    expect(await asking.call("list_pending_approvals")).toMatchObject({
      data: { items: [{ id: 3, action_type: "x_post_tweet", params: { text: "Three" }, status: "pending" }] },
    });
    expect(sandbox.journal.of("createPosts")).toHaveLength(2);
  });

  test("and another at the same time publish once", async () => {
    const both = Promise.withResolvers<true>();
    let asked = 0;
    const person = () => {
      asked += 1;
      if (asked === 2) both.resolve(true);
      return both.promise;
    };
    const [one, two] = await Promise.all([agent(person), agent(person)]);
    const id = await routed(one, "Good morning");
    const answers = await Promise.all([one.call("approve_item", { id }), two.call("approve_item", { id })]);
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.find(({ success }) => !success)).toMatchObject({ error: { reason: "already_decided" } });
    expect(sandbox.journal.of("createPosts")).toHaveLength(1);
  });
});
