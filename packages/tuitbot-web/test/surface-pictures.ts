import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { buttonsOf, slackStandIn } from "../../contract/test/notify/slack.ts";
import { smtpStandIn } from "../../contract/test/notify/smtp.ts";
import { ntfyStandIn, webhookStandIn } from "../../contract/test/notify/stand-ins.ts";
import { telegramStandIn } from "../../contract/test/notify/telegram.ts";
import { newHome, serve } from "../../tuitbot/test/web/served.ts";
import { chatWindow } from "./app-window.ts";
import { buildPage } from "./built-page.ts";
import { chromiumPath, openChromium } from "./chromium.ts";
import { textsOn, WEBP, writePicture } from "./picture-files.ts";
import { serviceFrames } from "./service-frames.ts";

/**
 * Takes the pictures of docs/approve-anywhere.md, also alone: `node --conditions=toolpact-source
 * packages/tuitbot-web/test/surface-pictures.ts`. One call waits at a real server on the sandbox. The chat is the
 * official host bridge; messages are drawn as their services do, from what the stand-ins received.
 */
const WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const path = chromiumPath();
if (path === undefined) throw new Error("There is no Chromium here. Install it, or name it in CHROMIUM.");
await buildPage();
const [telegram, slack, mail, ntfy, webhook] = await Promise.all([
  telegramStandIn(),
  slackStandIn(),
  smtpStandIn("bot", "mail-secret"),
  ntfyStandIn("tk_secret"),
  webhookStandIn(WEBHOOK_SECRET),
]);
const { home, remove } = newHome();
const people = [
  {
    name: "Ana",
    telegram_id: "1001",
    slack_id: "U0ANA",
    email: "ana@mail.example",
    ntfy_topic: "anas-topic",
    webhook_url: `${webhook.url}/hook`,
  },
];
const served = await serve(home, {
  env: {
    TUITBOT_SERVER__PUBLIC_URL: "https://bot.example",
    TUITBOT_NOTIFY__PEOPLE: JSON.stringify(people),
    TUITBOT_NOTIFY__TELEGRAM_BOT_TOKEN: telegram.token,
    TUITBOT_NOTIFY__TELEGRAM_API_URL: telegram.url,
    TUITBOT_NOTIFY__SLACK_BOT_TOKEN: "xoxb-1",
    TUITBOT_NOTIFY__SLACK_APP_TOKEN: "xapp-1",
    TUITBOT_NOTIFY__SLACK_API_URL: slack.url,
    TUITBOT_NOTIFY__SMTP_URL: mail.url,
    TUITBOT_NOTIFY__EMAIL_FROM: "tuitbot <bot@mail.example>",
    TUITBOT_NOTIFY__NTFY_URL: ntfy.url,
    TUITBOT_NOTIFY__NTFY_TOKEN: "tk_secret",
    TUITBOT_NOTIFY__WEBHOOK_SECRET: WEBHOOK_SECRET,
  },
});
const chromium = await openChromium(path);
const client = new Client({ name: "chat", version: "1" });
try {
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/mcp", served.url), {
      requestInit: { headers: { authorization: `Bearer ${served.token}` } },
    }),
  );
  const found = await served.call("find_reply_opportunities", { min_score: 0, limit: 1 });
  const [candidate] = Object(found.data).candidates ?? [];
  await inTheChat(candidate.id);
  await asSent();
} finally {
  await client.close();
  await chromium.close();
  await served.stop();
  await Promise.all([telegram, slack, mail, ntfy, webhook].map(({ close }) => close()));
  remove();
}

async function inTheChat(answered: string): Promise<void> {
  const page = await newPage(720);
  const chat = await chatWindow(page, client);
  const { frame } = await chat.call("x_reply_to_tweet", {
    in_reply_to_id: answered,
    text: "Temperature first: 5 °C colder about doubles the time. Go by the dough and not by the clock.",
  });
  await frame.getByText("needs your approval").waitFor();
  await page.waitForTimeout(500);
  await take(page, "approve-chat");
  await frame.getByRole("button", { name: "Propose another text" }).click();
  await frame.locator("textarea").fill("Temperature first: 5 °C colder about doubles the time.");
  await page.waitForTimeout(500);
  await take(page, "approve-chat-edit");
  const preview = await chat.call("create_draft", {
    texts: ["Rye at ten percent: more taste, hardly more work. #sourdough", "How I do it: example.com/rye"],
  });
  await preview.frame.getByText("Draft").first().waitFor();
  await page.waitForTimeout(500);
  await take(page, "chat-post-preview");
}

async function asSent(): Promise<void> {
  const page = await newPage(640);
  const lastsIn = <T>(list: readonly T[]) => list.at(-1);
  for (let tries = 0; tries < 100; tries++) {
    if (lastsIn(mail.mails) && lastsIn(slack.messages) && lastsIn(webhook.got) && ntfy.shown("anas-topic")[0])
      break;
    await page.waitForTimeout(100);
  }
  const chatted = lastsIn(telegram.chats);
  await draw(page, "approve-telegram", (frames) =>
    frames.chat(chatted?.text ?? "", [
      ...(chatted?.buttons.map(({ text }) => text) ?? []),
      ...(chatted?.links ?? []),
    ]),
  );
  const message = lastsIn(slack.messages);
  const sections = message?.blocks.flatMap(({ type, text }) =>
    type === "section" ? [String(Object(text).text)] : [],
  );
  const buttons = message === undefined ? [] : buttonsOf(message);
  await draw(page, "approve-slack", (frames) =>
    frames.channel(
      sections ?? [],
      buttons.map((button) => String(Object(Object(button).text).text)),
    ),
  );
  const sent = lastsIn(mail.mails);
  await draw(page, "approve-email", (frames) =>
    frames.mail({
      from: "tuitbot <bot@mail.example>",
      to: sent?.to.join(", ") ?? "",
      subject: /^subject: (.*)$/im.exec(sent?.source ?? "")?.[1] ?? "",
      // Keeps the sign-in secret out of the picture.
      text: sent?.text.replace(/(#signin=.{6})[^/\s]+/, "$1…") ?? "",
    }),
  );
  const { title, message: text, actions } = Object(ntfy.shown("anas-topic").at(-1));
  await draw(page, "approve-ntfy", (frames) =>
    frames.push(
      title,
      text,
      actions.map((action: { label: string }) => action.label),
    ),
  );
  const { id, type, data } = lastsIn(webhook.got) ?? { id: "", type: "", data: {} };
  await draw(page, "approve-webhook", (frames) =>
    frames.request({ "webhook-id": id }, JSON.stringify({ type, data }, null, 2)),
  );
}

async function draw(
  page: Page,
  name: string,
  frame: (frames: typeof serviceFrames) => string,
): Promise<void> {
  await page.setContent(`<!doctype html><meta charset="utf-8">${frame(serviceFrames)}`);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await take(page, name, []);
}

async function newPage(width: number): Promise<Page> {
  const context = await chromium.newContext({
    viewport: { width, height: 400 },
    deviceScaleFactor: 2,
    colorScheme: "light",
    locale: "en-GB",
    reducedMotion: "reduce",
  });
  return context.newPage();
}

async function take(page: Page, name: string, texts?: readonly string[]): Promise<void> {
  const height = await page.evaluate(() =>
    Math.ceil(document.documentElement.getBoundingClientRect().height),
  );
  await page.setViewportSize({ width: page.viewportSize()?.width ?? 720, height });
  writePicture(`${name}.webp`, await page.screenshot(WEBP), texts ?? (await textsOn(page)));
}
