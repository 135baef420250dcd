import { expect, test } from "vitest";
import type { PersonSession } from "../../src/app/approvals.ts";
import { acceptSigned, approveSimilar } from "../../src/app/passkey-approval.ts";
import { ruleSentence } from "../../src/app/rule-words.ts";
import { askAboutItems } from "../../src/cli/approve/ask-about-items.ts";
import type { Context } from "../../src/cli/context.ts";
import { configSchema } from "../../src/config/schema.ts";
import { eventsNow } from "../../src/notify/events.ts";
import { itemMessage } from "../../src/notify/messages.ts";
import { type AnswerContext, takeAnswer } from "../../src/notify/take-answer.ts";
import { approveThanks, type LearningDesk, openLearningDesk, thank } from "./agents.ts";

/** The person of each messenger, with the same address as the configuration has. */
const ADDRESS = { telegram: "1001", slack: "U0ANA" } as const;

test.each(["telegram", "slack"] as const)(
  "%s offers to allow similar calls, and the button adds the same rule as every surface",
  async (channel) => {
    await using desk = await openLearningDesk(["news"], {
      config: { notify: { people: [{ name: "Ana", telegram_id: "1001", slack_id: "U0ANA" }] } },
    });
    await thank(desk, "news", "dear friend and reader");
    const [item] = await desk.waiting();
    if (item === undefined) return expect.fail("nothing waits");
    const context = answerContext(desk, channel);
    const [recipient] = context.recipients;
    if (recipient === undefined) return expect.fail("nobody is notified");
    const answerer = { ...recipient, channel };
    const message = await itemMessage(context, "m", item, answerer);
    expect(Object.keys(message.item?.tokens ?? {})).toEqual([
      "approve",
      "similar_day",
      "similar_week",
      "reject",
      "show",
    ]);
    const press = (token: string | undefined) =>
      takeAnswer(
        context,
        { name: channel },
        {
          userId: ADDRESS[channel],
          action: "similar_week",
          item: item.id,
          token: token ?? "",
        },
      );
    // The secret of another button does not count for this one.
    expect(await press(message.item?.tokens?.approve)).toEqual({
      text: "This button is not for what waits now. Nothing was done.",
    });
    const reply = await press(message.item?.tokens?.similar_week);
    expect(reply.text).toContain("Rule 1, until ");
    expect(await thank(desk)).toMatchObject({ success: true, data: { id: expect.any(String) } });
    expect((await desk.report()).rules).toMatchObject([
      { state: "active", accepted_by: `person via ${channel}, "Ana"`, per_day: 5 },
    ]);
  },
);

test("messages about calls that no rule may cover have no button for similar ones", async () => {
  await using desk = await openLearningDesk(["news"]);
  await desk.as("news", "x_post_tweet", { text: "See a.com", accept_url_price: true });
  await desk.call("x_post_tweet", { text: "From an agent without a token" });
  const context = answerContext(desk, "telegram");
  const [recipient] = context.recipients;
  if (recipient === undefined) return expect.fail("nobody is notified");
  for (const item of await desk.waiting()) {
    const message = await itemMessage(context, "m", item, { ...recipient, channel: "telegram" });
    expect(Object.keys(message.item?.tokens ?? {})).toEqual(["approve", "reject", "show"]);
  }
});

test("the terminal shows the rule before it is accepted, and d or w accepts it", async () => {
  await using desk = await openLearningDesk(["news"]);
  await thank(desk, "news", "dear friend and reader");
  await desk.call("x_post_tweet", { text: "From an agent without a token" });
  const keys = ["w", "d", "s"];
  let out = "";
  const context = {
    terminal: { out: (text: string) => (out += text), hasColor: false, env: {}, width: 100 },
    machine: { readKey: async () => keys.shift() },
    signal: new AbortController().signal,
  } as unknown as Context;
  const decisions = await askAboutItems({ ...desk.decide, timezone: "UTC" }, await desk.waiting(), context);
  expect(decisions).toMatchObject({ approved: [1] });
  expect(out).toContain(
    "[d] or [w] approves it, and for a day or a week: Allow thank-you replies to people who mentioned you of up to 35 characters",
  );
  expect(out).toMatch(/Rule 1, until \d{4}-\d\d-\d\d: .* Turn it off with tuitbot rules off 1\./);
  // The second item has no agent that a rule could be bound to.
  expect(out).toContain("Nothing was done: calls like this one are decided one by one.");
  expect(await thank(desk)).toMatchObject({ data: { id: expect.any(String) } });
});

