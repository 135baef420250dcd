import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { buttonsOf, type Slack, slackStandIn } from "../../../contract/test/notify/slack.ts";
import { smtpStandIn } from "../../../contract/test/notify/smtp.ts";
import { type Telegram, telegramStandIn } from "../../../contract/test/notify/telegram.ts";
import type { Role, SignedIn } from "../../src/web/api.ts";
import { testApp } from "../command-line.ts";
import { cleanEnv, queuedItem } from "../live-server.ts";
import { signedInEnv } from "../signed-in-env.ts";
import { Browser, newHome, type Served, serve } from "./served.ts";

/** Every way to lose the right to decide, for everybody who decides in some way, at one server that is never restarted. */

const KINDS = ["passphrase", "mail", "telegram", "slack"] as const;
type Kind = (typeof KINDS)[number];

const WAYS = ["deleted", "demoted", "removed", "signed out", "ended"] as const;
type Way = (typeof WAYS)[number];

/** Messengers have no sessions. */
const CASES = KINDS.flatMap((kind) =>
  WAYS.filter(
    (way) => kind === "passphrase" || kind === "mail" || (way !== "signed out" && way !== "ended"),
  ).map((way, index) => ({
    kind,
    way,
    name: `${kind} ${way}`,
    address: addressOf(kind, index),
  })),
);
type Case = (typeof CASES)[number];

function addressOf(kind: Kind, index: number): string {
  if (kind === "telegram") return String(7000 + index);
  return kind === "slack" ? `U0${index}` : `${kind}${index}@mail.example`;
}

const WORDS = "four words nobody joins";
const patience = { timeout: 20_000, interval: 20 };
const { home, remove } = newHome();
let sandbox: Sandbox;
let mail: Awaited<ReturnType<typeof smtpStandIn>>;
let telegram: Telegram;
let slack: Slack;
let env: NodeJS.ProcessEnv;
let served: Served;
let owner: Browser;
const browsers = new Map<string, Browser>();
let item: { readonly id: number; readonly digest: string };
const TEXT = "Waits for somebody who may.";

const people = (...words: readonly string[]) =>
  testApp().run(["people", ...words], {
    env: cleanEnv(home, env),
    typed: () => "",
    // The command asks for secrets alone.
    machine: { prompts: async () => ({ secret: async () => WORDS }) as never },
  });

/** Writes everybody who is not left out into the configuration. */
function configure(roleOf: (one: Case) => Role | undefined): void {
  const tables = CASES.flatMap((one) => {
    const role = roleOf(one);
    if (role === undefined || one.kind === "passphrase") return [];
    const key = one.kind === "mail" ? "email" : `${one.kind}_id`;
    return [`[[notify.people]]\nname = "${one.name}"\nrole = "${role}"\n${key} = "${one.address}"\n`];
  });
  writeFileSync(join(home, "config.toml"), tables.join("\n"));
}

function statusOf(id: number): unknown {
  const database = new DatabaseSync(env.TUITBOT_STORAGE__DB_PATH ?? "", { readOnly: true, timeout: 5_000 });
  try {
    return database.prepare("select status from approvals where id = ?").get(id)?.status;
  } finally {
    database.close();
  }
}

const browserOf = ({ name }: Case): Browser => browsers.get(name) ?? expect.fail(`${name} has no browser.`);

beforeAll(async () => {
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  [telegram, slack, mail] = await Promise.all([
    telegramStandIn(),
    slackStandIn(),
    smtpStandIn("bot", "mail-secret"),
  ]);
  configure(() => "approver");
  env = {
    ...(await signedInEnv(home, sandbox)),
    TUITBOT_CONFIG: join(home, "config.toml"),
    TUITBOT_SERVER__PUBLIC_URL: "https://bot.example",
    TUITBOT_NOTIFY__TELEGRAM_BOT_TOKEN: telegram.token,
    TUITBOT_NOTIFY__TELEGRAM_API_URL: telegram.url,
    TUITBOT_NOTIFY__SMTP_URL: mail.url,
    TUITBOT_NOTIFY__EMAIL_FROM: "tuitbot <bot@mail.example>",
    TUITBOT_NOTIFY__SLACK_BOT_TOKEN: "xoxb-1",
    TUITBOT_NOTIFY__SLACK_APP_TOKEN: "xapp-1",
    TUITBOT_NOTIFY__SLACK_API_URL: slack.url,
  };
  served = await serve(home, { words: ["mcp", "serve", "--http", "0"], env });
  owner = new Browser(served.url);
  await owner.signIn(served.link);
  const id = queuedItem(await served.call("x_post_tweet", { text: TEXT })) ?? expect.fail("Not queued.");
  for (const one of CASES) {
    const browser = new Browser(served.url);
    if (one.kind === "passphrase") {
      expect(await people("add", one.name, "--role", "approver")).toMatchObject({ code: 0 });
      const answered = await browser.post<SignedIn>("/api/sign-in", { name: one.name, passphrase: WORDS });
      expect(answered, one.name).toMatchObject({ status: 200, body: { role: "approver" } });
      browser.csrf = answered.body.csrf_token;
    } else if (one.kind === "mail")
      expect(await browser.signIn(await linkFor(one))).toMatchObject({ status: 200 });
    else await vi.waitFor(() => expect(buttonFor(one), one.name).toBeDefined(), patience);
    browsers.set(one.name, browser);
  }
  const { items } = (await owner.command("pending")).body;
  item = items.find((waiting) => waiting.id === id) ?? expect.fail("It does not wait.");
}, 120_000);

