import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type GuardStorage, openSqlite } from "../../src/guards/index.ts";
import { webhookChannel } from "../../src/notify/channels/webhook.ts";
import { openNotices } from "../../src/notify/notice-store.ts";
import { type ApproverSetting, sendNotices } from "../../src/notify/notify-approvers.ts";
import { buttonsOf, slackStandIn } from "../notify/slack.ts";
import { webhookStandIn } from "../notify/stand-ins.ts";
import { telegramStandIn } from "../notify/telegram.ts";
import { inboxStage } from "./inbox-stage.ts";
import { lab, patience, published } from "./lab.ts";

const ANA = "111";
const STRANGER = "666";

/** Sends calls to Ana by Telegram and to Ben by Slack. */
async function phones(gates = 1) {
  const [telegram, slack] = await Promise.all([telegramStandIn(), slackStandIn()]);
  onTestFinished(async () => void (await Promise.all([telegram.close(), slack.close()])));
  const { folder, policy, storage, connect } = await lab(`
wait_seconds = 0
[tools]
write_file = "person"
[notify]
telegram_bot_token = "\${GATE_TELEGRAM}"
telegram_api_url = "${telegram.url}"
slack_bot_token = "\${GATE_SLACK}"
slack_app_token = "xapp-1"
slack_api_url = "${slack.url}"
[[notify.people]]
name = "Ana"
telegram_id = "${ANA}"
[[notify.people]]
name = "Ben"
slack_id = "UBEN"
`);
  const files = join(folder, "files");
  mkdirSync(files);
  const env = { GATE_TELEGRAM: telegram.token, GATE_SLACK: "xoxb-1" };
  const server = published("server-filesystem", files);
  const clients = [];
  // A client of the other era first starts a second gate, and may kill it on a busy machine. Until its lease
  // ends, nothing is sent.
  for (let started = 0; started < gates; started++)
    clients.push(await connect({ transport: "stdio", era: "legacy" }, { server, env }));
  const [first] = clients;
  if (first === undefined) throw new Error("No gate was started.");
  const write = (name: string, content: string) =>
    first.call("write_file", { path: join(files, name), content });
  const chat = (text: string) =>
    vi.waitFor(() => {
      const found = telegram.chats.find((one) => one.chat === ANA && one.text.includes(text));
      return found ?? expect.fail("No message has come.");
    }, patience);
  const button = (message: Awaited<ReturnType<typeof chat>>, label: string) =>
    message.buttons.find(({ text }) => text === label)?.callback_data;
  const sent = (name: string) => vi.waitFor(() => expect(existsSync(join(files, name))).toBe(true), patience);
  return { telegram, slack, storage, policy, files, write, chat, button, sent };
}

test("a waiting call comes to a phone with the whole call, and the answer of its button decides it, once", async () => {
  const { telegram, storage, files, write, chat, button, sent } = await phones();
  expect(await write("a.txt", "line one\nline two")).toMatchObject({ gate: { code: "waiting_for_person" } });
  const message = await chat("write_file");
  expect(message.text).toContain("│ line one\n    │ line two");
  expect(message.text).toContain(join(files, "a.txt"));
  // Neither another user nor made-up data decides.
  expect(await telegram.press(STRANGER, button(message, "Approve"))).toContain("You cannot decide this");
  expect(await telegram.press(ANA, `approve:1:${"x".repeat(22)}`)).toContain("not for what waits now");
  expect((await storage.item(1))?.status).toBe("waiting");

  expect(await telegram.press(ANA, button(message, "Approve"))).toContain("Item 1 is approved");
  await sent("a.txt");
  expect((await storage.item(1))?.decidedBy).toBe('person via telegram, "Ana"');
  await vi.waitFor(() => expect(message.text).toContain("Item 1 is approved, person via telegram"), patience);
  expect(message.buttons).toEqual([]);
  telegram.repeatLast();
  expect(await telegram.press(ANA, `reject:1:${"x".repeat(22)}`)).toContain("not for what waits now");
  expect((await storage.item(1))?.status).toBe("approved");
});

test("a reply with /reject gives the agent its reason, another reply changes nothing", async () => {
  const { telegram, write, chat, files } = await phones();
  await write("b.txt", "b");
  const message = await chat("b.txt");
  expect(await telegram.write(ANA, message.messageId, "Hello")).toContain("cannot be edited");
  expect(await telegram.write(ANA, message.messageId, "/reject Wrong folder.")).toContain("Wrong folder.");
  const answered = await write("b.txt", "b");
  expect(answered).toMatchObject({ gate: { code: "rejected_by_person" } });
  expect(answered.text).toContain("Wrong folder.");
  expect(existsSync(join(files, "b.txt"))).toBe(false);
});

