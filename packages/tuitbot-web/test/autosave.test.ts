import type { BrowserContext, Browser as Chromium, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newHome, type Served, serve } from "../../tuitbot/test/web/served.ts";
import { hasChromium, openSignedIn } from "./signed-in-page.ts";

/** One user in two browsers, each on a separate server, with one database. */
describe.runIf(hasChromium)("text that was typed in Compose is on the server within a second", () => {
  let chromium: Chromium;
  let served: Served;
  let web: Served;
  let page: Page;
  let phone: Page;
  let pocket: BrowserContext;
  const { home, remove } = newHome();

  beforeAll(async () => {
    ({ chromium, served, page } = await openSignedIn(home));
    web = await serve(home, { words: ["web", "--no-open"] });
  }, 120_000);

  afterAll(async () => {
    await chromium?.close();
    await web?.stop();
    await served?.stop();
    remove();
  });

  beforeEach(async () => {
    pocket = await chromium.newContext({ viewport: { width: 390, height: 844 } });
    pocket.setDefaultTimeout(20_000);
    phone = await pocket.newPage();
    const link = await signInLink();
    await phone.goto(link);
    await phone.locator(".app").waitFor();
    await open(page, served);
  });

  afterEach(() => pocket.close());

  /** A link for another browser: a server prints one each time it starts. */
  async function signInLink(): Promise<string> {
    await web.stop();
    web = await serve(home, { words: ["web", "--no-open"] });
    return `${web.url}#signin=${web.link}`;
  }

  async function open(where: Page, { url }: Pick<Served, "url">): Promise<void> {
    await where.goto("about:blank");
    await where.goto(`${url}#/compose`);
    await where.locator(".page").first().waitFor();
  }

  const editor = (where: Page) => where.locator(".editor .posts > li > label textarea").first();
  const reads = (where: Page, text: string) => expect.poll(() => editor(where).inputValue()).toBe(text);
  const row = (where: Page, text: string) => where.locator(".row-button", { hasText: text });
  const button = (where: Page, name: string) => where.getByRole("button", { name, exact: true });
  const isKept = (where: Page) => where.getByText("Kept on the server.").waitFor();
  const list = async () => Object(await served.call("list_drafts")).data.drafts as { texts: string[] }[];

  test("and continues in another browser, from where it is not offered twice", async () => {
    await editor(page).fill("Begun at the desk");
    await isKept(page);
    await open(phone, web);
    const other = row(phone, "Begun at the desk");
    await other.getByText("in another browser").waitFor();
    await other.click();
    await reads(phone, "Begun at the desk");
    await editor(phone).fill("Begun at the desk, ended on the phone.");
    await isKept(phone);
    await phone.reload();
    await reads(phone, "Begun at the desk, ended on the phone.");
    expect(await phone.getByText("in another browser").count()).toBe(0);
    await button(phone, "Save").click();
    await phone.getByText("Saved.").waitFor();
    expect(await list()).toContainEqual(
      expect.objectContaining({ texts: ["Begun at the desk, ended on the phone."] }),
    );
    // The desk still has what was typed there.
    await reads(page, "Begun at the desk");
    await button(page, "Delete").click();
  });

  test("and is back after the browser has lost its storage", async () => {
    await editor(page).fill("Typed before the storage was cleared.");
    await isKept(page);
    await page.evaluate(() => localStorage.clear());
    await open(page, served);
    await row(page, "Typed before the storage was cleared.").click();
    await reads(page, "Typed before the storage was cleared.");
    await button(page, "Delete").click();
    await page.reload();
    await reads(page, "");
    await expect.poll(() => row(page, "Typed before the storage").count()).toBe(0);
  });

  test("in two windows on one draft: both show that there is another text, and both texts are kept", async () => {
    await served.call("create_draft", { texts: ["The draft of both windows."] });
    await open(phone, web);
    for (const window of [page, phone]) await row(window, "The draft of both windows.").click();
    await editor(page).fill("Changed at the desk.");
    await isKept(page);
    await editor(phone).fill("Changed on the phone.");
    await phone.getByText("You also edited this draft").waitFor();
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await page.getByText("You also edited this draft").waitFor();
    await row(page, "Changed on the phone.").getByText("in another browser").waitFor();
    await button(page, "Save").click();
    await page.getByText("Saved.").waitFor();
    // The phone keeps what was typed there, and says that the draft is another by now.
    await phone.getByText("changed elsewhere").waitFor();
    await reads(phone, "Changed on the phone.");
    await button(phone, "Save").click();
    await phone.getByText("Saved.").waitFor();
    const [draft] = (await list()).filter(({ texts }) => texts.includes("Changed on the phone."));
    const { data } = await served.call("get_draft", { id: Object(draft).draft_id });
    expect(data).toMatchObject({
      texts: ["Changed on the phone."],
      revisions: expect.arrayContaining([expect.objectContaining({ texts: ["Changed at the desk."] })]),
    });
    const offered = async () => {
      await page.evaluate(() => dispatchEvent(new Event("focus")));
      return page.getByText("in another browser").count();
    };
    await expect.poll(offered).toBe(0);
  });

  test("after the server was away while it was typed", async () => {
    const { port } = new URL(served.url);
    await served.stop("SIGKILL");
    await editor(page).fill("Typed while nobody listened.");
    await page.getByText("Kept in this browser only.").waitFor();
    served = await serve(home, { words: ["mcp", "serve", "--sandbox", "--http", port] });
    await page.goto("about:blank");
    await page.goto(`${served.url}#signin=${served.link}`);
    await page.locator(".app").waitFor();
    await open(page, served);
    await reads(page, "Typed while nobody listened.");
    await isKept(page);
    await page.evaluate(() => localStorage.clear());
    await open(page, served);
    await row(page, "Typed while nobody listened.").getByText("in another browser").waitFor();
  });
});
