import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "playwright-core";
import { Browser, newHome, type Served, serve } from "../../tuitbot/test/web/served.ts";
import { buildPage } from "./built-page.ts";
import { chromiumPath, openChromium } from "./chromium.ts";

/**
 * Takes the pictures of docs/web-app.md from a real server on the sandbox:
 * `node --conditions=toolpact-source packages/tuitbot-web/test/pictures.ts`. They are made by hand when the page
 * changes, since no two runs are alike to the letter. It takes some minutes: a week passes in the sandbox.
 */
const DAYS = Number(process.argv[2] ?? 8);
const SPEED = 3_600;
const DAY_MS = 86_400_000 / SPEED;

const VIEWS = [
  "inbox",
  "compose",
  "calendar",
  "analytics",
  "spend",
  "activity",
  "autopilot",
  "discovery",
  "policy",
  "setup",
] as const;

/** Names of views may follow the number of days, to take only those. */
const ONLY: readonly string[] = process.argv.length > 3 ? process.argv.slice(3) : VIEWS;

const LOOKS = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: "light" },
} as const;

const TOPICS = ["starter", "crumb", "crust", "flour", "oven", "hydration", "shaping"];
const LINES = [
  "Warm water woke my starter faster than any flour did.",
  "A dense crumb is nearly always time, seldom technique.",
  "Score deeper than you dare. The crust forgives.",
  "Rye at ten percent: more taste, hardly more work.",
  "My oven lies by 20 °C. A thermometer cost less than three bad loaves.",
  "Wet dough is not a goal. Handle what you can shape.",
  "Shape twice, rest twenty minutes between. That is the whole secret.",
];

const SPEED_OPTIONS = ["mcp", "serve", "--sandbox", "--http", "0", "--speed", String(SPEED)];
const ENV = {
  TUITBOT_MODE: "composer",
  TUITBOT_SCHEDULE__TIMEZONE: "Europe/Vienna",
  TUITBOT_SCHEDULE__POSTING_SLOTS: "09:30,17:00",
  TUITBOT_INTERVALS__MENTIONS_CHECK_SECONDS: "21600",
  TUITBOT_INTERVALS__DISCOVERY_SEARCH_SECONDS: "43200",
};

const path = chromiumPath();
if (path === undefined) throw new Error("There is no Chromium here. Install it, or name it in CHROMIUM.");
await buildPage();
const { home, remove } = newHome();
const served = await serve(home, { words: SPEED_OPTIONS, env: ENV });
const chromium = await openChromium(path);
try {
  const person = new Browser(served.url);
  await person.signIn(served.link);
  await aWeek(served, person);
  const [name = "", value = ""] = person.cookie.split("=");
  for (const [look, options] of Object.entries(LOOKS)) {
    const context = await chromium.newContext({ ...options, locale: "en-GB", reducedMotion: "reduce" });
    await context.addCookies([{ name, value, url: served.url }]);
    const page = await context.newPage();
    for (const view of ONLY) {
      if (view === "inbox") await waiting(served, person);
      if (view === ONLY[0] || view === "compose") await scheduled(served, person, look);
      await page.goto("about:blank");
      await page.goto(`${served.url}#/${view}`);
      await page.locator(".page, .inbox").first().waitFor();
      while ((await page.locator(".ghost").count()) > 0) await pause(100);
      await prepare(page, view, look);
      await pause(400);
      await take(page, `web-${view}-${look}`);
    }
    await context.close();
  }
} finally {
  await chromium.close();
  await served.stop();
  remove();
}

/** An agent proposes a few posts a day, at hours that differ, and a person approves them. */
async function aWeek({ call }: Served, person: Browser): Promise<void> {
  for (let day = 0; day < DAYS; day++) {
    for (const part of [0.35, 0.5, 0.72]) {
      const at = day * 3 + Math.round(part * 4);
      const text = `${LINES[at % LINES.length]} (${TOPICS[(day + at) % TOPICS.length]}, note ${day * 3 + Math.round(part * 10)})`;
      await call("x_post_tweet", { text });
      await approveAll(person);
      await pause(DAY_MS / 3.4);
    }
  }
}

async function approveAll(person: Browser): Promise<void> {
  const { body } = await person.command("pending");
  for (const { id, digest } of body.items ?? []) await person.command("approve", { id, digest });
}