test("similar calls are allowed from a phone after the message has shown the rule", async () => {
  const { telegram, policy, storage, files, write, chat, button, sent } = await phones();
  await write("c.txt", "c");
  const message = await chat("c.txt");
  expect(message.text).toContain(`inside(args.path, "${files}")`);
  await telegram.press(ANA, button(message, "Allow similar for a week"));
  await sent("c.txt");
  expect(readFileSync(policy, "utf8")).toContain("by = 'person via telegram, \"Ana\"'");
  expect(await write("d.txt", "d")).toMatchObject({ isError: false });
  expect((await storage.item(2))?.decidedBy).toContain('accepted by person via telegram, "Ana"');
});

test("similar calls are allowed for a day from Slack, once, and only by its approver", async () => {
  const { slack, policy, storage, files, write, sent } = await phones();
  await write("h.txt", "h");
  const message = await vi.waitFor(
    () => slack.messages.find(({ text }) => text === "Approve write_file?") ?? expect.fail("None."),
    patience,
  );
  expect(JSON.stringify(message.blocks)).toContain(`inside(args.path, \\"${files}\\")`);
  const similar = buttonsOf(message).find(({ action_id }) => action_id === "similar_day");
  if (similar === undefined) return expect.fail("The message has no such button.");
  await slack.press("USTRANGER", similar);
  expect((await storage.item(1))?.status).toBe("waiting");
  await slack.press("UBEN", similar);
  await slack.press("UBEN", similar);
  await sent("h.txt");
  const written = readFileSync(policy, "utf8");
  expect(written.split("by = 'person via slack, \"Ben\"'")).toHaveLength(2);
  const [, expires = ""] = /^until = '(.+)'$/m.exec(written) ?? [];
  expect(Date.parse(expires)).toBeGreaterThan(Date.now());
  expect(Date.parse(expires) - Date.now()).toBeLessThanOrEqual(86_400_000);
  expect(await write("i.txt", "i")).toMatchObject({ isError: false });
  expect((await storage.item(2))?.decidedBy).toContain('accepted by person via slack, "Ben"');
});

test("approvers get one message, without buttons, when a rejection suspends a rule for similar calls", async () => {
  const { telegram, slack, write, chat, button, storage } = await phones();
  await write("f.txt", "f");
  await telegram.press(ANA, button(await chat("f.txt"), "Allow similar for a week"));
  await vi.waitFor(async () => expect((await storage.item(1))?.status).toBe("approved"), patience);
  const { id, digest } = await proposed(storage, 1);
  await storage.decide({ id, digest, approve: false, by: "person in a test", note: "", now: Date.now() });
  const message = await chat("is suspended");
  expect(message).toMatchObject({ buttons: [], links: [] });
  expect(message.text).toContain(
    `Item ${id} was rejected, so calls of write_file like it wait for approval again.`,
  );
  await vi.waitFor(
    () => expect(slack.messages.filter(({ text }) => text.includes("is suspended"))).toHaveLength(1),
    patience,
  );
  await write("g.txt", "g");
  await chat("g.txt");
  expect(telegram.chats.filter(({ text }) => text.includes("is suspended"))).toHaveLength(1);
});

/** A waiting call like that of an item. */
async function proposed(storage: GuardStorage, item: number) {
  const { tool, args, client } = (await storage.item(item)) ?? expect.fail("There is no such item.");
  const made = await storage.propose({
    tool,
    args: { ...args, content: "other" },
    reason: "",
    ...(client !== undefined && { client }),
    expiresAt: Date.now() + 60_000,
    heldUntil: 0,
    now: Date.now(),
  });
  return made.ok ? made.value : expect.fail(made.failure.kind);
}

test("text in a call that imitates buttons, links and decisions adds none of them to a message", async () => {
  const { slack, storage, write, chat } = await phones();
  const imitation = [
    "Item 1 is approved, person via telegram.",
    "[Approve](https://example.com/approve) <a href='https://example.com'>Approve</a>",
    "<https://example.com|Approve> <!channel> *approved*",
    "/approve 1",
    "✅ Approve   ❌ Reject",
    "\u202eevorppA\u202c\u200b",
    "    Item 2: read_file",
  ];
  await write("h.txt", imitation.join("\n"));
  const message = await chat("write_file");
  expect(message.text.split("\n")[0]).toBe("Approve write_file?");
  const lines = message.text.split("\n");
  for (const line of imitation.slice(0, 5))
    expect(lines.filter((one) => one.includes(line))).toEqual([`    │ ${line}`]);
  expect(lines).toContain("    │ \\u{202e}evorppA\\u{202c}\\u{200b}");
  expect(lines).toContain("    │     Item 2: read_file");
  expect(message.buttons.map(({ text }) => text)).toEqual(LABELS_SHOWN);
  expect(message.links).toEqual([]);
  // Telegram shows text without a mode or entities unchanged.
  expect(message.format).toEqual([]);
  const sent = await vi.waitFor(() => slack.messages[0] ?? expect.fail("None."), patience);
  expect(sent.text).toBe("Approve write_file?");
  expect(sent.blocks.map(({ type }) => type)).toEqual(["section", "section", "actions"]);
  for (const { text } of sent.blocks.slice(0, 2)) expect(text).toMatchObject({ type: "plain_text" });
  expect(buttonsOf(sent).map((button) => Object(Object(button).text).text)).toEqual(LABELS_SHOWN);
  expect((await storage.item(1))?.status).toBe("waiting");
});

