import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openChannels } from "@toolpact/contract/internal/notify";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { ntfyStandIn, webhookStandIn } from "../../../contract/test/notify/stand-ins.ts";
import { editItem } from "../../src/approval/edit.ts";
import type { QueuedMutation } from "../../src/approval/item.ts";
import { pendingItems } from "../../src/approval/queue.ts";
import { releaseItem } from "../../src/approval/release.ts";
import { configSchema } from "../../src/config/schema.ts";
import { identityOf } from "../../src/guards/receipts/receipt.ts";
import { breakerOpen, signInLost } from "../../src/notify/events.ts";
import { type NotifierSetting, notifierPass, tell } from "../../src/notify/notifier.ts";
import { dueAt, recipientsOf } from "../../src/notify/recipients.ts";
import { openStore } from "../../src/storage/open-store.ts";
import type { Store } from "../../src/storage/store.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import { approvalKey, type TestServer } from "../storage/server.ts";
import { newSandbox, postedBy, serverOn } from "../storage/world.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const HOUR = 3_600_000;
const MINUTE = 60_000;

let webhook: Awaited<ReturnType<typeof webhookStandIn>>;
let ntfy: Awaited<ReturnType<typeof ntfyStandIn>>;

beforeEach(async () => {
  [webhook, ntfy] = await Promise.all([webhookStandIn(SECRET), ntfyStandIn("tk_secret")]);
});

afterEach(async () => {
  await Promise.all([webhook.close(), ntfy.close()]);
});

interface TestNotifier {
  readonly pass: () => Promise<void>;
  readonly setting: NotifierSetting;
}

/** A notifier of the people that the configuration names, on the database of a server. */
async function notifierFor(
  server: Pick<TestServer, "session" | "clock">,
  people: readonly object[],
  caps: NotifierSetting["caps"] = {},
): Promise<TestNotifier> {
  const config = configSchema.parse({
    notify: {
      people,
      digest_times: ["09:00"],
      ntfy_url: ntfy.url,
      ntfy_token: "tk_secret",
      webhook_secret: SECRET,
    },
  });
  const { channels } = await openChannels({
    notify: config.notify,
    sender: { name: "tuitbot", command: "tuitbot approve" },
    fetch: globalThis.fetch,
    now: Date.now,
    signInLink: async () => undefined,
  });
  const setting: NotifierSetting = {
    ...server.session,
    key: approvalKey,
    now: () => server.clock.now(),
    pageUrl: "https://bot.example",
    config,
    caps,
    recipients: recipientsOf(config.notify.people, channels),
    personNow: async (name) => config.notify.people.find((person) => person.name === name),
    mayStillDecide: async () => true,
    approvalsBy: () => {
      throw new Error("Nobody decides in these tests.");
    },
    leaseMs: 10_000,
    after: () => () => {},
    pause: async () => {},
    watch: () => async () => {},
    onTrouble: (message) => expect.fail(message),
  };
  return {
    setting,
    async pass() {
      const passed = await notifierPass(setting, new AbortController().signal);
      if (!passed.ok) throw new Error(passed.failure.message);
    },
  };
}

const ana = () => ({ name: "Ana", webhook_url: `${webhook.url}/hook` });

async function waiting({ session, clock }: TestServer): Promise<QueuedMutation> {
  const [item] = await pendingItems(session.store.db, session.account, clock.now());
  return item ?? expect.fail("Nothing waits.");
}

const folder = await mkdtemp(join(tmpdir(), "tuitbot-notify-"));
const opened: Store[] = [];

afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  await rm(folder, { recursive: true, force: true });
});

/** A server where everything waits for approval, on a separate database. */
async function world() {
  const store = await openStore(
    { url: undefined, path: join(folder, `${opened.length}.db`) },
    { now: Date.now },
  );
  if (!store.ok) throw store.failure;
  opened.push(store.value);
  const sandbox = newSandbox();
  const { clock } = sandbox;
  const server = serverOn(store.value, sandbox, { config: { mode: "composer" } });
  return { sandbox, server, clock, advance: (ms: number) => clock.advance(ms) };
}

function notices({ session }: TestServer) {
  return session.store.db.selectFrom("notices").selectAll().orderBy("id").execute();
}

