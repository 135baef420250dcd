import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newHome } from "../../tuitbot/test/web/served.ts";
import { hasChromium, openSignedIn, type SignedInPage } from "./signed-in-page.ts";

/** Mentions, settings, search and undo. */
describe.skipIf(!hasChromium)("the dashboard as a workplace", () => {
  let here: SignedInPage;
  let page: Page;
  const { home, remove } = newHome();
  const file = join(home, ".tuitbot", "config.toml");

  beforeAll(async () => {
    mkdirSync(join(home, ".tuitbot"), { recursive: true });
    writeFileSync(file, '# My notes.\n[schedule]\n# Where the shop is.\ntimezone = "UTC"\n');
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
  }

  /** Posts as somebody else in the sandbox. */
  async function postAs(user: string, text: string): Promise<void> {
    const [running = ""] = globSync(`${home}/.tuitbot/sandboxes/*/running.json`);
    // Written by the server.
    const { url } = JSON.parse(readFileSync(running, "utf8")) as { readonly url: string };
    const post = async (path: string, body: object, token?: string) => {
      const headers = {
        "content-type": "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      const answer = await fetch(new URL(path, url), { method: "POST", headers, body: JSON.stringify(body) });
      expect(answer.ok, await answer.clone().text()).toBe(true);
      return (await answer.json()) as { readonly access_token: string };
    };
    const { access_token } = await post("/_sandbox/tokens", { user });
    await post("/2/tweets", { text }, access_token);
  }

  test("a mention is read, snoozed with an undo, and answered from the dashboard", async () => {
    const me = Object((await here.served.call("x_get_me")).data) as { readonly username: string };
    await open("#/mentions");
    await page.getByRole("heading", { name: "No mentions yet" }).waitFor();
    await postAs("amber_lemur", `@${me.username} which flour is that?`);
    await page.getByRole("button", { name: "Check now" }).click();
    const row = page.locator(".stranger", { hasText: "which flour is that?" });
    await row.waitFor();
    await page.getByRole("button", { name: /^Unanswered \d/ }).waitFor();
    await row.getByRole("button", { name: "Snooze" }).click();
    await row.waitFor({ state: "detached" });
    await page
      .getByText(/^Snoozed until .*9:00/)
      .first()
      .waitFor();
    await page.keyboard.press("u");
    await row.waitFor();
    await row.getByRole("button", { name: "Reply" }).click();
    await page.getByLabel("Your reply").fill("Spelt, from the mill next door.");
    await page.getByRole("button", { name: "Send the reply" }).click();
    // It is sent when the ten seconds for an undo are over.
    await page.getByRole("button", { name: /^Answered/ }).click();
    await row.waitFor({ timeout: 40_000 });
  }, 60_000);

  test("settings are changed in the same file with its comments kept, and a wrong value is refused", async () => {
    await open("#/setup");
    await page.getByLabel("Time zone").fill("Mars/Olympus");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.locator(".settings-form [role=alert]").waitFor();
    expect(readFileSync(file, "utf8")).toContain('timezone = "UTC"');
    await page.getByLabel("Time zone").fill("America/New_York");
    await page.getByLabel("Posts per day").fill("7");
    await page.getByLabel("Posting slots").fill("08:15\nMon 18:30");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("Saved. Restart tuitbot").waitFor();
    const written = readFileSync(file, "utf8");
    expect(written).toContain("# My notes.");
    expect(written).toContain("# Where the shop is.");
    expect(written).toContain('timezone = "America/New_York"');
    expect(written).toContain("max_tweets_per_day = 7");
    expect(written).toMatch(/posting_slots = \[\s*"08:15",\s*"Mon 18:30"\s*\]/);
    await page.getByText("Some saved settings are used after a restart").waitFor();
    await page.keyboard.press("u");
    await expect.poll(() => readFileSync(file, "utf8")).toContain('timezone = "UTC"');
  });

  test("search finds views, drafts and actions by keyboard, and u always answers", async () => {
    await here.served.call("create_draft", { texts: ["A draft about whey."] });
    await open("#/policy");
    await page.locator(".page").waitFor();
    await page.keyboard.press("u");
    await page.getByText("Nothing to undo here.").waitFor();
    await page.keyboard.press("/");
    await page.getByRole("dialog").getByRole("combobox").fill("about whey");
    await page.getByRole("option", { name: /A draft about whey/ }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toContain("#/compose/");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("spen");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toContain("#/spend");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    expect((await download).suggestedFilename()).toBe("tuitbot-spend.csv");
  });

  test("the search in Compose opens a draft, and leaves the list of drafts as it was", async () => {
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    await here.served.call("create_draft", { texts: ["A draft under the search."] });
    await open("#/compose");
    const drafts = page.getByRole("region", { name: "Drafts" });
    await drafts.getByText("A draft under the search.").waitFor();
    await page.keyboard.press("Control+k");
    const search = page.getByRole("dialog");
    await search.getByRole("combobox").fill("under the search");
    await search.getByRole("option", { name: /A draft under the search/ }).waitFor();
    await page.keyboard.press("Enter");
    await search.waitFor({ state: "detached" });
    await expect.poll(() => page.locator(".editor textarea").inputValue()).toBe("A draft under the search.");
    await here.served.call("create_draft", { texts: ["One that was drafted since."] });
    await drafts.getByText("One that was drafted since.").waitFor();
    expect(errors).toEqual([]);
  });

  test("times are in the zone of the schedule, whichever zone the browser is in", async () => {
    const at = `${new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)}T14:00:00.000Z`;
    await here.served.call("create_draft", { texts: ["At two, by the schedule."], scheduled_for: at });
    const elsewhere = await here.chromium.newContext({ timezoneId: "America/New_York", locale: "en-US" });
    await elsewhere.addCookies(await here.context.cookies());
    const other = await elsewhere.newPage();
    await other.goto(`${here.served.url}#/compose`);
    const row = other.getByRole("button", { name: /At two, by the schedule/ });
    await row.waitFor();
    expect(await row.textContent()).toContain("2:00 PM UTC");
    await elsewhere.close();
  });

  test("is installable: the manifest and its icon are served", async () => {
    const answer = await page.request.get(`${here.served.url}tuitbot.webmanifest`);
    expect(answer.headers()["content-type"]).toContain("application/manifest+json");
    const manifest = (await answer.json()) as { readonly icons: readonly { readonly src: string }[] };
    const icon = await page.request.get(new URL(manifest.icons[0]?.src ?? "", here.served.url).href);
    expect(icon.headers()["content-type"]).toBe("image/svg+xml");
  });
});
