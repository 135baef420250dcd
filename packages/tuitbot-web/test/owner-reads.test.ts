import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newHome, tuitbot } from "../../tuitbot/test/web/served.ts";
import { PIXEL } from "./pixel.ts";
import { hasChromium, openSignedIn, type SignedInPage } from "./signed-in-page.ts";

/** An agent whose posts and replies go out at once, to have something to read. */
const FREE = {
  TUITBOT_APPROVAL_MODE: "false",
  TUITBOT_MCP_POLICY__REQUIRE_APPROVAL_FOR: "",
  TUITBOT_MCP_POLICY__RULES: "[]",
};

describe.skipIf(!hasChromium)("an owner reads on the dashboard", () => {
  let here: SignedInPage;
  let page: Page;
  const { home, remove } = newHome();

  beforeAll(async () => {
    here = await openSignedIn(home, { env: FREE });
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
    await page.locator(".page, .inbox").first().waitFor();
  }

  const dataOf = async (tool: string, args: object = {}) =>
    Object((await here.served.call(tool, { ...args })).data) as Readonly<Record<string, unknown>>;

  test("how X will show a post: with a name, a face, a short link and a card", async () => {
    await open("#/compose");
    const link = "https://example.com/bread/how-to-shape-a-loaf?utm_source=newsletter&utm_medium=mail";
    await page.locator(".editor .posts textarea").first().fill(`Worth your morning: ${link}`);
    const post = page.locator(".preview .post");
    await post.locator(".avatar").waitFor();
    expect(await post.locator("header").textContent()).toMatch(/^Sandbox Owner@sandbox_owner/);
    const text = (await post.locator(".post-text").textContent()) ?? "";
    expect(text).toMatch(/^Worth your morning: example\.com\/bread\/\S+…$/);
    await post.locator(".link-card b", { hasText: /^example\.com$/ }).waitFor();
  });

  test("how many posts and replies are out: a thread is one, and a deleted reply none", async () => {
    await dataOf("x_post_thread", { tweets: ["Three flours.", "One oven.", "Same loaf."] });
    const { candidates } = await dataOf("find_reply_opportunities", { min_score: 0, limit: 5 });
    const [{ id }] = candidates as readonly [{ readonly id: string }];
    const text = "Try it colder, and longer.";
    await dataOf("x_reply_to_tweet", { in_reply_to_id: id, text });
    await open("#/inbox");
    await page.getByRole("button", { name: /^Approve and send/ }).click();
    const card = page.locator(".figure", { hasText: "Posts, last 7 days" });
    await open("#/analytics");
    await card.getByText("and 1 reply").waitFor();
    expect(await card.locator(".big").textContent()).toMatch(/^1(?!\d)/);

    await open("#/activity");
    const entry = page.locator(".entry", { hasText: text });
    await entry.getByRole("button", { name: "Undo" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.textContent()).not.toContain("x_delete");
    await dialog.locator("button.danger").click();
    await dialog.waitFor({ state: "detached" });
    await open("#/analytics");
    await card.getByText("and 0 replies").waitFor();
  });

  test("the words of a draft in Activity, and who did what in words", async () => {
    const { draft_id: id } = await dataOf("create_draft", { texts: ["The draft with these words."] });
    const at = new Date(Date.now() + 40 * 3_600_000).toISOString();
    expect(await here.served.call("schedule_draft", { id, scheduled_for: at })).toMatchObject({
      success: true,
    });
    await here.served.call("publish_draft", { id });
    await open("#/activity");
    for (const title of ["Scheduled a draft", "Published a draft"])
      await page
        .locator(".entry", { hasText: title })
        .getByText("The draft with these words.", { exact: true })
        .first()
        .waitFor();
    expect(await page.locator(".entry-said", { hasText: /^Draft \d/ }).count()).toBe(0);
    const shown = [
      ...(await page.locator(".who").allTextContents()),
      ...(await page.getByLabel("By", { exact: true }).locator("option").allTextContents()),
    ];
    expect(shown).toContain("agent of the test");
    expect(shown.filter((who) => /^(approval|draft|undo|web)$|loop:|page:|v1:/.test(who))).toEqual([]);
  });

  test("which of their posts a mention answers", async () => {
    const text = "Rye at ten percent: more taste, hardly more work.";
    const { id } = await dataOf("x_post_tweet", { text });
    const { username } = await dataOf("x_get_me");
    await answerAs("amber_lemur", `@${username} which rye?`, id);
    await open("#/mentions");
    await page.getByRole("button", { name: "Check now" }).click();
    const row = page.locator(".stranger", { hasText: "which rye?" });
    expect(await row.locator(".about").textContent()).toBe(`About your post: ${text}`);
    await row.locator(".about").click();
    await page.locator(".post-text", { hasText: text }).waitFor();
  });

  async function answerAs(user: string, text: string, to: unknown): Promise<void> {
    const [running = ""] = globSync(`${home}/.tuitbot/sandboxes/*/running.json`);
    // Written by the server.
    const { url } = JSON.parse(readFileSync(running, "utf8")) as { readonly url: string };
    const post = async (path: string, body: object, token = "") => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
      const answer = await fetch(new URL(path, url), { method: "POST", headers, body: JSON.stringify(body) });
      expect(answer.ok, await answer.clone().text()).toBe(true);
      return (await answer.json()) as { readonly access_token: string };
    };
    const { access_token } = await post("/_sandbox/tokens", { user });
    await post("/2/tweets", { text, reply: { in_reply_to_tweet_id: to } }, access_token);
  }

  test("in the terminal why a loop of the sandbox has not run", async () => {
    const listed = await tuitbot(home, ["loops", "list"]);
    expect(listed).toMatch(/^mentions +on +never ran +no effect: needs tuitbot run --sandbox$/m);
    expect(listed).toMatch(/^scheduled +on +/m);
    await open("#/autopilot");
    await page
      .locator(".loops li", { hasText: "Mentions" })
      .getByText(/does not run this by itself/)
      .waitFor();
  });

  test("no error any more once the browser is online again", async () => {
    await open("#/policy");
    await here.context.setOffline(true);
    await page.locator(".nav").getByRole("link", { name: "Spend" }).click();
    const problem = page.getByText("Can't reach tuitbot.").first();
    await problem.waitFor();
    await here.context.setOffline(false);
    await problem.waitFor({ state: "detached" });
    await page.locator(".figure", { hasText: "Forecast this month" }).waitFor();
  });

  test("how to sign in where the link of the start is gone", async () => {
    const context = await here.chromium.newContext();
    const stranger = await context.newPage();
    await stranger.goto(here.served.url);
    expect(await stranger.locator(".command").textContent()).toBe("npx tuitbot web");
    await stranger
      .getByText("It works once. For a new link, run this, then come back to this tab:")
      .waitFor();
    await context.close();
  });
});

describe.skipIf(!hasChromium)("an owner decides", () => {
  let here: SignedInPage;
  const { home, remove } = newHome();

  beforeAll(async () => {
    mkdirSync(join(home, ".tuitbot/media"), { recursive: true });
    here = await openSignedIn(home);
  }, 120_000);

  afterAll(async () => {
    await here?.chromium.close();
    await here?.served.stop();
    remove();
  });

  test("about a later slot only for posts that can wait: not for one with a file", async () => {
    const { page, served } = here;
    const file_path = join(home, ".tuitbot/media/crumb.png");
    writeFileSync(file_path, PIXEL);
    const { data } = await served.call("x_upload_media", { file_path, alt_text: "A crumb" });
    const { media_id } = Object(data) as { readonly media_id: string };
    await served.call("x_post_tweet", { text: "With a picture.", media_ids: [media_id] });
    await served.call("x_post_tweet", { text: "Words only." });
    await page.locator(".item-row", { hasText: "With a picture." }).waitFor();
    const slot = page.locator(".item").getByRole("button", { name: /Next free slot/ });
    await page.locator(".item-row button", { hasText: "Words only." }).click();
    await slot.waitFor();
    await page.locator(".item-row button", { hasText: "With a picture." }).click();
    await slot.waitFor({ state: "detached" });
    await page
      .locator(".item")
      .getByRole("button", { name: /Approve and send/ })
      .waitFor();
  });

  test("with the reason for asking in German on the German page", async () => {
    const context = await here.chromium.newContext({
      locale: "de-DE",
      storageState: await here.context.storageState(),
    });
    const german = await context.newPage();
    const { data } = await here.served.call("find_reply_opportunities", { min_score: 0, limit: 1 });
    const { candidates } = Object(data) as { readonly candidates: readonly { readonly id: string }[] };
    await here.served.call("x_reply_to_tweet", {
      in_reply_to_id: candidates[0]?.id,
      text: "Colder, longer.",
    });
    await german.goto(`${here.served.url}#/inbox`);
    await german.locator(".item-row button", { hasText: "Colder, longer." }).click();
    expect(await german.locator(".why .reason").textContent()).toBe(
      "X erlaubt KI-Antworten nur mit Zustimmung von X. Deine Einstellungen verlangen eine Freigabe.",
    );
    await context.close();
  });

  test("with a refusal in German on the German page", async () => {
    const context = await here.chromium.newContext({
      locale: "de-DE",
      storageState: await here.context.storageState(),
    });
    const german = await context.newPage();
    const texts = Array.from({ length: 25 }, (_, index) => `Post ${index + 1} of many.`);
    const { data } = await here.served.call("create_draft", { texts });
    const { draft_id: id } = Object(data) as { readonly draft_id: number };
    await german.goto(`${here.served.url}#/compose/${id}`);
    await german.getByText("Dieser Thread hat 25 Posts; dein Limit ist 10 Posts am Tag.").waitFor();
    await german.getByRole("button", { name: "Veröffentlichen", exact: true }).click();
    const problem = german.locator(".editor > .problem");
    await problem.waitFor();
    expect(await problem.textContent()).toBe("Dieser Thread hat 25 Posts; dein Limit ist 10 Posts am Tag.");
    await context.close();
  });
});

describe.skipIf(!hasChromium)("tuitbot run --sandbox --speed 2400 --web", () => {
  let here: SignedInPage;
  const { home, remove } = newHome();

  beforeAll(async () => {
    const words = ["run", "--sandbox", "--speed", "2400", "--web"];
    here = await openSignedIn(home, { words, env: FREE });
  }, 120_000);

  afterAll(async () => {
    await here?.chromium.close();
    await here?.served.stop();
    remove();
  });

  test("passes hours in seconds: automation runs again and again, and followers come", async () => {
    const { page, served } = here;
    await page.goto(`${served.url}#/autopilot`);
    await page.locator(".figure", { hasText: "Automation" }).getByText("Running").waitFor();
    const mentions = page.locator(".loops li", { hasText: "Mentions" });
    await expect.poll(() => mentions.textContent(), { timeout: 60_000 }).not.toMatch(/Lastnever/);
    await page.goto(`${served.url}#/analytics`);
    const followers = page.locator(".figure", { hasText: "Followers" }).locator(".big");
    const shown = async () => Number.parseInt((await followers.textContent()) ?? "", 10);
    await expect.poll(shown, { timeout: 60_000 }).toBeGreaterThan(0);
    const before = await shown();
    await page.goto(`${served.url}#/compose`);
    await page.locator(".editor .posts textarea").first().fill("A loaf a day for a month.");
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("Published.", { exact: true }).waitFor({ timeout: 30_000 });
    await page.goto(`${served.url}#/analytics`);
    await expect.poll(shown, { timeout: 120_000 }).toBeGreaterThan(before);
    await page
      .getByText("The chart starts on the second day.")
      .waitFor({ state: "detached", timeout: 120_000 });
  }, 240_000);
});