onBothEngines("what waits", (stores) => {
  test("is sent once, marked as decided in every channel, and sent again after an edit", async () => {
    const sandbox = newSandbox();
    const server = serverOn(await stores.open(), sandbox, { config: { mode: "composer" } });
    const { pass } = await notifierFor(server, [{ ...ana(), ntfy_topic: "anas-topic" }]);
    await server.call("x_post_tweet", { text: "Rye today.\u202e" });
    await pass();
    await pass();
    expect(webhook.got).toEqual([
      {
        id: expect.stringMatching(/^tuitbot-\d+-\d+$/),
        type: "tuitbot.approval_waiting",
        data: {
          title: "Approve post ($0.015)?",
          // Invisible characters are spelled out, as on every surface.
          text: expect.stringContaining("\n│ Rye today.<U+202E>\n"),
          link: "https://bot.example/#/inbox/1",
          item: { id: 1, status: "pending" },
        },
      },
    ]);
    expect(ntfy.shown("anas-topic")).toMatchObject([
      { title: "Approve post ($0.015)?", actions: [{ action: "view", label: "Open" }] },
    ]);

    const shown = await waiting(server);
    const args = { text: "Spelt today." };
    await editItem(server.session.store, approvalKey, {
      ...server.session,
      id: shown.id,
      digest: shown.digest,
      args,
      media: [],
      claim: identityOf(server.session.account, "x_post_tweet", args).claim,
      estimatedMicros: 15_000,
      editor: "somebody else",
      now: server.clock.now(),
    });
    await pass();
    await pass();
    expect(webhook.got.slice(1)).toMatchObject([
      { data: { text: expect.stringContaining("│ Spelt today."), item: { status: "pending" } } },
      { id: `${webhook.got[0]?.id}-edited`, data: { title: "Item 1 was edited" } },
    ]);

    // Decided elsewhere: every message shows that, and by whom.
    const { id, digest } = await waiting(server);
    await releaseItem(server.releasing, id, { digest, by: 'person via terminal, user "ben"' });
    await pass();
    await pass();
    expect(webhook.got.slice(3)).toMatchObject([
      {
        data: {
          title: expect.stringContaining('done, person via terminal, user "ben"'),
          item: { status: "executed" },
        },
      },
    ]);
    expect(ntfy.shown("anas-topic")).toMatchObject([
      { title: "Item 1 was edited" },
      { title: expect.stringContaining("approved and done") },
    ]);
    expect(postedBy(sandbox)).toHaveLength(1);
  });
});

