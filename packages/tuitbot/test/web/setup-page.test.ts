import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { cast } from "@toolpact/x-sandbox";
import { parse } from "smol-toml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildPage } from "../../../tuitbot-web/test/built-page.ts";
import { chromiumPath, openChromium } from "../../../tuitbot-web/test/chromium.ts";
import { type MadeUpX, madeUpX, sentBackTo } from "../made-up-x.ts";
import { newHome, type Served, serve } from "./served.ts";

const path = chromiumPath();

describe.skipIf(path === undefined)("the set-up in Chromium", () => {
  const { home, remove } = newHome();
  const file = join(home, ".tuitbot/config.toml");
  let x: MadeUpX;
  let served: Served;
  let browser: Awaited<ReturnType<typeof openChromium>>;
  let page: Awaited<ReturnType<typeof browser.newPage>>;

  beforeAll(async () => {
    x = await madeUpX();
    for (const text of [
      "#sourdough needs time.",
      "My #sourdough woke up.",
      "Bakers, what is your #sourdough?",
    ])
      x.sandbox.say(cast.owner, text);
    mkdirSync(join(home, ".cursor"));
    await buildPage();
    const { TUITBOT_X_API__CLIENT_ID: _, ...env } = x.env;
    served = await serve(home, { words: ["web", "--no-open"], env });
    browser = await openChromium(path ?? "");
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    context.setDefaultTimeout(20_000);
    page = await context.newPage();
    await page.goto(`${served.url}#signin=${served.link}`);
    await page.locator(".app").waitFor();
    await page.goto(`${served.url}#/setup`);
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await served?.stop();
    await x?.[Symbol.asyncDispose]();
    remove();
  });

  /** Answers the question that contains these words; nothing takes what is proposed. */
  async function answer(message: string, value?: string): Promise<void> {
    const question = page.locator(".question", { hasText: message });
    await question.waitFor();
    if (value === undefined) return question.locator("button.primary").click();
    if (await question.getByRole("button", { name: value, exact: true }).isVisible())
      return question.getByRole("button", { name: value, exact: true }).click();
    const field = question.getByRole("textbox");
    if (await field.isVisible()) await field.fill(value);
    else await question.getByText(value).click();
    await question.getByRole("button", { name: "Next" }).click();
  }

  test("leads from nobody signed in to an account, a file and a client, in the words of tuitbot init", async () => {
    const before = x.sandbox.world.posts.size;
    await page.getByRole("button", { name: "Begin" }).click();
    await page
      .getByText(
        `Callback URI / Redirect URL  http://127.0.0.1:${x.env.TUITBOT_AUTH__CALLBACK_PORT}/callback`,
      )
      .waitFor();
    await answer("Open https://console.x.com in the browser?");
    expect(await page.getByRole("link", { name: "Open this link" }).getAttribute("href")).toBe(
      "https://console.x.com",
    );
    await answer("Client ID", "has spaces in it");
    await page.getByText("Paste the id; it has no spaces.").waitFor();
    await answer("Client ID", "desk-app");
    await answer("Type of App that you chose");
    await answer("Write this?");
    await answer("Sign in to X");
    const link = page.getByRole("link", { name: "Open this link" }).last();
    await expect.poll(() => link.getAttribute("href")).toContain("oauth2/authorize");
    await fetch(sentBackTo(x.sandbox, (await link.getAttribute("href")) ?? ""));
    await page.getByText("Signed in as @sandbox_owner").waitFor();
    await answer("dollars a day", "2");
    await answer("dollars a month", "20");
    await answer("Your time zone", "America/New_York");
    await answer("Times for posts that take the next free slot", "09:30, 17:00");
    await answer("Hours of the day in which automation may work");
    await answer("Language model that writes");
    await answer("Read your last 20 posts");
    const keywords = page.getByLabel("Keywords to find posts by");
    await keywords.waitFor();
    expect(await keywords.inputValue()).toContain("sourdough");
    await answer("Keywords to find posts by");
    await expect.poll(() => page.getByLabel("How you write").inputValue()).toContain("short sentences");
    await answer("How you write");
    await answer("What you post about", "Crumb");
    await answer("The same in one sentence", "A timer for bakers.");
    await answer("Notify you when something needs your approval");
    await answer("Write this?");
    await answer("MCP clients on this machine");
    await answer("Write this?");
    await answer("A first post");
    await page.getByText("It would wait until you approve it").waitFor();
    await page.getByText("end it with Ctrl-C, and start it again").waitFor();
    expect(x.sandbox.world.posts.size).toBe(before);
    expect(structuredClone(parse(readFileSync(file, "utf8")))).toMatchObject({
      x_api: { client_id: "desk-app" },
      budget: { max_usd_per_day: 2, max_usd_per_month: 20 },
      business: { product_name: "Crumb" },
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(home, ".cursor/mcp.json"), "utf8")).mcpServers.tuitbot).toBeDefined();
    const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect(wide).toBe(0);
  });

  test("keeps what is set when it is run again, shows the same to every window, and stops whole", async () => {
    const first = readFileSync(file, "utf8");
    await page.getByRole("button", { name: "Run it again" }).click();
    await answer("Keep the X app with the client id desk-app?");
    await page.getByText("Stay signed in as this account?").waitFor();
    const other = await page.context().newPage();
    await other.goto(`${served.url}#/setup`);
    await other
      .locator(".question", { hasText: "Stay signed in" })
      .getByRole("button", { name: "Yes" })
      .click();
    await answer("dollars a day");
    await other.getByText("At most how many dollars a month?").waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await other.getByText("Stopped. Your answers so far are saved").waitFor();
    expect(readFileSync(file, "utf8")).toBe(first);
    expect(existsSync(`${file}.new`)).toBe(false);
  });
});
