import { globSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { BrowserContext, Browser as Chromium, Page, Route } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newHome, type Served, serve } from "../../tuitbot/test/web/served.ts";
import { PIXEL } from "./pixel.ts";
import { hasChromium, openSignedIn } from "./signed-in-page.ts";

describe.runIf(hasChromium)("text that was typed and not saved", () => {
  let chromium: Chromium;
  let served: Served;
  let context: BrowserContext;
  let page: Page;
  const { home, remove } = newHome();

  beforeAll(async () => {
    ({ chromium, served, context, page } = await openSignedIn(home));
  }, 120_000);

  afterAll(async () => {
    await chromium?.close();
    await served?.stop();
    remove();
  });

  beforeEach(async () => {
    await page.evaluate(() => localStorage.clear());
    await open("compose");
  });

  async function open(view: string, where = page): Promise<void> {
    await where.goto("about:blank");
    await where.goto(`${served.url}#/${view}`);
    await where.locator(".page, .inbox").first().waitFor();
  }

  const editor = (where = page) => where.locator(".editor .posts > li > label textarea").first();
  const reads = (text: string, where = page) => expect.poll(() => editor(where).inputValue()).toBe(text);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const row = (text: string) => page.locator(".row-button", { hasText: text });

  test("is back in the editor after another view was open", async () => {
    await editor().fill("Away and back.");
    await page.locator(".nav").getByRole("link", { name: "Calendar" }).click();
    await page.locator(".calendar").first().waitFor();
    await page.locator(".nav").getByRole("link", { name: "Compose" }).click();
    await reads("Away and back.");
  });

  test("is back in the editor after the page was reloaded, with every post of a thread and its pictures", async () => {
    await editor().fill("First of two.");
    await button("Add a post").click();
    await page.locator(".editor .posts > li > label textarea").nth(1).fill("Second of two.");
    const second = page.locator(".editor .posts > li").nth(1);
    await second
      .locator("input[type=file]")
      .setInputFiles({ name: "a.png", mimeType: "image/png", buffer: PIXEL });
    await second.getByLabel("Alt text").fill("One dark dot");
    await page.reload();
    await reads("First of two.");
    expect(await page.locator(".editor .posts > li > label textarea").nth(1).inputValue()).toBe(
      "Second of two.",
    );
    expect(await second.getByLabel("Alt text").inputValue()).toBe("One dark dot");
    await second.locator("img").waitFor();
  });

  test("stays in the list when New starts another text, also after a reload", async () => {
    await editor().fill("Half a thought.");
    await button("New").click();
    await reads("");
    await editor().fill("Another thought.");
    await page.reload();
    await row("Half a thought.").click();
    await reads("Half a thought.");
    await row("Another thought.").click();
    await reads("Another thought.");
  });

  test("stays in the list when a stored draft is opened instead", async () => {
    await served.call("create_draft", { texts: ["A stored draft to open."] });
    await editor().fill("Typed before the click.");
    await row("A stored draft to open.").click();
    await reads("A stored draft to open.");
    await row("Typed before the click.").click();
    await reads("Typed before the click.");
  });

  test("comes back with Undo when the model has replaced it", async () => {
    await editor().fill("My own words.");
    await page.getByLabel("Topic (optional)").fill("rye flour");
    await button("Write it for me").click();
    await expect.poll(() => editor().inputValue()).toContain("rye flour");
    await button("Undo").click();
    await reads("My own words.");
    await button("Write it for me").click();
    await expect.poll(() => editor().inputValue()).toContain("rye flour");
    // A user who leaves too early finds it in the list.
    await page.reload();
    await row("My own words.").click();
    await reads("My own words.");
  });

  test("of a stored draft is back after another draft was opened, and Save stores it once", async () => {
    await editor().fill("The stored words.");
    await button("Save").click();
    await page.getByText("Saved.").waitFor();
    await editor().fill("The changed words.");
    await button("New").click();
    await reads("");
    await row("The stored words.").getByText("unsaved changes").waitFor();
    await page.reload();
    await row("The stored words.").click();
    await reads("The changed words.");
    await button("Save").click();
    await row("The changed words.").waitFor();
    expect(await page.getByText("unsaved changes").count()).toBe(0);
    await page.reload();
    // The address names the draft.
    await reads("The changed words.");
    expect(await page.getByText("unsaved changes").count()).toBe(0);
  });

  test("of a draft that somebody else has changed since is shown with a warning, and both are kept", async () => {
    const stored = await served.call("create_draft", { texts: ["What both began with."] });
    const { draft_id } = Object(stored.data) as { readonly draft_id: number };
    await row("What both began with.").click();
    await editor().fill("What I made of it.");
    await page.goto("about:blank");
    await served.call("edit_draft", { id: draft_id, texts: ["What the agent made of it."] });
    await open("compose");
    await reads("What I made of it.");
    await page.getByText("changed elsewhere").waitFor();
    await button("Save").click();
    await page.getByText("Saved.").waitFor();
    const { data } = await served.call("get_draft", { id: draft_id });
    expect(data).toMatchObject({
      texts: ["What I made of it."],
      revisions: expect.arrayContaining([expect.objectContaining({ texts: ["What the agent made of it."] })]),
    });
  });

  test("goes away when it is dropped, and Undo brings it back", async () => {
    await editor().fill("Not worth keeping.");
    await button("Delete").click();
    await reads("");
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await reads("Not worth keeping.");
    await button("Delete").click();
    await page.reload();
    await reads("");
    expect(await row("Not worth keeping.").count()).toBe(0);
  });

  test("that was typed while the draft was being stored, or a picture, is not replaced by what was stored", async () => {
    const held = await hold("**/api/commands/draft_save");
    await editor().fill("Before the save.");
    await button("Save").click();
    await held.asked;
    await editor().fill("Before the save, and after.");
    held.release();
    await page.getByText("Saved.").waitFor();
    await reads("Before the save, and after.");
    const sending = await hold("**/api/media");
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "a.png", mimeType: "image/png", buffer: PIXEL });
    await sending.asked;
    await editor().fill("Typed while the picture was sent.");
    sending.release();
    await page.locator(".editor img").waitFor();
    await reads("Typed while the picture was sent.");
  });

  /** Keeps the next request to this address from the server until it is released. */
  async function hold(address: string) {
    const asked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const handle = async (route: Route) => {
      asked.resolve();
      await released.promise;
      await route.continue();
    };
    await page.route(address, handle, { times: 1 });
    return { asked: asked.promise, release: released.resolve };
  }

  test("in the inbox editor is back after a reload, another item and another view, until it is saved", async () => {
    await served.call("x_post_tweet", { text: "Proposed by the agent, one." });
    await served.call("x_post_tweet", { text: "Proposed by the agent, two." });
    await open("inbox");
    const item = (text: string) => page.locator(".item-row button", { hasText: text });
    const words = page.getByLabel("Your words");
    const isBack = () => expect.poll(() => words.inputValue()).toBe("Edited by the owner.");
    await item("the agent, two").click();
    await page.keyboard.press("e");
    await words.fill("Edited by the owner.");
    await item("the agent, one").click();
    await page.getByRole("button", { name: /^Approve and send/ }).waitFor();
    await item("the agent, two").click();
    await isBack();
    await page.reload();
    await item("the agent, two").click();
    await isBack();
    await page.locator(".nav").getByRole("link", { name: "Calendar" }).click();
    await page.locator(".calendar").first().waitFor();
    await page.locator(".nav").getByRole("link", { name: "Inbox" }).click();
    await item("the agent, two").click();
    await isBack();
    await words.press("Escape");
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await isBack();
    await words.press("Control+Enter");
    await page.getByText("Saved. Check it, then approve.").waitFor();
    await page.reload();
    await item("Edited by the owner.").click();
    await page.getByRole("button", { name: /^Approve and send/ }).waitFor();
  });

  test("in a reply to a found post is back after another view, and after the model has replaced it", async () => {
    await served.call("find_reply_opportunities", { min_score: 0, limit: 3 });
    await open("discovery");
    await page.getByRole("slider").fill("0");
    const first = page.locator(".found").first();
    await first.getByRole("button", { name: "Reply" }).click();
    const reply = first.locator("textarea");
    await reply.fill("My half of a reply.");
    await page.reload();
    await page.getByRole("slider").fill("0");
    await expect.poll(() => reply.inputValue()).toBe("My half of a reply.");
    await first.getByRole("button", { name: "Write it for me" }).click();
    await first.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => reply.inputValue()).toBe("My half of a reply.");
  });

  test("of one tab is not replaced by that of another, and stays the same in two tabs that show it", async () => {
    const earlier = await context.newPage();
    await open("compose", earlier);
    await editor().fill("Typed in the first tab.");
    await editor(earlier).fill("Typed in a tab that was open before.");
    const row = (text: string) => earlier.locator(".row-button", { hasText: text });
    await row("Typed in the first tab.").click();
    await reads("Typed in the first tab.", earlier);
    await editor(earlier).fill("Typed in the first tab, then in the second.");
    await reads("Typed in the first tab, then in the second.");
    await button("Save").click();
    await page.getByText("Saved.").waitFor();
    await reads("", earlier);
    await row("Typed in a tab that was open before.").click();
    await reads("Typed in a tab that was open before.", earlier);
    await earlier.close();
  });

  test.each([
    [
      "full",
      () => {
        Storage.prototype.setItem = () => {
          throw new DOMException("full", "QuotaExceededError");
        };
      },
    ],
    [
      "not allowed",
      () =>
        Object.defineProperty(window, "localStorage", {
          get() {
            throw new DOMException("no", "SecurityError");
          },
        }),
    ],
  ] as const)(
    "can be typed and saved where the storage of the browser is %s, and the page says that it keeps nothing",
    async (_, spoil) => {
      const spoiled = await context.newPage();
      await spoiled.addInitScript(spoil);
      // Nor does the server.
      await spoiled.route("**/api/commands/text_keep", (route) => route.abort());
      await open("compose", spoiled);
      await editor(spoiled).fill("Typed without a storage.");
      await spoiled.getByText("Save before you leave").waitFor();
      await spoiled.locator(".nav").getByRole("link", { name: "Calendar" }).click();
      await spoiled.locator(".calendar").first().waitFor();
      await spoiled.locator(".nav").getByRole("link", { name: "Compose" }).click();
      await reads("Typed without a storage.", spoiled);
      await spoiled.getByRole("button", { name: "Save", exact: true }).click();
      await spoiled.getByText("Saved.").waitFor();
      await spoiled.close();
    },
  );

  test("is back in the editor once the person has signed in again, in any tab", async () => {
    await editor().fill("Typed in a session that ends.");
    const [file = ""] = globSync(`${home}/.tuitbot/sandboxes/*/tuitbot.db`);
    const database = new DatabaseSync(file, { timeout: 5_000 });
    database.exec("delete from web_sessions");
    database.close();
    // The page may have learned of it before the click.
    await button("Save").evaluateAll((all) => {
      for (const one of all) (one as HTMLElement).click();
    });
    await page.getByRole("heading", { name: "Sign in to tuitbot" }).waitFor();
    expect(await page.locator(".gate code").textContent()).toBe("npx tuitbot web");
    // The command that the screen names.
    const web = await serve(home, { words: ["web", "--no-open"] });
    const other = await context.newPage();
    await other.goto(`${web.url}#signin=${web.link}`);
    await other.locator(".app").waitFor();
    await other.close();
    await web.stop();
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await reads("Typed in a session that ends.");
  });

  test("is back in the editor after the server was restarted", async () => {
    await editor().fill("Typed before the restart.");
    const { port } = new URL(served.url);
    await served.stop("SIGKILL");
    await button("Save").click();
    await page.locator(".editor > .problem").waitFor();
    await reads("Typed before the restart.");
    served = await serve(home, { words: ["mcp", "serve", "--sandbox", "--http", port] });
    await page.goto("about:blank");
    await page.goto(`${served.url}#signin=${served.link}`);
    await page.locator(".app").waitFor();
    await open("compose");
    await reads("Typed before the restart.");
    await button("Save").click();
    await page.getByText("Saved.").waitFor();
    const { data } = await served.call("list_drafts");
    expect(data).toMatchObject({ drafts: [{ texts: ["Typed before the restart."] }] });
  });
});
