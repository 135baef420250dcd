import { type ChildProcess, spawn } from "node:child_process";
import { DatabaseSync } from "node:sqlite";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  buttonsOf,
  type Slack,
  type SlackButton,
  slackStandIn,
} from "../../../contract/test/notify/slack.ts";
import { smtpStandIn } from "../../../contract/test/notify/smtp.ts";
import { type Chatted, type Telegram, telegramStandIn } from "../../../contract/test/notify/telegram.ts";
import { testApp } from "../command-line.ts";
import { cleanEnv, queuedItem, tuitbotCommand } from "../live-server.ts";
import { signedInEnv } from "../signed-in-env.ts";
import { postedBy } from "../storage/world.ts";
import { Browser, newHome, type Served, serve } from "../web/served.ts";

/** One server process, everybody who can decide about its items, and every surface at which they do. */

const [ANA, BEN, VERA, STRANGER] = ["1001", "1002", "1003", "6666"] as const;
const SLACK_ANA = "U0ANA";

let home: string;
let remove: () => void;
let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;
let telegram: Telegram;
let slack: Slack;
let mail: Awaited<ReturnType<typeof smtpStandIn>>;
let served: Served;
let owner: Browser;
let asker: Client;
let transport: StdioClientTransport;
/** The answer of the user behind the client. */

