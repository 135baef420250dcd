import { globSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newHome, tuitbot } from "../../tuitbot/test/web/served.ts";
import { axeFindings } from "./axe.ts";
import { hasChromium, openSignedIn, type SignedInPage } from "./signed-in-page.ts";

const LOOKS = [
  { name: "desktop", width: 1280, height: 1000 },
  { name: "phone", width: 390, height: 844 },
] as const;

/** An agent with its own token proposes posts, and a person decides in Chromium. */
describe.skipIf(!hasChromium)("learned rules in Chromium", () => {
  const { home, remove } = newHome();
  let opened: SignedInPage;
  let agent: Client;

  beforeAll(async () => {
    opened = await openSignedIn(home, { env: { TUITBOT_MODE: "autopilot", TUITBOT_APPROVAL_MODE: "true" } });
    const added = await tuitbot(home, ["agents", "add", "baker", "--output", "json"]);
    const { token } = JSON.parse(added) as { readonly token: string };
    agent = new Client({ name: "baker", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await agent.connect(
      new StreamableHTTPClientTransport(new URL("/mcp", opened.served.url), { requestInit }),
    );
  }, 120_000);

  afterAll(async () => {
    await agent?.close();
    await opened?.chromium.close();
    await opened?.served.stop();
    remove();
  });

  const post = async (text: string) =>
    (await agent.callTool({ name: "x_post_tweet", arguments: { text } })).structuredContent;

  async function open(view: string): Promise<void> {
    await opened.page.goto("about:blank");
    await opened.page.goto(`${opened.served.url}#/${view}`);
    await opened.page.locator(".app").waitFor();
  }

  /** Checks for findings and for anything wider than the screen, in each look; keeps pictures if a folder is named. */
  async function look(name: string): Promise<void> {
    const { page } = opened;
    const folder = process.env.LEARNED_PICTURES;
    for (const { name: device, width, height } of LOOKS)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        expect(await axeFindings(page)).toEqual([]);
        const wide = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(await wide()).toBeLessThanOrEqual(0);
        if (folder !== undefined)
          await page.screenshot({ path: `${folder}/${name}-${device}-${colorScheme}.png` });
      }
    await page.setViewportSize({ width: 1280, height: 1000 });
  }

  test("a proposal shows its decisions, and accepting it lets the next call through", async () => {
    const { page } = opened;
    await open("inbox");
    for (const loaf of [1, 2, 3, 4, 5]) {
      expect(await post(`Bread of the day: loaf ${loaf}.`)).toMatchObject({ data: { status: "queued" } });
      await page.getByRole("button", { name: "Approve and send" }).click();
      await expect.poll(() => page.getByRole("button", { name: "Approve and send" }).count()).toBe(0);
      await page.getByText("Approved and sent").last().waitFor();
    }
    // Some of the decisions were made yesterday.
    const [file = ""] = globSync(`${home}/.tuitbot/sandboxes/*/tuitbot.db`);
    const database = new DatabaseSync(file, { timeout: 5_000 });
    database.exec("update approvals set decided_at = decided_at - 86400000 where id <= 3");
    database.close();

    await open("policy");
    const panel = page.getByRole("region", { name: "Learned rules" });
    await panel.getByText("Accept", { exact: true }).waitFor();
    expect(await panel.textContent()).toContain("You approved all 5 posts");
    await panel.getByText("5 decisions it is based on").click();
    expect(await panel.locator(".examples").first().locator("blockquote").allTextContents()).toEqual(
      [1, 2, 3, 4, 5].map((loaf) => `Bread of the day: loaf ${loaf}.`),
    );
    await panel.scrollIntoViewIfNeeded();
    await look("proposal");
    await panel.getByRole("button", { name: "Accept" }).click();
    await page.getByText("Rule 1 is on.").waitFor();
    expect(await post("Bread of the day: loaf 6.")).toMatchObject({ data: { id: expect.any(String) } });
  }, 120_000);

  test("Activity shows what a rule decided, from its row and by its filter", async () => {
    const { page } = opened;
    await open("policy");
    const panel = page.getByRole("region", { name: "Learned rules" });
    await panel.getByText("1 of ").waitFor();
    await look("rule");
    await panel.getByRole("link", { name: "What it decided" }).click();
    const entries = page.locator(".entry");
    await expect.poll(() => entries.count()).toBe(1);
    expect(await entries.textContent()).toContain("loaf 6");
    const filter = page.getByRole("combobox", { name: "Rule" });
    expect(await filter.inputValue()).toBe("learned:1");
    await look("activity");
    await entries.locator(".entry-main").click();
    const origin = page.getByRole("dialog").locator(".rule-origin");
    await origin.getByText("5 decisions it is based on").waitFor();
    await look("origin");
    await page.keyboard.press("Escape");
    await filter.selectOption("");
    await expect.poll(() => entries.count()).toBeGreaterThan(1);
    await filter.selectOption("learned:1");
    await expect.poll(() => entries.count()).toBe(1);
  }, 120_000);

  test("turning a rule off asks again at once", async () => {
    const { page } = opened;
    await open("policy");
    const panel = page.getByRole("region", { name: "Learned rules" });
    await panel.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("Rule 1 is off. You are asked again.").waitFor();
    await panel.getByText("off", { exact: true }).waitFor();
    expect(await panel.getByRole("button", { name: "Turn off" }).count()).toBe(0);
    expect(await post("Bread of the day: loaf 7.")).toMatchObject({ data: { status: "queued" } });
  }, 60_000);

  test("Allow similar in the inbox approves the item and adds a rule", async () => {
    const { page } = opened;
    await open("inbox");
    await page.getByText("Allow similar…").click();
    await look("similar");
    await page.getByRole("button", { name: "Approve, and allow for a week" }).click();
    await page.getByText("Approved and sent. Rule 2 lets similar calls through.").waitFor();
    expect(await post("Bread of the day: loaf 8.")).toMatchObject({ data: { id: expect.any(String) } });
    await open("policy");
    await page.getByRole("region", { name: "Learned rules" }).getByText("Rule 2").waitFor();
  }, 60_000);
});
