import { globSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Browser as Chromium, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser, newHome, type Served, serve, tuitbot } from "../../tuitbot/test/web/served.ts";
import { buildPage } from "./built-page.ts";
import { chromiumPath, openChromium } from "./chromium.ts";

const path = chromiumPath();

/** The views that show figures and the autopilot, on a sandbox with some history. */
describe.skipIf(path === undefined)("figures and the autopilot in Chromium", () => {
  let chromium: Chromium;
  let served: Served;
  let owner: Browser;
  let page: Page;
  const { home, remove } = newHome();

  beforeAll(async () => {
    await buildPage();
    served = await serve(home, { env: { TUITBOT_MODE: "autopilot" } });
    owner = new Browser(served.url);
    await owner.signIn(served.link);
    await served.call("find_reply_opportunities", { min_score: 0, limit: 5 });
    await served.call("create_draft", {
      texts: ["Rye, tomorrow."],
      scheduled_for: new Date(Date.now() + 20 * 3_600_000).toISOString(),
    });
    chromium = await openChromium(path ?? "");
    const context = await chromium.newContext({ viewport: { width: 1280, height: 900 } });
    context.setDefaultTimeout(20_000);
    const [name = "", value = ""] = owner.cookie.split("=");
    await context.addCookies([{ name, value, url: served.url }]);
    page = await context.newPage();
  }, 120_000);

  afterAll(async () => {
    await chromium?.close();
    await served?.stop();
    remove();
  });

  function openDatabase(): DatabaseSync {
    const [file = ""] = globSync(`${home}/.tuitbot/sandboxes/*/tuitbot.db`);
    return new DatabaseSync(file, { timeout: 5_000 });
  }

  async function open(view: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(`${served.url}#/${view}`);
    await page.locator(".page").waitFor();
  }

  test("switches a loop off and on, which the command line and a dry run see", async () => {
    await open("autopilot");
    const discovery = page.getByRole("switch", { name: /^Discovery/ });
    await expect.poll(() => discovery.getAttribute("aria-checked")).toBe("true");
    await discovery.click();
    await page.getByText(/Switched off .*, by person via web/).waitFor();
    expect(await discovery.getAttribute("aria-checked")).toBe("false");
    const status = JSON.parse(await tuitbot(home, ["status", "--output", "json"])) as object;
    expect(status).toMatchObject({ loops_off: ["discovery"] });
    expect(await tuitbot(home, ["status"])).toMatch(/loops off +discovery: tuitbot loops on NAME/);
    await page.getByRole("button", { name: "Dry run now" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.locator("li", { hasText: "Discovery" }).getByText("would not run: switched off").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    // Another process switches it on again, and the dashboard gets the event.
    expect(await tuitbot(home, ["loops", "on", "discovery"])).toContain("discovery is on.");
    await expect.poll(() => discovery.getAttribute("aria-checked")).toBe("true");
    expect(await tuitbot(home, ["loops", "list"])).toMatch(/^discovery +on +/m);
  });

  test("opens the rows that a figure was computed from, and says what is unknown", async () => {
    const proposed = await served.call("x_post_tweet", { text: "Crumb before crust." });
    expect(proposed).toMatchObject({ data: { status: "queued" } });
    const { body } = await owner.command("pending");
    const item = body.items.find(({ posts }) => posts[0]?.text === "Crumb before crust.");
    await owner.command("approve", { id: item?.id ?? 0, digest: item?.digest ?? "" });
    await open("analytics");
    await page.getByText("You published 1 post and 0 replies in the last 7 days").waitFor();
    await page.getByRole("button", { name: "See the posts of: Views per day" }).click();
    const rows = page.getByRole("dialog").locator("tbody tr");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    expect(await rows.textContent()).toMatch(/Crumb before crust\..*not measured yet$/);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  });

  test("colors no hour and calls no post best on one post, and has a page for each post", async () => {
    // A post is measured a day after it went out.
    await open("analytics");
    const database = openDatabase();
    database.exec("update publications set published_at = published_at - 172800000");
    database.close();
    expect(await served.call("refresh_analytics")).toMatchObject({ data: { measured: 1 } });
    await open("analytics");
    const [post] = (await owner.command("performance")).body.posts;
    const { figures, published_at = "" } = post ?? {};
    const weekday = new Intl.DateTimeFormat("en-US", { weekday: "long", timeZone: "UTC" }).format(
      new Date(published_at),
    );
    const hour = `${published_at.slice(11, 13)}:00`;
    await page.getByText(`1 of them is measured: ${figures?.impressions} views`).waitFor();
    expect(await page.locator(".heatmap button").count()).toBe(1);
    expect(await page.locator(".heat:not(.level-0)").count()).toBe(0);
    expect(await page.locator("main").textContent()).not.toContain("highest score");
    await page.getByText("Posts are ranked once five of them are measured").waitFor();
    await page.goto(`${served.url}#/analytics/${post?.id}`);
    await page.locator(".post-text", { hasText: "Crumb before crust." }).waitFor();
    expect(await page.locator(".facts").textContent()).toContain(`Views${figures?.impressions}`);
    await page.getByText("too few measured posts").waitFor();
    await page.goBack();
    await page.getByRole("button", { name: new RegExp(`^${weekday} ${hour}: [0-9.]+, on 1 post$`) }).click();
    const row = page.getByRole("dialog").locator("tbody tr");
    expect(await row.textContent()).toMatch(/Crumb before crust\..*\d$/);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    // Charts as their tables.
    await page.keyboard.press("t");
    await page.getByRole("table", { name: "Views per day" }).getByRole("row").nth(1).waitFor();
  });

  test("includes posts that were made outside tuitbot once they are read", async () => {
    await open("analytics");
    await page.getByRole("button", { name: "Measure now" }).click();
    await page.getByText(/\d+ posts measured\. \d+ were made outside tuitbot\./).waitFor();
    const { posts } = (await owner.command("performance", { days: 365 })).body;
    const elsewhere = posts.find(({ is_elsewhere, figures }) => is_elsewhere && figures !== null);
    expect(elsewhere).toBeDefined();
    await page.goto(`${served.url}#/analytics/${elsewhere?.id}`);
    await page.getByText("Made outside tuitbot.", { exact: true }).waitFor();
    // They count like all others.
    await open("analytics");
    await page.locator(".ranked li").first().waitFor();
  });

  test("forecasts the month from whole days", async () => {
    await open("spend");
    await page.getByText("Available after one full day").waitFor();
    const database = openDatabase();
    const { account } = database.prepare("select account from web_sessions").get() ?? {};
    const asked = database.prepare(
      "insert into ledger (account, call_id, caller, tool, operation, at, estimated_micros, settled_micros, failed) values (?, ?, 'desk', 'x_search_tweets', 'searchPostsRecent', ?, ?, ?, 0)",
    );
    const now = new Date();
    for (const [days, micros] of [
      [1, 100_000],
      [2, 300_000],
    ] as const)
      asked.run(String(account), `seeded-${days}`, now.getTime() - days * 86_400_000, micros, micros);
    database.close();
    await open("spend");
    const { month_usd } = (await owner.command("spend")).body;
    const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
    const expected = month_usd + (0.2 * (end - now.getTime())) / 86_400_000;
    const forecast = page.locator(".figure", { hasText: "Forecast this month" });
    await forecast.getByText("with 1 scheduled post, and $0.20 a day for the rest").waitFor();
    const shown = Number((await forecast.locator(".big").textContent())?.replace("$", ""));
    expect(shown).toBeCloseTo(expected, 1);
  });

  test("says in the activity who did what, by which rule, and with which receipt", async () => {
    await open("activity");
    const entry = page.locator(".entry", { hasText: "Crumb before crust." });
    await entry.filter({ hasText: "done" }).getByText("decided by").waitFor();
    await page.locator(".entry-day", { hasText: "Today" }).waitFor();
    expect(await entry.filter({ hasText: "done" }).textContent()).toContain("$0.015");
    await entry.filter({ hasText: "done" }).locator(".entry-main").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("confirmed").first().waitFor();
    await dialog.getByText("approved by a person").waitFor();
    await dialog.getByRole("link", { name: "See how it did" }).click();
    await page.locator(".post-text", { hasText: "Crumb before crust." }).waitFor();
    await open("activity");
    await entry.filter({ hasText: "done" }).getByRole("button", { name: "Undo" }).waitFor();
    await served.call("x_post_tweet", { text: "Held by a rule." });
    await page.locator(".entry-main", { hasText: "Held by a rule." }).click();
    // The rule by its reason, with its id.
    await dialog.getByText(/^[A-Z].+\. \([\w:*]+\)$/).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    const csv = readFileSync(await (await download).path(), "utf8");
    expect(csv.split("\r\n")[0]).toBe("When,Who,What,Text,Status,Rule,Price");
    expect(csv).toContain("Crumb before crust.");
  });

  test("shows what each agent spent, and what the next week costs with its rows", async () => {
    await open("spend");
    const agents = page.locator(".panel", { hasText: "By agent" });
    await agents.locator("li", { hasText: "agent of the test" }).first().waitFor();
    const { body } = await owner.command("spend");
    for (const { cost } of body.callers)
      expect(await agents.textContent()).toContain(cost.toFixed(3).replace(/0$/, ""));
    await page.getByRole("button", { name: "See the posts of: Next 7 days" }).click();
    const row = page.getByRole("dialog").locator("li", { hasText: "Rye, tomorrow." });
    expect(await row.textContent()).toMatch(/needs approval.*\$0\.015$/);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  });

  test("tests a call against the policy, and shows whose account it is and its caps", async () => {
    await open("policy");
    const tester = page.locator(".tester");
    await tester.getByLabel("Action").selectOption("x_like_tweet");
    await tester
      .getByLabel("Link or id of the post")
      .fill("https://x.com/somebody/status/1234567890123456789");
    await tester.locator(".verdict").first().waitFor();
    expect(await tester.textContent()).toMatch(/\$0\.0\d\d/);
    const caps = page.locator(".panel", { hasText: "Account and caps" });
    expect(await caps.textContent()).toMatch(/@sandbox_owner.*A day\$5\.00A month\$50\.00/);
  });

  test("rehearses days ahead, shows what would happen with reasons, and changes nothing", async () => {
    await open("autopilot");
    const { body: before } = await owner.command("pending");
    await page.getByRole("button", { name: "1 day", exact: true }).click();
    await page.getByRole("button", { name: "Rehearse", exact: true }).click();
    const report = page.locator(".rehearsed");
    await report.waitFor({ timeout: 60_000 });
    const scheduled = report.locator("li", { hasText: "Rye, tomorrow." });
    await report.locator("details:not([open]) summary").evaluateAll((all) => {
      for (const one of all) if (one instanceof HTMLElement) one.click();
    });
    await scheduled.getByText("waits for you").waitFor();
    await scheduled.getByText("nobody has approved it yet").waitFor();
    await report.getByText("Assumptions").waitFor();
    const { body: after } = await owner.command("pending");
    expect(after.items.map(({ id }) => id)).toEqual(before.items.map(({ id }) => id));
  });

  test("counts proposals that expired, in the inbox, and lists them in the activity", async () => {
    const database = openDatabase();
    database.exec("update approvals set status = 'expired' where status = 'pending'");
    database.close();
    await page.goto("about:blank");
    await page.goto(`${served.url}#/inbox`);
    await page.getByText(/^\d+ proposals? expired in the last 3 days\./).waitFor();
    await page.locator(".expired-note").getByRole("link", { name: "Show" }).click();
    await page.locator(".entry", { hasText: "Held by a rule." }).getByText("expired").waitFor();
    expect(page.url()).toContain("#/activity?status=expired");
  });
});