beforeAll(async () => {
  ({ home, remove } = newHome());
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  [telegram, slack, mail] = await Promise.all([
    telegramStandIn(),
    slackStandIn(),
    smtpStandIn("bot", "mail-secret"),
  ]);
  const people = [
    { name: "Ana", telegram_id: ANA, slack_id: SLACK_ANA },
    { name: "Ben", telegram_id: BEN },
    { name: "Mia", email: "mia@mail.example" },
    { name: "Vera", telegram_id: VERA, role: "viewer" },
  ];
  env = {
    ...(await signedInEnv(home, sandbox)),
    TUITBOT_MCP_POLICY__MAX_MUTATIONS_PER_HOUR: "500",
    TUITBOT_LIMITS__MAX_TWEETS_PER_DAY: "500",
    TUITBOT_NOTIFY__PEOPLE: JSON.stringify(people),
    TUITBOT_NOTIFY__TELEGRAM_BOT_TOKEN: telegram.token,
    TUITBOT_NOTIFY__TELEGRAM_API_URL: telegram.url,
    TUITBOT_SERVER__PUBLIC_URL: "https://bot.example",
    TUITBOT_NOTIFY__SMTP_URL: mail.url,
    TUITBOT_NOTIFY__EMAIL_FROM: "tuitbot <bot@mail.example>",
    TUITBOT_NOTIFY__SLACK_BOT_TOKEN: "xoxb-1",
    TUITBOT_NOTIFY__SLACK_APP_TOKEN: "xapp-1",
    TUITBOT_NOTIFY__SLACK_API_URL: slack.url,
  };
  served = await serve(home, { words: ["mcp", "serve", "--http", "0"], env });
  owner = new Browser(served.url);
  await owner.signIn(served.link);
  asker = new Client({ name: "chat", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  asker.setRequestHandler("elicitation/create", async ({ params }) => ({
    action: "accept" as const,
    content: {
      [Object.keys(Object("requestedSchema" in params ? params.requestedSchema.properties : {}))[0] ?? ""]:
        "yes",
    },
  }));
  const { command, args } = tuitbotCommand;
  transport = new StdioClientTransport({
    command,
    args: [...args, "mcp", "serve"],
    env: cleanEnv(home, { ...env, TUITBOT_NOTIFY__PEOPLE: undefined }),
    stderr: "ignore",
  });
  await asker.connect(transport);
}, 60_000);

afterAll(async () => {
  await asker.close();
  await served.stop();
  await Promise.all([sandbox.close(), telegram.close(), slack.close(), mail.close()]);
  remove();
});

let count = 0;

/** A post that waits, with the messages that Ana has got about it. */
async function proposed(text = `Post ${++count}.`) {
  const id = queuedItem(await served.call("x_post_tweet", { text })) ?? expect.fail("It was not queued.");
  for (const person of [ANA, BEN, VERA])
    await expect.poll(() => chatOf(person, text), { interval: 20 }).toBeDefined();
  await expect.poll(() => slackOf(text), { interval: 20 }).toBeDefined();
  await expect.poll(() => mailOf(text), { interval: 20 }).toBeDefined();
  const { body } = await owner.command("pending");
  const item = body.items.find((one) => one.id === id) ?? expect.fail("It does not wait.");
  return { id, digest: item.digest, args: item.args, text };
}

type Proposed = Awaited<ReturnType<typeof proposed>>;

function chatOf(chat: string | undefined, text: string): Chatted | undefined {
  return telegram.chats.findLast((one) => one.chat === chat && one.text.includes(`│ ${text}`));
}

function slackOf(text: string) {
  return slack.messages.findLast((one) => JSON.stringify(one.blocks).includes(`│ ${text}`));
}

function mailOf(text: string): string | undefined {
  return mail.mails.findLast((one) => one.text.includes(`│ ${text}`))?.text;
}

/** A browser that is signed in with the link of the mail about an item. */
async function byMail({ id, text }: Pick<Proposed, "id" | "text">): Promise<Browser> {
  const [, secret = "", item] =
    /https:\/\/bot\.example\/#signin=([\w.-]+)\/inbox\/(\d+)/.exec(mailOf(text) ?? "") ?? [];
  expect(item).toBe(String(id));
  const browser = new Browser(served.url);
  expect(await browser.signIn(secret)).toMatchObject({
    status: 200,
    body: { person: "Mia", role: "approver" },
  });
  // It works once.
  expect(await new Browser(served.url).signIn(secret)).toMatchObject({ status: 401 });
  return browser;
}

function buttonOf(chat: string | undefined, { text }: Pick<Proposed, "text">, label: string): string {
  const button = chatOf(chat, text)?.buttons.find((one) => one.text === label);
  return button?.callback_data ?? expect.fail(`There is no button ${label}.`);
}

function rowOf(id: number) {
  const database = new DatabaseSync(env.TUITBOT_STORAGE__DB_PATH ?? "", { readOnly: true, timeout: 5_000 });
  try {
    return Object(database.prepare("select * from approvals where id = ?").get(id)) as Record<
      string,
      unknown
    >;
  } finally {
    database.close();
  }
}

/** Receipts that say that an item was carried out. */
function recordsOf(id: number): number {
  const database = new DatabaseSync(env.TUITBOT_STORAGE__DB_PATH ?? "", { readOnly: true, timeout: 5_000 });
  try {
    const query = "select count(*) as count from receipts where approval_claim = ? and state = 'confirmed'";
    return Number(database.prepare(query).get(id)?.count);
  } finally {
    database.close();
  }
}

function posts(text: string): number {
  return postedBy(sandbox).filter((post) => post.text === text).length;
}

interface Surface {
  readonly by: RegExp;
  readonly approve: (item: Proposed) => Promise<unknown>;
  readonly reject: (item: Proposed) => Promise<unknown>;
  /** Undefined where the surface sends people to the page for that. */
  readonly edit?: (item: Proposed, text: string) => Promise<unknown>;
}

const terminal = (...words: readonly string[]) =>
  testApp().run(["approve", ...words], { env: cleanEnv(home, env) });

const elicit = async (tool: string, id: number): Promise<unknown> => {
  const { structuredContent } = await asker.callTool({ name: tool, arguments: { id } });
  return structuredContent;
};

async function pressSlack(item: Proposed, action: string): Promise<void> {
  const message = slackOf(item.text) ?? expect.fail("Slack has no message.");
  const button = buttonsOf(message).find(({ action_id }) => action_id === action);
  await slack.press(SLACK_ANA, button ?? expect.fail(`There is no button ${action}.`));
  await expect.poll(() => rowOf(item.id).status, { interval: 20 }).not.toBe("pending");
}

const surfaces: Readonly<Record<string, Surface>> = {
  terminal: {
    by: /^person via terminal, user "/,
    approve: ({ id }) => terminal("--id", String(id), "--yes"),
    reject: ({ id }) => terminal("--id", String(id), "--reject", "--reason", "No."),
    edit: ({ id }, text) => terminal("--id", String(id), "--text", text),
  },
  elicitation: {
    by: /^person via stdio, client "chat"$/,
    approve: ({ id }) => elicit("approve_item", id),
    reject: ({ id }) => elicit("reject_item", id),
  },
  page: {
    by: /^person via web, user "/,
    approve: ({ id, digest }) => owner.command("approve", { id, digest }),
    reject: ({ id, digest }) => owner.command("reject", { id, digest, reason: "No." }),
    edit: ({ id, digest, args }, text) => owner.command("edit", { id, digest, args: { ...args, text } }),
  },
  telegram: {
    by: /^person via telegram, "Ana"$/,
    approve: (item) => telegram.press(ANA, buttonOf(ANA, item, "Approve")),
    reject: (item) => telegram.write(ANA, chatOf(ANA, item.text)?.messageId ?? 0, "/reject No."),
    edit: (item, text) => telegram.write(ANA, chatOf(ANA, item.text)?.messageId ?? 0, text),
  },
  "e-mail": {
    by: /^person via web, "Mia"$/,
    approve: async (item) => (await byMail(item)).command("approve", { id: item.id, digest: item.digest }),
    reject: async ({ id, digest, text }) => (await byMail({ id, text })).command("reject", { id, digest }),
    edit: async ({ id, digest, args, text: old }, text) =>
      (await byMail({ id, text: old })).command("edit", { id, digest, args: { ...args, text } }),
  },
  slack: {
    by: /^person via slack, "Ana"$/,
    approve: (item) => pressSlack(item, "approve"),
    reject: (item) => pressSlack(item, "reject"),
  },
};
const names = Object.keys(surfaces);

function surface(name: string): Surface {
  return surfaces[name] ?? expect.fail(name);
}

describe.each(names)("at the surface %s", (name) => {
  test("a person approves, edits and rejects, and every other surface shows it settled", async () => {
    const { approve, reject, edit, by } = surface(name);
    const yes = await proposed();
    const reply = chatOf(BEN, yes.text);
    await approve(yes);
    await expect.poll(() => rowOf(yes.id), { interval: 20 }).toMatchObject({ status: "executed" });
    expect(rowOf(yes.id).decided_by).toMatch(by);
    expect(posts(yes.text)).toBe(1);
    // Ben's message has lost its buttons and says who decided.
    await expect.poll(() => reply?.text, { interval: 20 }).toMatch(/is approved and done, person via/);
    expect(reply?.buttons).toEqual([]);
    await expect
      .poll(() => JSON.stringify(slackOf(yes.text)), { interval: 20 })
      .toContain("approved and done");

    const no = await proposed();
    await reject(no);
    await expect.poll(() => rowOf(no.id).status, { interval: 20 }).toBe("rejected");
    expect(rowOf(no.id).decided_by).toMatch(by);
    await expect
      .poll(() => chatOf(BEN, no.text)?.text, { interval: 20 })
      .toContain("is rejected, person via");
    expect(posts(no.text)).toBe(0);

    if (edit === undefined) return;
    const old = await proposed();
    const oldButton = buttonOf(BEN, old, "Approve");
    await edit(old, `${old.text} Edited.`);
    await expect.poll(() => chatOf(BEN, `${old.text} Edited.`), { interval: 20 }).toBeDefined();
    // A yes to the old text is not a yes to the new one.
    expect(await telegram.press(BEN, oldButton)).toContain("not for what waits now");
    expect(await telegram.press(BEN, buttonOf(BEN, { text: `${old.text} Edited.` }, "Approve"))).toContain(
      "done",
    );
    expect([posts(old.text), posts(`${old.text} Edited.`)]).toEqual([0, 1]);
    expect(rowOf(old.id).decided_by).toBe('person via telegram, "Ben"');
  });
});

test("every pair of surfaces that answers at the same instant posts once and names one person", async () => {
  for (const [index, first] of names.entries())
    for (const second of names.slice(index + 1)) {
      const item = await proposed();
      await Promise.all([surface(first).approve(item), surface(second).approve(item)]);
      await expect.poll(() => rowOf(item.id).status, { interval: 20 }).toBe("executed");
      expect(posts(item.text), `${first} and ${second}`).toBe(1);
      const { decided_by } = rowOf(item.id);
      expect([surface(first).by, surface(second).by].some((by) => by.test(String(decided_by)))).toBe(true);

      const torn = await proposed();
      await Promise.all([surface(first).approve(torn), surface(second).reject(torn)]);
      await expect.poll(() => rowOf(torn.id).status, { interval: 20 }).toMatch(/executed|rejected/);
      const isOut = rowOf(torn.id).status === "executed";
      expect(posts(torn.text), `${first} against ${second}`).toBe(isOut ? 1 : 0);
      expect(rowOf(torn.id).decided_by).toMatch(surface(isOut ? first : second).by);
    }
}, 120_000);

test("an answer from Slack is refused to strangers, with a forged button, and when it comes a second time", async () => {
  const item = await proposed();
  const buttons = buttonsOf(slackOf(item.text) ?? expect.fail("Slack has no message."));
  const approve = buttons.find((one) => one.action_id === "approve") ?? expect.fail("There is no button.");
  const [, token = ""] = String(approve.value).split(":");
  const replies = () => slack.messages.length;
  const answered = async (user: string, button: SlackButton) => {
    const before = replies();
    await slack.press(user, button);
    await expect.poll(replies, { interval: 20 }).toBeGreaterThan(before);
    return JSON.stringify(slack.messages.at(-1)?.blocks);
  };
  // Slack names who pressed. A button that was passed on does not count for anybody else.
  for (const user of ["U0STRANGER", "", ANA])
    expect(await answered(user, approve)).toContain("You cannot decide this");
  for (const forged of [
    { action_id: "approve", value: `${item.id}:` },
    { action_id: "approve", value: `${item.id}:${"A".repeat(token.length)}` },
    { action_id: "reject", value: `${item.id}:${token}` },
    { action_id: "approve", value: `${item.id + 1}:${token}` },
    { action_id: "approve", value: `${item.id}:${token.slice(0, -1)}` },
    { action_id: "approve" },
  ])
    expect(await answered(SLACK_ANA, forged)).toMatch(/not for what waits|not one of ours/);
  expect(rowOf(item.id)).toMatchObject({ status: "pending", decided_by: null });
  expect(posts(item.text)).toBe(0);
  expect(await answered(SLACK_ANA, approve)).toContain("approved and done");
  expect(await answered(SLACK_ANA, approve)).toContain("approved and done");
  expect(posts(item.text)).toBe(1);
});

describe("an answer from Telegram is refused", () => {
  test("to strangers, viewers, and anyone who presses another person's button", async () => {
    const item = await proposed();
    const anas = buttonOf(ANA, item, "Approve");
    expect(await telegram.press(STRANGER, anas)).toContain("You cannot decide this");
    expect(await telegram.press(VERA, anas)).toContain("You cannot decide this");
    expect(chatOf(VERA, item.text)?.buttons).toEqual([]);
    // A forwarded button: Ben may decide, and not with Ana's.
    expect(await telegram.press(BEN, anas)).toContain("not for what waits now");
    // Made up, of another action, of another item.
    const [, , token] = anas.split(":");
    for (const forged of [
      `approve:${item.id}:`,
      `reject:${item.id}:${token}`,
      `approve:${item.id + 1}:${token}`,
      "approve",
      "{}",
    ])
      expect(await telegram.press(ANA, forged)).toMatch(/not for what waits|not one of ours/);
    const messageOfAna = chatOf(ANA, item.text)?.messageId ?? 0;
    expect(await telegram.write(BEN, messageOfAna, "Mine now.")).toContain("not for what waits now");
    expect(await telegram.write(STRANGER, messageOfAna, "/reject")).toContain("You cannot decide this");
    expect(rowOf(item.id)).toMatchObject({ status: "pending", decided_by: null });
    expect(posts(item.text)).toBe(0);
    await owner.command("reject", { id: item.id, digest: item.digest });
  });

  test("when it comes a second time", async () => {
    const item = await proposed();
    const button = buttonOf(ANA, item, "Approve");
    expect(await telegram.press(ANA, button)).toContain("approved and done");
    const before = telegram.notes.length;
    telegram.repeatLast();
    await expect.poll(() => telegram.notes.length, { interval: 20 }).toBe(before + 1);
    expect(telegram.notes.at(-1)?.text).toContain("approved and done");
    expect(await telegram.press(ANA, button)).toContain("approved and done");
    expect(posts(item.text)).toBe(1);
  });

  test("before the whole of a long item was shown", async () => {
    const thread = Array.from({ length: 24 }, (_, index) => `${index}: ${"Bread rises slowly. ".repeat(13)}`);
    const queued =
      queuedItem(await served.call("x_post_thread", { tweets: thread })) ?? expect.fail("It was not queued.");
    const message = () =>
      telegram.chats.findLast((one) => one.chat === ANA && one.text.includes(`Item ${queued} ·`));
    await expect.poll(message, { interval: 20 }).toBeDefined();
    expect(message()?.buttons.map((one) => one.text)).toEqual(["Reject", "Show"]);
    await telegram.press(ANA, message()?.buttons[1]?.callback_data);
    // Messages to others may come between.
    const latest = () => telegram.chats.findLast((one) => one.chat === ANA);
    await expect.poll(() => latest()?.buttons.map((one) => one.text)).toEqual(["Approve", "Reject"]);
    const shown = telegram.chats
      .filter((one) => one.chat === ANA)
      .map((one) => one.text)
      .join("");
    expect(shown).toContain("23: Bread rises slowly.");
    await telegram.press(ANA, latest()?.buttons[1]?.callback_data);
    expect(rowOf(queued).status).toBe("rejected");
  });
});

test("the agent's next call reports the outcome of its earlier ones, with reason and edit, once", async () => {
  await served.call("get_pending_count");
  const [rejected, edited] = [await proposed(), await proposed()];
  await telegram.write(ANA, chatOf(ANA, rejected.text)?.messageId ?? 0, "/reject Too salesy.");
  expect(await served.call("get_pending_count")).toMatchObject({
    data: { pending_count: 1 },
    meta: {
      decisions: [
        {
          approval_queue_id: rejected.id,
          tool: "x_post_tweet",
          status: "rejected",
          person_says: "Too salesy.",
        },
      ],
    },
  });
  const text = `${edited.text} Shorter.`;
  await telegram.write(ANA, chatOf(ANA, edited.text)?.messageId ?? 0, text);
  await expect.poll(() => chatOf(ANA, text), { interval: 20 }).toBeDefined();
  expect(Object((await served.call("get_pending_count")).meta)).not.toHaveProperty("decisions");
  await telegram.press(ANA, buttonOf(ANA, { text }, "Approve"));
  const decision = {
    approval_queue_id: edited.id,
    tool: "x_post_tweet",
    status: "executed",
    edited_to: text,
  };
  expect(await served.call("x_get_me")).toMatchObject({ meta: { decisions: [decision] } });
  expect(Object((await served.call("x_get_me")).meta)).not.toHaveProperty("decisions");
  // Another client did not make these calls.
  const { structuredContent } = await asker.callTool({ name: "get_pending_count", arguments: {} });
  expect(Object(Object(structuredContent).meta)).not.toHaveProperty("decisions");
});

test("where a passkey is registered, messengers have no button to approve, and refuse one from before", async () => {
  const before = await proposed();
  const earlier = buttonOf(ANA, before, "Approve");
  const database = new DatabaseSync(env.TUITBOT_STORAGE__DB_PATH ?? "", { timeout: 5_000 });
  try {
    database
      .prepare(
        "insert into web_passkeys (account, id, person, site, public_key, uses, transports_json, created_at) select account, 'key', 'ana', 'localhost', '', 0, '[]', 0 from approvals limit 1",
      )
      .run();
    expect(await telegram.press(ANA, earlier)).toContain("need the signature of a passkey");
    const earlierInSlack = buttonsOf(slackOf(before.text) ?? expect.fail("Slack has no message."));
    await slack.press(SLACK_ANA, earlierInSlack[0] ?? expect.fail("There is no button."));
    expect(rowOf(before.id)).toMatchObject({ status: "pending", decided_by: null });

    const item = await proposed();
    expect(chatOf(ANA, item.text)?.buttons.map((one) => one.text)).toEqual(["Reject"]);
    expect(
      buttonsOf(slackOf(item.text) ?? expect.fail("Slack has no message.")).map((one) => one.action_id),
    ).not.toContain("approve");
    // The other answers need no signature.
    expect(await telegram.press(ANA, buttonOf(ANA, item, "Reject"))).toContain("rejected");
    expect([posts(before.text), posts(item.text)]).toEqual([0, 0]);
  } finally {
    database.exec("delete from web_passkeys");
    database.close();
  }
  await owner.command("reject", { id: before.id, digest: before.digest });
});

test("tuitbot notify test says for each person and channel what the service answered", async () => {
  const notify = (...words: string[]) =>
    testApp().run(["notify", "test", ...words], { env: cleanEnv(home, env) });
  const sent = await notify();
  expect(sent.code).toBe(0);
  for (const line of ["Ana, telegram", "Ana, slack", "Ben, telegram", "Mia, email", "Vera, telegram"])
    expect(sent.out).toContain(`sent    ${line}`);
  expect(telegram.chats.map(({ text }) => text).join()).toContain("A test message from tuitbot");
  expect(mail.mails.map(({ source }) => source).join()).toContain("A test message from tuitbot");
  const wrong = await testApp().run(["notify", "test", "--person", "Ben", "--output", "json"], {
    env: cleanEnv(home, { ...env, TUITBOT_NOTIFY__TELEGRAM_BOT_TOKEN: "123:wrong" }),
  });
  expect(wrong.code).not.toBe(0);
  expect(wrong.json()).toMatchObject({ results: [{ person: "Ben", channel: "telegram", ok: false }] });
  expect(wrong.out).not.toContain("123:wrong");
  expect((await notify("--person", "Nobody")).err).toContain('Nobody is called "Nobody"');
});

test("Slack that wants the connection opened anew loses no answer", async () => {
  const item = await proposed();
  await slack.refresh();
  await pressSlack(item, "approve");
  await expect.poll(() => rowOf(item.id).status, { interval: 20 }).toBe("executed");
  expect(posts(item.text)).toBe(1);
});

test("a yes whose process is killed before the post is carried out once, by the next, in the name of who said it", async () => {
  const items: Proposed[] = [];
  for (const _ of names) items.push(await proposed());
  sandbox.faults.add({ operation: "createPosts", kind: "hang", when: "before", count: names.length });
  const { command, args } = tuitbotCommand;
  const children: ChildProcess[] = [];
  for (const [index, name] of names.entries()) {
    const item = items[index] ?? expect.fail(name);
    if (name === "terminal")
      children.push(
        spawn(command, [...args, "approve", "--id", String(item.id), "--yes"], {
          env: cleanEnv(home, env),
          stdio: "ignore",
        }),
      );
    // Nobody gets an answer: the process that would give it dies.
    else
      void surface(name)
        .approve(item)
        .catch(() => {});
  }
  await expect
    .poll(() => items.map(({ id }) => rowOf(id).status), { timeout: 20_000, interval: 50 })
    .toEqual(names.map(() => "releasing"));
  for (const child of children) child.kill("SIGKILL");
  process.kill(transport.pid ?? expect.fail("There is no process."), "SIGKILL");
  await served.stop("SIGKILL");
  // Some died before their request was sent.
  sandbox.faults.clear();
  expect(items.map(({ text }) => posts(text))).toEqual(names.map(() => 0));
  // Until then X might still carry out what it was sent.
  sandbox.clock.advance(15 * 60_000);

  served = await serve(home, { words: ["mcp", "serve", "--http", "0"], env });
  const statuses = async () => {
    // The server checks once a minute for changes by others; listing the waiting items checks immediately.
    await terminal("--list");
    return items.map(({ id }) => rowOf(id).status);
  };
  await expect.poll(statuses, { timeout: 60_000, interval: 100 }).toEqual(names.map(() => "executed"));
  for (const [index, { id, text }] of items.entries()) {
    expect(rowOf(id).decided_by).toMatch(surface(names[index] ?? "").by);
    expect(posts(text)).toBe(1);
    expect(recordsOf(id)).toBe(1);
  }
}, 90_000);