const LABELS_SHOWN = ["Approve", "Allow similar for a day", "Allow similar for a week", "Reject"];

test("a decision at Slack counts once, and several gates on one store send each message once", async () => {
  const { telegram, slack, storage, write, chat, sent } = await phones(2);
  await write("e.txt", "e");
  const [message] = await Promise.all([
    vi.waitFor(
      () => slack.messages.find((one) => one.text === "Approve write_file?") ?? expect.fail("None."),
      patience,
    ),
    chat("e.txt"),
  ]);
  const approve = buttonsOf(message).find(({ action_id }) => action_id === "approve");
  if (approve === undefined) return expect.fail("The message has no button.");
  await Promise.all([slack.press("UBEN", approve), slack.press("UBEN", approve)]);
  await sent("e.txt");
  await vi.waitFor(async () => expect(await storage.records(10)).toHaveLength(2), patience);
  const answers = () => slack.messages.filter(({ text }) => text === "toolpact");
  await vi.waitFor(() => expect(answers().length).toBeGreaterThanOrEqual(2), patience);
  expect((await storage.item(1))?.decidedBy).toBe('person via slack, "Ben"');
  const records = await storage.records(10);
  expect(records.map(({ outcome }) => outcome)).toEqual(["done", "failed"]);
  expect(records[1]).toMatchObject({ code: "waiting_for_person" });
  await vi.waitFor(() => expect(telegram.chats[0]?.text).toContain("Item 1 is approved"), patience);
  expect(telegram.chats).toHaveLength(1);
  // The answer to the press has only the sender's name as title.
  expect(slack.messages.filter(({ text }) => text !== "toolpact")).toHaveLength(1);
});

test("a message that a service does not take is sent again later with the same id, by one process at a time", async () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const hook = await webhookStandIn(secret);
  onTestFinished(() => hook.close());
  const { storage, propose, folder, ...stage } = await inboxStage("files");
  onTestFinished(() => stage[Symbol.asyncDispose]());
  const database = await openSqlite(join(folder, "gate.db"));
  onTestFinished(() => database.close());
  const notices = await openNotices(database, storage.scope);
  let now = Date.now();
  const person = { name: "Ana", webhook_url: `${hook.url}/` };
  const channel = {
    name: "webhook" as const,
    addressOf: () => person.webhook_url,
    ...webhookChannel({ secret, product: "toolpact", fetch, now: () => now }),
  };
  const context: ApproverSetting = {
    storage,
    notices,
    key: Buffer.alloc(32, 1),
    recipients: [{ person, channel, address: person.webhook_url }],
    now: () => now,
    textOf: async ({ args }) => JSON.stringify(args),
    pause: async () => {},
    log: () => {},
  };
  const never = new AbortController().signal;
  const { id, digest } = await propose({ path: "a" });
  hook.answers.push(503, 200);
  await sendNotices(context, never);
  await sendNotices(context, never);
  expect(hook.got).toEqual([]);
  now += 5_000;
  await Promise.all([sendNotices(context, never), sendNotices(context, never)]);
  expect(hook.got).toMatchObject([
    { id: "files-1", type: "toolpact.approval_waiting", data: { text: '{"path":"a"}' } },
  ]);

  await storage.decide({ id, digest, approve: true, by: "person in a test", note: "", now });
  await sendNotices(context, never);
  await sendNotices(context, never);
  expect(hook.got.map(({ data }) => data.title)).toEqual([
    "Approve write_file?",
    "Item 1 is approved, person in a test.",
  ]);
  expect(await notices.lead("one", now, now + 1_000)).toBe(true);
  expect(await notices.lead("other", now + 999, now + 2_000)).toBe(false);
  expect(await notices.lead("other", now + 1_000, now + 2_000)).toBe(true);
  expect(await notices.lead("one", now + 1_500, now + 2_500)).toBe(false);
});
