import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { parse } from "smol-toml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newHome } from "../../tuitbot/test/web/served.ts";
import { axeFindings } from "./axe.ts";
import { hasChromium, openSignedIn, type SignedInPage } from "./signed-in-page.ts";

const FILE = `# My notes.
[schedule]
active_days = [
  "Mon",
  "Tue", # market
] # short weeks

[[notify.people]]
name = "Ben" # the baker
ntfy_topic = "ben-8f3a"
`;

describe.skipIf(!hasChromium)("settings of the dashboard", () => {
  let here: SignedInPage;
  let page: Page;
  const { home, remove } = newHome();
  const file = join(home, ".tuitbot", "config.toml");
  const written = () => parse(readFileSync(file, "utf8"));

  beforeAll(async () => {
    mkdirSync(join(home, ".tuitbot"), { recursive: true });
    writeFileSync(file, FILE);
    here = await openSignedIn(home);
    ({ page } = here);
  }, 120_000);

  afterAll(async () => {
    await here?.chromium.close();
    await here?.served.stop();
    remove();
  });

  async function open(address: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(`${here.served.url}${address}`);
    await page.locator(".page, .inbox, .empty, .first-steps").first().waitFor();
  }

  async function save(): Promise<void> {
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("Saved. Restart tuitbot").first().waitFor();
  }

  test("who is asked, notified and when is changed in the file, with comments kept and secrets hidden", async () => {
    await open("#/setup");
    const days = page.getByRole("group", { name: "Active days" });
    await days.getByLabel("Wed").check();
    await page
      .getByRole("group", { name: "Always ask me before" })
      .getByLabel("Like", { exact: true })
      .uncheck();
    await page.getByLabel("API key").fill("key-of-the-test");
    const people = page.getByRole("group", { name: "Who is notified" });
    expect(await people.getByLabel("ntfy topic").inputValue()).not.toContain("8f3a");
    await people.getByLabel("Quiet hours").fill("22:00-07:00");
    await people.getByRole("button", { name: "Add a person" }).click();
    await people.getByLabel("Name").last().fill("Ana");
    await people.getByLabel("E-mail").last().fill("ana@mail.example");
    await people.getByLabel("May").last().selectOption("owner");
    await save();
    expect(written()).toMatchObject({
      schedule: { active_days: ["Mon", "Tue", "Wed"] },
      llm: { api_key: "key-of-the-test" },
      notify: {
        people: [
          { name: "Ben", ntfy_topic: "ben-8f3a", quiet_hours: "22:00-07:00" },
          { name: "Ana", email: "ana@mail.example", role: "owner" },
        ],
      },
    });
    expect(Object(written().mcp_policy).require_approval_for).not.toContain("x_like_tweet");
    for (const comment of ["# My notes.", "# short weeks", "# the baker"])
      expect(readFileSync(file, "utf8")).toContain(comment);
    await open("#/setup");
    expect(await page.getByLabel("API key").getAttribute("placeholder")).toBe("unchanged");
    expect(await page.content()).not.toMatch(/key-of-the-test|ben-8f3a/);
    await page.getByText("Advanced: every setting in use").click();
    expect(await page.locator(".advanced pre").textContent()).toContain('active_days = ["Mon", "Tue"]');
  });

  test("a person is removed with an undo, and a wrong address is refused with the reason", async () => {
    await open("#/setup");
    const people = page.getByRole("group", { name: "Who is notified" });
    await people.getByLabel("E-mail").last().fill("not an address");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.locator(".settings-form [role=alert]", { hasText: "notify.people" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await people.getByRole("button", { name: "Remove" }).last().click();
    await save();
    expect(Object(written().notify).people).toHaveLength(1);
  });

  test("have nothing that axe-core finds fault with, and fit a phone", async () => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open("#/setup");
    await page.getByText("Advanced: every setting in use").click();
    expect(await axeFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(
      await page.evaluate(
        "document.querySelector('.main').scrollWidth - document.querySelector('.main').clientWidth",
      ),
    ).toBe(0);
    await page.setViewportSize({ width: 1280, height: 1000 });
  });

  test("the page is shown in German, with German dates and numbers, and back in English", async () => {
    await open("#/setup");
    await page.getByLabel("Language").selectOption("de");
    await page.getByRole("heading", { name: "Einstellungen" }).first().waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    await open("#/spend");
    await page.getByRole("heading", { name: "Prognose für diesen Monat" }).waitFor();
    expect(await page.locator(".meter").textContent()).toMatch(/^\d+,\d\d\s\$ von 5,00\s\$ heute/);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Tastatur" }).getByRole("button", { name: "Schließen" }).click();
    for (const view of [
      "mentions",
      "compose",
      "calendar",
      "analytics",
      "activity",
      "autopilot",
      "discovery",
      "policy",
      "setup",
      "inbox",
    ]) {
      await open(`#/${view}`);
      await expect.poll(() => page.locator(".ghost").count()).toBe(0);
      expect(await page.locator("main").textContent(), view).not.toMatch(/\b(the|your|and|with|Nothing)\b/);
    }
    await open("#/setup");
    await page.getByLabel("Sprache").selectOption("en");
    await page.getByRole("heading", { name: "Settings" }).first().waitFor();
  });

  test("notifications are turned on here, and one is shown for a new item while nobody looks", async () => {
    await here.context.grantPermissions(["notifications"], { origin: new URL(here.served.url).origin });
    const refused: string[] = [];
    page.on("console", (message) => message.type() === "error" && refused.push(message.text()));
    await open("#/setup");
    await page.getByText("On: you are notified").waitFor();
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    // Chromium without a screen shows every page.
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden' })");
    await here.served.call("x_post_tweet", { text: "Worth a notification." });
    const titles =
      "navigator.serviceWorker.ready.then(async (worker) => (await worker.getNotifications()).map(({ title }) => title))";
    await expect.poll(() => page.evaluate(titles)).toEqual(["1 item needs your approval"]);
    expect(refused).toEqual([]);
  });
});