afterAll(async () => {
  await served?.stop();
  await Promise.all([sandbox.close(), mail.close(), telegram.close(), slack.close()]);
  remove();
});

/** The last link that was sent to somebody. */
async function linkFor({ address }: Case): Promise<string> {
  const sent = () => mail.mails.findLast(({ to }) => to.includes(address))?.text ?? "";
  await vi.waitFor(() => expect(sent()).toContain("#signin="), patience);
  return /#signin=([\w.-]+)/.exec(sent())?.[1] ?? "";
}

function buttonFor({ kind, address }: Case): string | undefined {
  if (kind === "telegram")
    return telegram.chats
      .find(({ chat, text }) => chat === address && text.includes(TEXT))
      ?.buttons.find(({ text }) => text === "Approve")?.callback_data;
  const message = slack.messages.find(
    ({ channel, blocks }) => channel === `D${address}` && JSON.stringify(blocks).includes(TEXT),
  );
  return message && buttonsOf(message).find(({ action_id }) => action_id === "approve")?.value;
}

/** Tries to approve and to edit the item in the way in which somebody decides. */
async function tryToDecide(one: Case): Promise<void> {
  switch (one.kind) {
    case "telegram":
      return void (await telegram.press(one.address, buttons.get(one.name)));
    case "slack":
      return slack.press(one.address, { action_id: "approve", value: buttons.get(one.name) ?? "" });
    default: {
      const browser = browserOf(one);
      const { id, digest } = item;
      const tried = [
        await browser.command("approve", { id, digest }),
        await browser.command("approve_many", { items: [{ id, digest }] }),
        await browser.command("next_slot", { id, digest }),
        await browser.command("reject", { id, digest }),
        await browser.command("edit", { id, digest, args: { text: "Something else." } }),
        await browser.command("stop"),
      ];
      for (const { status } of tried) expect(status, one.name).toBe(one.way === "demoted" ? 403 : 401);
    }
  }
}

/** As they were when the messages were sent. */
const buttons = new Map<string, string>();

const LOSE: Readonly<Record<Way, (cases: readonly Case[]) => Promise<void>>> = {
  async deleted(cases) {
    configure((one) => (one.way === "deleted" ? undefined : "approver"));
    for (const { name, kind } of cases) if (kind === "passphrase") await people("remove", name);
  },
  async demoted(cases) {
    configure((one) => (one.way === "deleted" ? undefined : one.way === "demoted" ? "viewer" : "approver"));
    // A new role ends the sessions too; the person signs in again.
    for (const one of cases) {
      if (one.kind !== "passphrase") continue;
      await people("add", one.name, "--role", "viewer");
      expect(await browserOf(one).command("status")).toMatchObject({ status: 401 });
      const answered = await browserOf(one).post<SignedIn>("/api/sign-in", {
        name: one.name,
        passphrase: WORDS,
      });
      browserOf(one).csrf = answered.body.csrf_token;
    }
  },
  async removed(cases) {
    // Independent of the configuration.
    for (const { name } of cases) expect(await people("remove", name)).toMatchObject({ code: 0 });
  },
  async "signed out"(cases) {
    for (const { name } of cases) expect(await people("sign-out", name)).toMatchObject({ code: 0 });
  },
  async ended(cases) {
    const { sessions } = (await owner.command("sessions")).body;
    for (const { name } of cases) {
      const { id = "" } = sessions.find(({ person }) => person === name) ?? {};
      expect(await owner.command("session_end", { id })).toMatchObject({ status: 200 });
    }
  },
};

