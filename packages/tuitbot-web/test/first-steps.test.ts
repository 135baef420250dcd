import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Browser as Chromium, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashPassphrase } from "../../tuitbot/src/app/sign-in/passphrase.ts";
import { newHome, type Served, serve } from "../../tuitbot/test/web/served.ts";
import { axeFindings } from "./axe.ts";
import { buildPage } from "./built-page.ts";
import { chromiumPath, openChromium } from "./chromium.ts";

const path = chromiumPath();

describe.skipIf(path === undefined)("the first steps in the inbox", () => {
  let chromium: Chromium;
  let served: Served;
  let page: Page;
  const { home, remove } = newHome();
  /** Everything that the server sent to the page. */
  const bodies: Promise<string>[] = [];

  beforeAll(async () => {
    await buildPage();
    served = await serve(home);
    chromium = await openChromium(path ?? "");
    page = await newPage();
    page.on("response", (response) => {
      if (!response.url().includes("/api/events")) bodies.push(response.text().catch(() => ""));
    });
    await page.goto(`${served.url}#signin=${served.link}`);
  }, 120_000);

  afterAll(async () => {
    await chromium?.close();
    await served?.stop();
    remove();
  });

  async function newPage(): Promise<Page> {
    const context = await chromium.newContext({
      viewport: { width: 1440, height: 900 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    context.setDefaultTimeout(20_000);
    return context.newPage();
  }

  const step = (title: string, where = page) =>
    where.locator(".first-steps li", { has: where.getByRole("heading", { name: title }) });
  const copied = () => page.evaluate(() => navigator.clipboard.readText());

  test("connect an agent with a line that works in a shell, without sending the token to the page", async () => {
    await step("Connect").getByRole("button", { name: "Copy" }).click();
    await step("Connect").getByRole("button", { name: "Copied" }).waitFor();
    const line = await copied();
    expect(await step("Connect").locator("code").textContent()).toBe(line);
    const claude = `claude() { printf '%s\\n' "$@"; }\n${line}`;
    expect(execFileSync("bash", ["-c", claude], { encoding: "utf8" }).trim().split("\n")).toEqual([
      ..."mcp add --transport http tuitbot".split(" "),
      `${served.url}mcp`,
      "--header",
      `Authorization: Bearer ${served.token}`,
    ]);
    expect(served.token.length).toBeGreaterThan(20);
    expect((await Promise.all(bodies)).join("\n")).not.toContain(served.token);
  });

  test("ask with the words that the terminal prints too", async () => {
    await step("Ask").getByRole("button", { name: "Copy" }).click();
    await step("Ask").getByRole("button", { name: "Copied" }).waitFor();
    expect(served.printed).toContain(`"${await copied()}"`);
  });

  test.each(["light", "dark"] as const)(
    "have nothing that axe-core finds fault with, %s",
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      expect(await axeFindings(page)).toEqual([]);
    },
  );

  test("are not for somebody who may not do everything", async () => {
    const [file = ""] = globSync(`${home}/.tuitbot/sandboxes/*/tuitbot.db`);
    const database = new DatabaseSync(file, { timeout: 5_000 });
    const { account } = database.prepare("select account from web_sessions").get() ?? {};
    const words = "four words nobody joins";
    database
      .prepare("insert into web_people (account, name, role, passphrase, created_at) values (?, ?, ?, ?, 0)")
      .run(String(account), "ann", "approver", await hashPassphrase(words));
    database.close();
    const ann = await newPage();
    await ann.goto(served.url);
    await ann.getByLabel("Name").fill("ann");
    await ann.getByLabel("Passphrase").fill(words);
    await ann.getByRole("button", { name: "Sign in" }).click();
    await ann.getByText("You're all caught up").waitFor();
    expect(await ann.locator(".first-steps").count()).toBe(0);
    const status = await ann.evaluate(async () => {
      const { csrf_token } = await (await fetch("/api/session")).json();
      const headers = { "content-type": "application/json", "x-tuitbot-csrf": csrf_token };
      return (await fetch("/api/commands/first_steps", { method: "POST", headers, body: "{}" })).status;
    });
    expect(status).toBe(403);
    await ann.context().close();
  });

  test("follow the agent: connected, then its first proposal, and are gone once that is decided", async () => {
    await step("Approve").getByText("Waiting for the first proposal").waitFor();
    expect(await step("Connect").locator(".step-mark.done").count()).toBe(0);
    await served.call("x_search_tweets", { query: "sourdough" });
    await step("Connect").locator(".step-mark.done").waitFor();
    await served.call("x_post_tweet", { text: "The first thing that an agent proposes." });
    await page.locator(".item-row", { hasText: "The first thing that an agent proposes." }).waitFor();
    await page.keyboard.press("a");
    await page.getByText("You're all caught up").waitFor();
    expect(await page.locator(".first-steps").count()).toBe(0);
    await page.getByRole("link", { name: "See what was sent" }).click();
    await page.getByText("The first thing that an agent proposes.").waitFor();
  });

  test("name the agent that proposes a reply, and show its words in Activity", async () => {
    const { data } = await served.call("find_reply_opportunities", { query: "sourdough" });
    const { candidates } = data as { readonly candidates: readonly { readonly id: string }[] };
    const items = [{ candidate_id: candidates[0]?.id, pre_drafted_text: "A warmer corner did it." }];
    await served.call("propose_and_queue_replies", { items });
    await page.goto(`${served.url}#/inbox`);
    await page.locator(".item-row", { hasText: "A warmer corner did it." }).waitFor();
    expect(await page.locator("main").textContent()).not.toContain("propose_and_queue_replies");
    await page.goto(`${served.url}#/activity`);
    const proposed = page.locator(".entry-text", { hasText: "Propose and queue replies" });
    await proposed.waitFor();
    expect(await proposed.textContent()).toContain("A warmer corner did it.");
    expect(await proposed.textContent()).not.toContain("candidate_id");
  });
});