test("the dashboard accepts a proposal as it was shown, allows similar calls, and needs the passkey of an account that has one", async () => {
  await using desk = await openLearningDesk(["news"]);
  await approveThanks(desk);
  const session = sessionOf(desk);
  const [proposal] = (await desk.report()).proposals;
  expect(await acceptSigned({ id: "another" }, session)).toMatchObject({ ok: false });
  const accepted = await acceptSigned({ id: proposal?.id ?? "", per_day: 1 }, session);
  expect(accepted).toMatchObject({
    ok: true,
    value: { id: 1, says: expect.stringContaining("at most 1 a day") },
  });
  await thank(desk, "news", "dear friend and reader");
  const [item] = await desk.waiting();
  if (item === undefined) return expect.fail("nothing waits");
  await desk.services.db.store.db
    .insertInto("web_passkeys")
    .values({
      account: desk.services.db.account,
      id: "key",
      person: "Ana",
      site: "localhost",
      public_key: "",
      uses: 0,
      transports_json: "[]",
      created_at: 0,
    })
    .execute();
  const unsigned = { ok: false, failure: { reason: "needs_passkey" } };
  expect(await approveSimilar({ ...item, period: "day" }, session)).toMatchObject(unsigned);
  expect(await acceptSigned({ id: proposal?.id ?? "" }, session)).toMatchObject(unsigned);
  expect(await desk.accept({ id: proposal?.id ?? "" })).toMatchObject(unsigned);
  expect(await desk.decide.approveSimilar(item, "day")).toMatchObject(unsigned);
  await desk.services.db.store.db.deleteFrom("web_passkeys").execute();
  expect(await approveSimilar({ ...item, period: "day" }, session)).toMatchObject({
    ok: true,
    value: { rule: 2 },
  });
});

test("people are notified when a rule is suspended, and when it is due for review", async () => {
  await using desk = await openLearningDesk(["news"]);
  await approveThanks(desk);
  const [proposal] = (await desk.report()).proposals;
  await desk.accept({ id: proposal?.id ?? "" });
  const notices = () =>
    eventsNow(
      { ...desk.services.db, ...desk.services.approvals },
      {},
      desk.sandbox.clock.now(),
      (kind) => kind === "learned_rule",
    );
  expect(await notices()).toEqual([]);
  for (let day = 0; day < 15; day++) desk.nextDay();
  expect(await notices()).toMatchObject([{ key: "rule:1:review", title: "Rule 1 is due for review" }]);
  for (let calls = 0; calls < 3; calls++) await thank(desk);
  for (const item of await desk.waiting()) await desk.decide.reject(item, undefined);
  expect(await notices()).toMatchObject([
    { key: "rule:1:suspended", title: "Rule 1 is suspended", text: expect.stringContaining("was rejected") },
  ]);
});

test("a rule in words has its kind of call, its texts, its limit and its budget", async () => {
  await using desk = await openLearningDesk(["news"]);
  await approveThanks(desk);
  const [proposal] = (await desk.report()).proposals;
  const accepted = await desk.accept({ id: proposal?.id ?? "" });
  if (!accepted.ok) return expect.fail(accepted.failure.message);
  expect(ruleSentence(accepted.value)).toMatch(
    /^Allow thank-you replies to people who mentioned you of 19 to 19 characters: at most 2 a day, and \$0\.\d+ in all\.$/,
  );
});

function answerContext(desk: LearningDesk, channel: keyof typeof ADDRESS): AnswerContext {
  const { db, approvals } = desk.services;
  const person = configSchema.parse({
    notify: { people: [{ name: "Ana", telegram_id: ADDRESS.telegram, slack_id: ADDRESS.slack }] },
  }).notify.people[0];
  if (person === undefined) throw new Error("nobody is configured");
  const recipient = {
    person,
    address: ADDRESS[channel],
    channel: { name: channel, addressOf: () => ADDRESS[channel] },
  };
  return {
    ...db,
    key: approvals.key,
    now: () => desk.sandbox.clock.now(),
    pageUrl: undefined,
    // A channel that sends is not needed to take an answer.
    recipients: [recipient] as unknown as AnswerContext["recipients"],
    personNow: async () => person,
    approvalsBy: (by, mayDecide) => desk.decideAs(by, mayDecide),
  };
}

function sessionOf(desk: LearningDesk): PersonSession {
  const now = desk.sandbox.clock.now();
  return {
    ...desk.services,
    by: 'person via web, user "ana"',
    mayDecide: async () => true,
    signal: new AbortController().signal,
    visitor: { person: "Ana", role: "owner", origin: "http://localhost:1", now },
  } as unknown as PersonSession;
}
