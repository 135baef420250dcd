import { globSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "playwright-core";
import { Browser, newHome, serve } from "../../tuitbot/test/web/served.ts";
import { buildPage } from "./built-page.ts";
import { chromiumPath, openChromium } from "./chromium.ts";
import { textsOn, WEBP, writePicture } from "./picture-files.ts";
import { sandboxWeek } from "./sandbox-week.ts";

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

const LOOKS = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: "light", isMobile: true, hasTouch: true },
} as const;

/** A minute passes in a second, so the server's loops catch up with a clock that was moved forward by days. */
const SPEED = 60;
const ENV = {
  TUITBOT_MODE: "composer",
  TUITBOT_SCHEDULE__TIMEZONE: "Europe/Vienna",
  TUITBOT_SCHEDULE__POSTING_SLOTS: "09:30,17:00",
};

/** Takes the pictures of docs/web-app.md from a real server on the sandbox, if Chromium is available; about two minutes. */
export async function takePictures(only: readonly string[] = VIEWS): Promise<void> {
  const path = chromiumPath();
  if (path === undefined) throw new Error("There is no Chromium here. Install it, or name it in CHROMIUM.");
  await buildPage();
  const { home, remove } = newHome();
  const words = ["mcp", "serve", "--sandbox", "--http", "0", "--speed", String(SPEED)];
  const served = await serve(home, { words, env: ENV, agent: "Claude Code" });
  const chromium = await openChromium(path);
  try {
    const person = new Browser(served.url);
    await person.signIn(served.link);
    await sandboxWeek(served, person, sandboxUrl(home));
    const [name = "", value = ""] = person.cookie.split("=");
    for (const [look, options] of Object.entries(LOOKS)) {
      const context = await chromium.newContext({
        ...options,
        deviceScaleFactor: 2,
        locale: "en-GB",
        timezoneId: ENV.TUITBOT_SCHEDULE__TIMEZONE,
        reducedMotion: "reduce",
      });
      await context.addCookies([{ name, value, url: served.url }]);
      const page = await context.newPage();
      for (const view of VIEWS.filter((one) => only.includes(one))) {
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
}

/** The address of the sandbox's control routes, which is announced with the first call. */
function sandboxUrl(home: string): () => string {
  return () => {
    const [file = ""] = globSync(`${home}/.tuitbot/sandboxes/*/running.json`);
    // Written by the server.
    return (JSON.parse(readFileSync(file, "utf8")) as { readonly url: string }).url;
  };
}

async function prepare(page: Page, view: string, look: string): Promise<void> {
  const isPhone = look === "phone";
  // Views that belong together are taken together.
  const tall: Readonly<Record<string, number>> = { calendar: 960, analytics: 1320, autopilot: 1560 };
  if (!isPhone) await page.setViewportSize({ width: 1280, height: tall[view] ?? 800 });
  if (view === "autopilot") {
    await page.getByRole("button", { name: "Rehearse", exact: true }).click();
    await page.locator(".rehearsed").waitFor({ timeout: 180_000 });
    // On a phone the rehearsal is below what fits.
    if (isPhone) await page.locator(".rehearsed").evaluate((report) => report.scrollIntoView());
  }
  if (view === "inbox" && isPhone) await page.locator(".item-row > button").first().click();
  if (view === "compose")
    await page
      .locator(".editor textarea")
      .fill(
        "Rye at ten percent: more taste, hardly more work. Ask @amber_lemur, or read example.com/rye #sourdough",
      );
  if (view === "policy") await page.locator(".tester textarea").fill("A post with a link: example.com/rye");
  if (view === "compose" || view === "policy") await page.locator(".verdict").first().waitFor();
}

async function take(page: Page, name: string): Promise<void> {
  writePicture(`${name}.webp`, await page.screenshot(WEBP), await textsOn(page));
}