describe("a message", () => {
  test("that a service does not take is tried again later and later, and given up where that is no use", async () => {
    const { server, advance } = await world();
    const { pass, setting } = await notifierFor(server, [ana()]);
    webhook.answers.push(503, 429);
    await tell(setting, signInLost(setting.now()));
    await pass();
    await pass();
    expect(await notices(server)).toMatchObject([
      { status: "waiting", error: "The webhook answered with status 503." },
    ]);
    advance(5_000);
    await pass();
    // The service asked for seven seconds.
    advance(6_999);
    await pass();
    expect(webhook.got).toEqual([]);
    advance(60_000);
    await pass();
    expect(webhook.got).toMatchObject([{ type: "tuitbot.sign_in_lost" }]);
    webhook.answers.push(410);
    await tell(setting, breakerOpen(setting.now()));
    await pass();
    advance(24 * HOUR);
    await pass();
    expect(webhook.got).toHaveLength(1);
    expect(await notices(server)).toMatchObject([{ status: "closed" }, { status: "failed" }]);
  });

  test("that a process was sending when it was killed is sent by the next, under the same id", async () => {
    const { server, advance } = await world();
    const { setting } = await notifierFor(server, [ana()]);
    await tell(setting, signInLost(setting.now()));
    const dying = new AbortController();
    webhook.answers.push("hang");
    const sending = notifierPass(setting, dying.signal);
    await expect.poll(() => webhook.got.length).toBe(1);
    // It dies without a word: what it would note after this is another try.
    const { pass: next } = await notifierFor(server, [ana()]);
    await next();
    expect(webhook.got).toHaveLength(1);
    advance(61_000);
    await next();
    expect(webhook.got.map(({ id }) => id)).toEqual([webhook.got[0]?.id, webhook.got[0]?.id]);
    await next();
    expect(webhook.got).toHaveLength(2);
    dying.abort();
    await sending;
  });

  test("waits for the end of the quiet hours, and a digest has all of them in one", async () => {
    const { server, clock } = await world();
    const midnight = Math.ceil(clock.now() / (24 * HOUR)) * 24 * HOUR;
    clock.advance(midnight - clock.now());
    const quiet = { ...ana(), quiet_hours: "22:00-07:00" };
    const { pass, setting } = await notifierFor(server, [
      quiet,
      { name: "Ben", ntfy_topic: "bens", when: "digest" },
    ]);
    await tell(setting, signInLost(setting.now()));
    await tell(setting, breakerOpen(setting.now()));
    await server.call("x_post_tweet", { text: "Rye." });
    await pass();
    clock.advance(7 * HOUR - 1);
    await pass();
    expect([webhook.got, ntfy.shown("bens")]).toEqual([[], []]);
    clock.advance(1);
    await pass();
    expect(webhook.got).toHaveLength(3);
    clock.advance(2 * HOUR);
    await pass();
    expect(ntfy.shown("bens")).toMatchObject([
      {
        title: "3 things to know",
        message: expect.stringMatching(/sign-in[\s\S]*pauses[\s\S]*x_post_tweet/),
      },
    ]);
  });

  test.each([
    ["at once", {}, "12:00", "12:00"],
    ["in quiet hours of the same day", { quiet_hours: "11:00-13:30" }, "12:00", "13:30"],
    ["in quiet hours that began yesterday", { quiet_hours: "22:00-07:00" }, "06:59", "07:00"],
    ["at the end of the quiet hours", { quiet_hours: "22:00-07:00" }, "07:00", "07:00"],
    [
      "with the next digest, which falls into them",
      { when: "digest", quiet_hours: "08:00-09:30" },
      "08:30",
      "09:30",
    ],
  ])("is due %s", (_name, person, now, due) => {
    const config = configSchema.parse({ notify: { people: [{ name: "Ana", ...person }] } });
    const [who] = config.notify.people;
    const at = (time: string) => Date.parse(`2026-11-17T${time}:00+01:00`);
    const times = { digest_times: ["09:00"], timezone: "Europe/Vienna" };
    if (who === undefined) return expect.fail("Nobody.");
    expect(dueAt(who, times, at(now))).toBe(at(due));
  });
});

describe("people are notified", () => {
  test("at 80 and at 100 % of a cap, when nothing ran for a day, and of a lost sign-in, once each", async () => {
    const { server, clock, sandbox } = await world();
    const { store, account } = server.session;
    const { pass } = await notifierFor(server, [ana()], { perDay: 1_000_000, perMonth: 50_000_000 });
    const spend = (micros: number) =>
      store.db
        .insertInto("spend")
        .values({ account, period: new Date(clock.now()).toISOString().slice(0, 10), micros })
        .onConflict((conflict) => conflict.columns(["account", "period"]).doUpdateSet({ micros }))
        .execute();
    const titles = () => webhook.got.map(({ data }) => data.title);
    await spend(799_999);
    await pass();
    expect(titles()).toEqual([]);
    await spend(800_000);
    await pass();
    // Another post would go beyond the cap, and is refused.
    await spend(990_000);
    await pass();
    await spend(995_000);
    await pass();
    expect(titles()).toEqual(["80 % of the cap per day is spent", "The cap per day is reached"]);

    await store.db
      .insertInto("loops")
      .values({ account, name: "content", cursor: null, ran_at: clock.now(), failures: 0 })
      .execute();
    clock.advance(24 * HOUR - 1);
    await pass();
    expect(titles()).toHaveLength(2);
    clock.advance(MINUTE);
    await pass();
    await pass();
    expect(titles().slice(2)).toEqual(["The autopilot has not run for a day"]);

    sandbox.faults.add({ operation: "getUsersMe", kind: "unauthorized", count: 2 });
    expect(await server.call("x_get_me", {})).toMatchObject({ error: { code: "x_auth_expired" } });
    await server.flush();
    await pass();
    await pass();
    expect(titles().slice(3)).toEqual(["X no longer accepts the sign-in"]);
  });

  test("only of what they want to know", async () => {
    const { server } = await world();
    const { pass, setting } = await notifierFor(server, [{ ...ana(), kinds: ["breaker_open"] }]);
    await server.call("x_post_tweet", { text: "Rye." });
    await tell(setting, signInLost(setting.now()));
    await pass();
    expect(webhook.got).toEqual([]);
  });
});