/** Drafts, of which most are scheduled for the days to come. */
async function scheduled({ call }: Served, person: Browser, look: string): Promise<void> {
  const session = await person.session();
  const start = session.signed_in ? Date.parse(session.now) : Date.now();
  const HOUR = 3_600_000;
  for (const [hours, text] of [
    [26, "Three things I changed in my starter this winter, and the one that mattered."],
    [33, "Why your oven's steam setting is not steam."],
    [50, "A loaf a day for a month: what 30 crumbs taught me about patience."],
    [57, "Ask me anything about rye, Friday at five."],
    [75, "The mill answered. Here is what stone-ground means."],
  ] as const) {
    const at = Math.round((start + hours * HOUR) / HOUR) * HOUR;
    const ending = { light: "", dark: " ", phone: "  " }[look] ?? "";
    await call("create_draft", { texts: [`${text}${ending}`], scheduled_for: new Date(at).toISOString() });
  }
  const { body } = await person.command("pending");
  const due = (body.items ?? []).filter(({ schedule }) => schedule !== undefined);
  // One stays unapproved, to show how that looks.
  for (const { id, digest } of due.slice(0, -1)) await person.command("approve", { id, digest });
}

/** What waits when the inbox is photographed. */
async function waiting({ call }: Served, person: Browser): Promise<void> {
  const { body } = await person.command("pending");
  for (const { id, digest } of body.items ?? []) await person.command("reject", { id, digest });
  const found = await call("find_reply_opportunities", { min_score: 30, limit: 5 });
  const { candidates = [] } = Object(found.data) as { candidates?: readonly Candidate[] };
  const about = (words: RegExp) => candidates.find(({ text }) => words.test(text));
  const first = about(/fridge|colder|dense|flat|twenty hours/i) ?? candidates[0];
  const second = candidates.find(({ id }) => id !== first?.id);
  await call("x_reply_to_tweet", {
    in_reply_to_id: first?.id,
    text: "Temperature first: 5 °C colder about doubles the time. Go by the dough and not by the clock: it is ready when it has grown by half and wobbles.",
  });
  await call("x_post_tweet", {
    text: "Three flours, one recipe, one oven. The photos look alike; the taste does not. #sourdough",
  });
  await call("x_post_thread", {
    tweets: [
      "Why your oven's steam setting is not steam. A thread with measurements.",
      "Steam is invisible. What you see is fog: water that has already given its heat away.",
      "A tray of water gives 40 g in ten minutes. A closed pot gives 180 g, from the dough alone.",
    ],
  });
  await call("x_reply_to_tweet", {
    in_reply_to_id: second?.id,
    text: "What does your kitchen have in degrees? That would be the first thing to write down.",
  });
}

async function prepare(page: Page, view: string, look: string): Promise<void> {
  // The charts are below each other, and belong together.
  const tall: Readonly<Record<string, number>> = { analytics: 1320, autopilot: 1560 };
  const height = look === "phone" ? 844 : (tall[view] ?? 800);
  await page.setViewportSize({ width: look === "phone" ? 390 : 1280, height });
  if (view === "autopilot") {
    await page.getByRole("button", { name: "Rehearse", exact: true }).click();
    await page.locator(".rehearsed").waitFor({ timeout: 180_000 });
    // On a phone the rehearsal is below what fits.
    if (look === "phone") await page.locator(".rehearsed").scrollIntoViewIfNeeded();
  }
  if (view === "inbox" && look === "phone") await page.locator(".item-row > button").first().click();
  if (view === "compose")
    await page
      .locator(".editor textarea")
      .fill(
        "Rye at ten percent: more taste, hardly more work. Ask @amber_lemur, or read example.com/rye #sourdough",
      );
  if (view === "policy") await page.locator(".tester textarea").fill("A post with a link: example.com/rye");
  if (view === "compose" || view === "policy") await page.locator(".verdict").first().waitFor();
}

/** WebP is a third of the size of PNG at the same look. */
async function take(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 90 });
  const file = join(import.meta.dirname, "../../../docs/pictures", `${name}.webp`);
  writeFileSync(file, Buffer.from(data, "base64"));
  console.log(`wrote docs/pictures/${name}.webp`);
}

interface Candidate {
  readonly id: string;
  readonly text: string;
}
