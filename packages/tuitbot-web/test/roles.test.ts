import { globSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Browser as Chromium, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashPassphrase } from "../../tuitbot/src/app/sign-in/passphrase.ts";
import { queuedItem } from "../../tuitbot/test/live-server.ts";
import { Browser, newHome, type Served, serve } from "../../tuitbot/test/web/served.ts";
import { axeFindings } from "./axe.ts";
import { buildPage } from "./built-page.ts";
import { chromiumPath, openChromium } from "./chromium.ts";

const path = chromiumPath();
const WORDS = "four words nobody joins";

/** Each view's note about actions that a role cannot use. */
const NOTES = {
  viewer: {
    inbox: "Deciding needs the role approver",
    mentions: "need the role owner",
    compose: "need the role owner",
    calendar: "needs the role owner",
    analytics: "needs the role owner",
    spend: undefined,
    activity: "needs the role owner",
    autopilot: "needs the role owner",
    discovery: "need the role owner",
    policy: "needs the role owner",
    setup: "needs the role owner",
  },
  approver: {
    inbox: undefined,
    mentions: "need the role owner",
    compose: "need the role owner",
    calendar: "needs the role owner",
    analytics: "needs the role owner",
    spend: undefined,
    activity: "needs the role owner",
    autopilot: "needs the role owner",
    discovery: "need the role owner",
    policy: "needs the role owner",
    setup: "needs the role owner",
  },
} as const;

/** Takes long, asks a device, or ends the visit. */
const LEFT_ALONE = /^(Rehearse|Register a passkey|Sign out)$/;

describe.skipIf(path === undefined)("the page for people who may not do everything", () => {
  const { home, remove } = newHome();
  let served: Served;
  let owner: Browser;
  let chromium: Chromium;

  beforeAll(async () => {
    await buildPage();
    served = await serve(home);
    owner = new Browser(served.url);
    await owner.signIn(served.link);
    // Something of everything: out and so to be undone, scheduled, found, and below for each of them, waiting.
    await propose("Out, and can be taken back.");
    const [item] = (await owner.command("pending")).body.items;
    await owner.command("approve", { id: item?.id ?? 0, digest: item?.digest ?? "" });
    const at = new Date(Date.now() + 3_600_000).toISOString();
    await served.call("create_draft", { texts: ["Scheduled by the owner."], scheduled_for: at });
    await served.call("find_reply_opportunities", { min_score: 0, limit: 3 });
    const [file = ""] = globSync(`${home}/.tuitbot/sandboxes/*/tuitbot.db`);
    const database = new DatabaseSync(file, { timeout: 5_000 });
    const { account } = database.prepare("select account from web_sessions").get() ?? {};
    for (const role of ["viewer", "approver"])
      database
        .prepare(
          "insert into web_people (account, name, role, passphrase, created_at) values (?, ?, ?, ?, 0)",
        )
        .run(String(account), role, role, await hashPassphrase(WORDS));
    database.close();
    chromium = await openChromium(path ?? "");
  }, 120_000);

  afterAll(async () => {
    await chromium?.close();
    await served?.stop();
    remove();
  });

  async function propose(text: string): Promise<void> {
    queuedItem(await served.call("x_post_tweet", { text }));
  }

  /** Signs in with the form. */
  async function visit(name: string): Promise<Page> {
    const context = await chromium.newContext({ viewport: { width: 1280, height: 900 } });
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    await page.goto(served.url);
    await page.getByLabel("Name").fill(name);
    await page.getByLabel("Passphrase").fill(WORDS);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator(".app").waitFor();
    return page;
  }

  test("has nothing that axe-core finds fault with in the form to sign in, light and dark, also when it refuses", async () => {
    const page = await chromium.newPage({ reducedMotion: "reduce" });
    await page.goto(served.url);
    await page.getByLabel("Name").fill("viewer");
    await page.getByLabel("Passphrase").fill("not that");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("sign nobody in").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeFindings(page), colorScheme).toEqual([]);
    }
    await page.close();
  });

  test.each(["viewer", "approver"] as const)(
    "tells the %s what the role lacks, and offers nothing that the server refuses",
    async (role) => {
      await propose(`Waits for the ${role}.`);
      const page = await visit(role);
      const refused: string[] = [];
      // Sign-in requests, which were not counted at their start, may end meanwhile.
      const open = new Set<Request>();
      page.on("request", (request) => {
        if (request.method() === "POST") open.add(request);
      });
      page.on("requestfinished", async (request) => {
        if (!open.has(request)) return;
        const response = await request.response();
        if (response?.status() === 403) refused.push(`${view}: ${request.url()} ${request.postData()}`);
        open.delete(request);
      });
      page.on("requestfailed", (request) => open.delete(request));
      let view = "";
      for (const [name, note] of Object.entries(NOTES[role])) {
        view = name;
        await page.goto(`${served.url}#/${name}`);
        await page
          .locator(".main h1", { hasText: new RegExp(name === "setup" ? "settings" : name, "i") })
          .waitFor();
        await page.locator(".page, .inbox").first().waitFor();
        await expect.poll(() => page.locator(".ghost").count()).toBe(0);
        const notes = page.locator(".main .role-note");
        if (note === undefined) expect(await notes.count(), name).toBe(0);
        else
          await expect
            .poll(async () => (await notes.allTextContents()).join(" "), { message: name })
            .toContain(note);
        // First what the view offers, then what that has opened.
        for (const within of [".main", "dialog, .edit"]) {
          for (const field of await page.locator(".main textarea:enabled:visible").all())
            await field.fill("Words of somebody who looks on.");
          await pressAll(page, within);
          await expect.poll(() => open.size).toBe(0);
        }
      }
      expect(refused).toEqual([]);
      await page.context().close();
    },
    60_000,
  );

  test("an approver stops everything, and only an owner resumes", async () => {
    const viewer = await visit("viewer");
    const stop = viewer.getByRole("button", { name: "Pause agents" });
    expect(await stop.isDisabled()).toBe(true);
    expect(await stop.getAttribute("title")).toContain("needs the role approver");
    await viewer.context().close();
    const page = await visit("approver");
    await page.getByRole("button", { name: "Pause agents" }).click();
    // Somebody else is faster: the open question stays the one that was asked, so a second click resumes nothing.
    expect(await owner.command("stop")).toMatchObject({ status: 200 });
    await page.getByText("Resuming needs the role owner").waitFor();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("button", { name: "Resume" }).count()).toBe(0);
    await dialog.getByRole("button", { name: "Pause everything" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByRole("button", { name: "Resume" }).isDisabled()).toBe(true);
    expect(await owner.command("resume")).toMatchObject({ status: 200 });
    await page.getByText("Paused by").waitFor({ state: "detached" });
    await page.context().close();
  });
});

/** Presses every button that can be pressed. */
function pressAll(page: Page, within: string): Promise<void> {
  return page.evaluate(
    ([within, leftAlone]) => {
      for (const box of document.querySelectorAll(within))
        for (const button of box.querySelectorAll("button:not(:disabled)"))
          if (button instanceof HTMLElement && !new RegExp(leftAlone).test(button.textContent.trim()))
            button.click();
    },
    [within, LEFT_ALONE.source] as const,
  );
}