test("everybody sees their own sessions, and an owner all of them", async () => {
  const all = (await owner.command("sessions")).body.sessions;
  expect(all.filter(({ is_this }) => is_this)).toMatchObject([
    { role: "owner", signed_in_by: "printed_link" },
  ]);
  const withSession = CASES.filter(({ kind }) => kind === "passphrase" || kind === "mail");
  expect(all.map(({ person }) => person)).toEqual(
    expect.arrayContaining(withSession.map(({ name }) => name)),
  );
  const [one, other] = withSession;
  if (one === undefined || other === undefined) throw new Error("There are cases.");
  const own = (await browserOf(one).command("sessions")).body.sessions;
  expect(own).toMatchObject([{ person: one.name, is_this: true, role: "approver" }]);
  const { id = "" } = all.find(({ person }) => person === other.name) ?? {};
  expect(await browserOf(one).command("session_end", { id })).toMatchObject({ status: 409 });
  expect(await browserOf(other).command("status")).toMatchObject({ status: 200 });
});

describe.each(WAYS)("somebody who is %s", (way) => {
  const cases = CASES.filter((one) => one.way === way);

  test(`decides nothing any more: ${cases.map(({ kind }) => kind).join(", ")}`, async () => {
    for (const one of cases) buttons.set(one.name, buttonFor(one) ?? "");
    const streams = await Promise.all(
      cases
        .filter(({ kind }) => kind === "passphrase" || kind === "mail")
        .map(async (one) => ({ one, response: await browserOf(one).request("/api/events") })),
    );
    // A request whose body comes later.
    const half = await Promise.all(
      cases.filter(({ kind }) => kind === "passphrase" || kind === "mail").map(halfSent),
    );
    await LOSE[way](cases);
    for (const { one, status } of half)
      expect(await status(), one.name).toBe(way === "demoted" && one.kind === "mail" ? 403 : 401);
    for (const one of cases) await tryToDecide(one);
    expect(statusOf(item.id)).toBe("pending");
    for (const { one, response } of streams) {
      // Viewers listen too; and of a change of the file a stream finds out with its next heartbeat.
      const goesOn = one.kind === "mail" && (way === "demoted" || way === "deleted");
      if (goesOn) await response.body?.cancel();
      else expect(await response.text(), one.name).toContain("retry:");
    }
  }, 60_000);
});

/** Sends the head of an approval, and the body only when asked for its status. */
async function halfSent(one: Case) {
  const { hostname, port, host } = new URL(served.url);
  const { cookie, csrf } = browserOf(one);
  const body = JSON.stringify({ id: item.id, digest: item.digest });
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /api/commands/approve HTTP/1.1\r\nhost: ${host}\r\ncookie: ${cookie}\r\nx-tuitbot-csrf: ${csrf}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n{`,
  );
  await once(socket, "connect");
  return {
    one,
    async status() {
      socket.write(body.slice(1));
      const [bytes] = (await once(socket, "data")) as [Buffer];
      socket.destroy();
      return Number(/^HTTP\/1\.1 (\d+)/.exec(String(bytes))?.[1]);
    },
  };
}

test("links that were sent before a person was signed out or removed sign nobody in", async () => {
  const [signedOut, removed, kept] = ["signed out", "removed", "ended"].map(
    (way) => CASES.find((one) => one.kind === "mail" && one.way === way) ?? expect.fail(way),
  ) as [Case, Case, Case];
  const before = mail.mails.length;
  await served.call("x_post_tweet", { text: "Another, with new links." });
  await expect
    .poll(() => mail.mails.slice(before).map(({ to }) => to.join()))
    .toEqual(
      expect.arrayContaining([
        expect.stringContaining(signedOut.address),
        expect.stringContaining(kept.address),
      ]),
    );
  // Nothing is sent to somebody who was removed or deleted.
  const later = mail.mails
    .slice(before)
    .flatMap(({ to }) => to)
    .join();
  expect(later).not.toContain(removed.address);
  const [voided, working] = [await linkFor(signedOut), await linkFor(kept)];
  await people("sign-out", signedOut.name);
  const signIn = async (link: string) => (await new Browser(served.url).signIn(link)).status;
  expect([await signIn(voided), await signIn(working)]).toEqual([401, 200]);
  expect(await people("add", removed.name, "--role", "viewer")).toMatchObject({ code: 0 });
  expect(statusOf(item.id)).toBe("pending");
  expect(await owner.command("approve", { id: item.id, digest: item.digest })).toMatchObject({ status: 200 });
  expect(JSON.parse((await people("sign-out", "--all", "--output", "json")).out)).toMatchObject({
    signed_out: expect.any(Number),
  });
  expect(await owner.command("status")).toMatchObject({ status: 401 });
});
