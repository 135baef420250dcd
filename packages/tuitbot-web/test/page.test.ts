import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queuedItem } from "../../tuitbot/test/live-server.ts";
import { newHome, type Served, serve } from "../../tuitbot/test/web/served.ts";
import type { LoggedCall } from "../src/api/shapes.ts";
import { axeFindings } from "./axe.ts";
import { buildPage } from "./built-page.ts";
import { chromiumPath, openChromium } from "./chromium.ts";
import { PIXEL } from "./pixel.ts";

const path = chromiumPath();

/** Texts that a stranger, or an agent that a stranger has talked to, may send. */
const HOSTILE = {
  script: `<script>document.title="owned"</script><img src=x onerror="document.title='owned'">`,
  bidi: "safe \u202Egnihtyna yas\u202C text \u2066hidden\u2069",
  zalgo: `Z${"\u0310\u0333\u0318".repeat(60)}algo`,
  word: "w".repeat(10_000),
};

describe.skipIf(path === undefined)("the page in Chromium", () => {
  let browser: Browser;
  let served: Served;
  let context: BrowserContext;
  let page: Page;
  const { home, remove } = newHome();
  /** Errors in the browser console, including violations of the content security policy. */
  const complaints: string[] = [];

  beforeAll(async () => {
    await buildPage();
    served = await serve(home, { env: { TUITBOT_SCHEDULE__TIMEZONE: "Europe/Vienna" } });
    browser = await openChromium(path ?? "");
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(20_000);
    page = await openPage();
    await page.goto(`${served.url}#signin=${served.link}`);
    await page.locator(".app").waitFor();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await served?.stop();
    remove();
  });

  async function openPage(): Promise<Page> {
    const opened = await context.newPage();
    opened.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    opened.on("pageerror", (error) => complaints.push(error.message));
    return opened;
  }

  /** An agent asks for a post, and the page shows it once its list is drawn anew. */
  async function propose(text: string): Promise<void> {
    const answer = await served.call("x_post_tweet", { text });
    expect(answer.data).toMatchObject({ status: "queued" });
    await page.goto("about:blank");
    await page.goto(`${served.url}#/inbox`);
    await page.locator(".item-row button", { hasText: text.slice(0, 40) }).click();
  }

  async function ownPosts(): Promise<string> {
    const me = await served.call("x_get_me");
    const { id } = Object(me.data) as { readonly id: string };
    return JSON.stringify((await served.call("x_get_user_tweets", { user_id: id })).data);
  }

  test("removes the one-time link from the address, and signs nobody in with it again", async () => {
    expect(page.url()).not.toContain("signin");
    const other = await browser.newContext();
    const second = await other.newPage();
    await second.goto(`${served.url}#signin=${served.link}`);
    await second.getByRole("heading", { name: "Sign in to tuitbot" }).waitFor();
    await second.getByRole("alert").waitFor();
    await other.close();
  });

  test("publishes what a person approves with a key, once and exactly as shown", async () => {
    await propose("Approved from the page with one key.");
    await page.locator(".item-title").waitFor();
    expect(await page.locator(".facts").textContent()).toContain("$0.015");
    await page.keyboard.press("a");
    await page.getByText("Approved and sent.").waitFor();
    expect((await ownPosts()).split("Approved from the page with one key.")).toHaveLength(2);
  });

  test("shows neither ids nor names of rules and tools before the details are opened", async () => {
    const liked = /"id":"(\d{15,19})"/.exec(
      JSON.stringify((await served.call("x_search_tweets", { query: "sourdough" })).data),
    )?.[1];
    await served.call("x_like_tweet", { tweet_id: liked, note: "They bake what we bake." });
    await page.goto("about:blank");
    await page.goto(`${served.url}#/inbox`);
    await page.locator(".item-row button", { hasText: "Like of" }).click();
    await page.getByText("Note from the agent: They bake what we bake.").waitFor();
    // biome-ignore lint/performance/useDomNodeTextContent: closed details are text content too, and not shown
    const shown = () => page.locator(".item").innerText();
    expect(await shown()).not.toMatch(/\d{15}|x_like|hard:|v1:/);
    await page.getByText("Details", { exact: true }).click();
    expect(await shown()).toMatch(new RegExp(`x_like_tweet[^]*hard:[^]*${liked}`));
    await page.keyboard.press("r");
    await page.getByLabel("Why not?").fill("Not now");
    await page.keyboard.press("Enter");
    await page.getByText("Rejected.").waitFor();
  });

  test("rejects with a reason, which the agent reads after the ten seconds for an undo", async () => {
    await propose("Please reject this one.");
    const row = page.locator(".item-row", { hasText: "Please reject this one." });
    await page.keyboard.press("r");
    await page.getByLabel("Why not?").fill("Too salesy");
    await page.keyboard.press("Enter");
    await page.getByText("Rejected.").waitFor();
    await row.waitFor({ state: "detached" });
    await page.keyboard.press("u");
    await row.waitFor();
    await page.keyboard.press("r");
    await page.getByLabel("Why not?").fill("Much too salesy");
    // A reason that is typed is kept.
    await page.reload();
    await row.waitFor();
    // The page shows its items before it takes keys.
    const reason = page.getByLabel("Why not?");
    await expect
      .poll(async () => {
        if ((await reason.count()) === 0) await page.keyboard.press("r");
        return reason.count();
      })
      .toBe(1);
    await expect.poll(() => reason.inputValue()).toBe("Much too salesy");
    await page.keyboard.press("Enter");
    await page.getByText("Rejected.").waitFor();
    const pending = async () => JSON.stringify((await served.call("list_pending_approvals")).data);
    await expect.poll(pending, { timeout: 30_000 }).toContain("Much too salesy");
  });

  test("shows what an edit changes, and sends the edited text only after it is approved anew", async () => {
    await propose("The oven needs 220 degrees.");
    await page.keyboard.press("e");
    await page.getByLabel("Your words").fill("The oven needs 250 degrees.");
    expect(await page.locator(".difference del").textContent()).toBe("220");
    expect(await page.locator(".difference ins").textContent()).toBe("250");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Saved. Check it, then approve.").waitFor();
    expect(await ownPosts()).not.toContain("The oven needs");
    await page.locator(".proposal", { hasText: "250 degrees" }).waitFor();
    await page.keyboard.press("a");
    await page.getByText("Approved and sent.").first().waitFor();
    const posts = await ownPosts();
    expect(posts).toContain("The oven needs 250 degrees.");
    expect(posts).not.toContain("The oven needs 220 degrees.");
  });

  test("shows every text, time and file of recurring posts before they are approved, and never among others", async () => {
    const folder = join(home, ".tuitbot", "media");
    const file = join(folder, "loaf.png");
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, PIXEL);
    const variants = ["First of the loaves.", "Second of the loaves.", "Third of the loaves."];
    const day = 86_400_000;
    const asked = await served.call("create_recurring_posts", {
      variants,
      repeats: "09:30",
      until: new Date(Date.now() + 5.5 * day).toISOString(),
      media: [{ post: 2, file_path: file, alt_text: "A loaf on a board" }],
    });
    expect(asked).toMatchObject({ success: true, data: { status: "queued" } });
    const { count, next } = Object(asked.data) as {
      readonly count: number;
      readonly next: readonly { readonly scheduled_for: string; readonly text: string }[];
    };
    expect(count).toBe(next.length);
    await propose("Next to the recurring ones.");
    const recurring = page.locator(".item-row", { hasText: `${count} recurring posts` });
    await recurring.getByRole("checkbox").check();
    await page.locator(".item-row", { hasText: "Next to the recurring ones." }).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Approve…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Approve 1 item?" }).waitFor();
    await dialog.getByText("shown in its detail").waitFor();
    await dialog.getByRole("button", { name: "Approve all of these" }).click();
    await page.getByText("1 item approved.").waitFor();

    await recurring.locator("button").click();
    const detail = page.locator(".series");
    for (const text of variants) await detail.getByText(text).waitFor();
    const times = await detail
      .locator("time")
      .evaluateAll((all) => all.map((one) => one.getAttribute("datetime")));
    expect(times.toSorted()).toEqual(next.map(({ scheduled_for }) => scheduled_for).toSorted());
    await expect.poll(() => detail.locator("img").count()).toBe(1);
    expect(await detail.textContent()).toContain("A loaf on a board");
    await page.getByRole("button", { name: `Approve all ${count} posts` }).click();
    await page.getByText("Approved. Publishes").waitFor();
  });

  test("approves several at once after showing each whole, and takes the last one back", async () => {
    await served.call("x_post_tweet", { text: "One of a batch." });
    await propose("Two of a batch.");
    for (const text of ["One of a batch.", "Two of a batch."])
      await page.locator(".item-row", { hasText: text }).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Approve…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Together $0.03").waitFor();
    for (const text of ["One of a batch.", "Two of a batch."]) await dialog.getByText(text).waitFor();
    await dialog.getByRole("button", { name: "Approve all of these" }).click();
    await page.getByText("2 items approved.").waitFor();
    expect(await page.locator(".item-row", { hasText: "of a batch." }).count()).toBe(0);
    expect(await page.getByText("Decided elsewhere").count()).toBe(0);
    expect(await ownPosts()).toContain("Two of a batch.");
    await page.keyboard.press("u");
    for (const text of ["One of a batch.", "Two of a batch."]) await dialog.getByText(text).waitFor();
    await page.keyboard.press("Escape");
    await propose("Sent too early.");
    await page.keyboard.press("a");
    await page.getByText("Approved and sent.").first().waitFor();
    expect(await ownPosts()).toContain("Sent too early.");
    // Meanwhile another window approves another one.
    queuedItem(await served.call("x_post_tweet", { text: "Not mine to take back." }));
    await page.evaluate(approveNewest);
    expect(await ownPosts()).toContain("Not mine to take back.");
    await page.keyboard.press("u");
    await dialog.getByText("Sent too early.").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Deleted from X.").waitFor();
    const left = await ownPosts();
    expect(left).not.toContain("Sent too early.");
    expect(left).toContain("Not mine to take back.");
    expect(left).toContain("Two of a batch.");
  });

  test("counts what arrives, and leaves the list where it is until the person asks for it", async () => {
    await propose("I was here first.");
    const rows = await page.locator(".item-row").count();
    await served.call("x_post_tweet", { text: "I came while you looked." });
    await page.getByRole("button", { name: "1 new item" }).waitFor();
    expect(await page.locator(".item-row").count()).toBe(rows);
    await page.getByRole("button", { name: "1 new item" }).click();
    await page.locator(".item-row", { hasText: "I came while you looked." }).waitFor();
  });

  test("stops every agent with the button that is on every view, says so, and resumes", async () => {
    await page.goto(`${served.url}#/spend`);
    await page.getByRole("button", { name: "Pause agents" }).click();
    await page.getByLabel(/^Why/).fill("Lunch");
    await page.getByRole("button", { name: "Pause everything" }).click();
    await page.getByText("Paused by").waitFor();
    const refused = await served.call("x_post_tweet", { text: "While all is stopped." });
    expect(refused.success).toBe(false);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
    await page.getByText("Paused by").waitFor({ state: "detached" });
    const accepted = await served.call("x_post_tweet", { text: "After it was resumed." });
    expect(accepted.success).toBe(true);
  });

  test("stores a draft from the editor, with X's count of it and the price of its link", async () => {
    await page.goto(`${served.url}#/compose`);
    await page.locator(".editor textarea").fill("Ask @a_baker or see example.com #rye");
    expect(await page.locator(".preview mark.link").textContent()).toBe("example.com");
    expect(await page.locator(".editor .counter").first().textContent()).toContain("48 characters of 25,000");
    await page.getByText("Posts with a link cost $0.20").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.").waitFor();
    expect(JSON.stringify((await served.call("list_drafts")).data)).toContain("Ask @a_baker or see");
  });

  test("stores a picture with its alt text, shows it, and schedules it with the approval of the owner", async () => {
    await page.goto(`${served.url}#/calendar`);
    await page.goto(`${served.url}#/compose`);
    await page.locator(".editor textarea").first().fill("The loaf of today, with a picture.");
    const choose = page.locator("input[type=file]");
    await choose.setInputFiles({ name: "evil.png", mimeType: "image/png", buffer: Buffer.from("<script>") });
    await page.getByText("by its content this file is none of them").waitFor();
    await choose.setInputFiles({ name: "loaf.png", mimeType: "image/png", buffer: PIXEL });
    await page.getByLabel("Alt text").fill("A dark loaf on a board");
    const shown = page.locator(".preview img");
    await shown.waitFor();
    expect(await shown.getAttribute("alt")).toBe("A dark loaf on a board");
    const width = () =>
      shown.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
    await expect.poll(width).toBe(1);
    await page.getByRole("button", { name: "Schedule…" }).click();
    await page.getByRole("button", { name: "Next free slot" }).click();
    await page.getByText(/^Scheduled for /).waitFor();
    const { data } = await served.call("list_drafts", { status: "scheduled" });
    const stored = expect.stringMatching(/media\/[0-9a-f]{24}\.png$/);
    expect(data).toMatchObject({
      drafts: expect.arrayContaining([
        expect.objectContaining({
          texts: ["The loaf of today, with a picture."],
          media: [{ post: 1, file_path: stored, alt_text: "A dark loaf on a board" }],
        }),
      ]),
    });
    // The owner's click was the approval.
    expect(data).toMatchObject({
      drafts: expect.arrayContaining([expect.objectContaining({ approval: "approved" })]),
    });
  });

  test("shows every recurring post in the month, and moves drafts by dragging, over the change to summer time", async () => {
    const day = 86_400_000;
    const series = await served.call("create_recurring_posts", {
      variants: ["Rye on one day.", "Spelt on another day."],
      repeats: "10:15",
      until: new Date(Date.now() + 4 * day).toISOString(),
    });
    const { next } = Object(series.data) as { readonly next: readonly unknown[] };
    const draft = await served.call("create_draft", {
      texts: ["Goes with the clock."],
      scheduled_for: "2027-03-27T09:30:00+01:00",
    });
    const { draft_id } = Object(draft.data) as { readonly draft_id: number };
    const time = async () =>
      Object((await served.call("get_draft", { id: draft_id })).data).scheduled_for as string;
    await page.goto("about:blank");
    await page.goto(`${served.url}#/calendar`);
    await page.locator(".hour-cell.quiet-hour").first().waitFor();
    // By default the loops work from 8 to 22 on every day; the hours around them are shown too.
    expect(await page.locator(".hour-cell:not(.quiet-hour)").count()).toBe(7 * 14);
    await page.keyboard.press("m");
    await page.locator("table.month").waitFor();
    const now = new Date();
    const last = new Date("2027-03-27T12:00:00Z");
    const months =
      (last.getUTCFullYear() - now.getUTCFullYear()) * 12 + last.getUTCMonth() - now.getUTCMonth();
    const shown = page.locator(".scheduled", { hasText: /on (one|another) day/ });
    // At the end of a month some of them are on the next page.
    await expect.poll(() => shown.count()).toBeGreaterThan(0);
    const here = await shown.count();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.locator("table.month").count()).toBe(1);
    const later = await page
      .locator("td:not(.other) .scheduled", { hasText: /on (one|another) day/ })
      .count();
    expect(here + later).toBeGreaterThanOrEqual(next.length);
    for (let month = 1; month < months; month++) await page.keyboard.press("ArrowRight");
    await page.getByRole("heading", { name: "March 2027" }).waitFor();
    const chip = page.locator(".scheduled", { hasText: "Goes with the clock." });
    expect(await chip.locator(".num").first().textContent()).toContain("9:30");
    // In the night before the 28th clocks in Vienna go forward: 9:30 is an hour earlier then.
    const sunday = page.locator("table.month td:not(.other)", { has: page.getByText("28", { exact: true }) });
    await chip.dragTo(sunday);
    await expect.poll(time).toBe("2027-03-28T07:30:00.000Z");
    // The page has the moved draft too, with its new revision.
    await sunday.locator(".scheduled", { hasText: "Goes with the clock." }).waitFor();
    await chip.click();
    await page.getByRole("dialog").getByRole("button", { name: "Move" }).click();
    await page.getByLabel("Time in Europe/Vienna").fill("2027-03-27T08:30");
    await page.getByRole("dialog").getByRole("button", { name: "Schedule", exact: true }).click();
    await expect.poll(time).toBe("2027-03-27T07:30:00.000Z");
  });

  test("draws 10,000 rows as fast as it draws a screen of them", async () => {
    const entry = (index: number): LoggedCall => ({
      correlation_id: `c${index}`,
      tool_name: "x_post_tweet",
      status: "success",
      decision: "allow",
      params: { text: `Entry ${index}` },
      result: null,
      error_message: null,
      receipt_id: null,
      approval_id: null,
      elapsed_ms: 1,
      created_at: new Date().toISOString(),
      client: null,
      transport: null,
      rule_id: null,
      error_code: null,
      learned_rule: null,
      draft_texts: null,
      receipt_state: null,
      decided_by: null,
      cost_usd: null,
    });
    const entries = Array.from({ length: 10_000 }, (_, index) => entry(index));
    const many = await openPage();
    // So many changes would take the server hours; what is looked at here is the list.
    await many.route("**/api/commands/log", (route) => route.fulfill({ json: { entries } }));
    await many.goto(`${served.url}#/activity`);
    await many.getByText("Entry 0", { exact: true }).waitFor();
    expect(await many.locator(".entry").count()).toBeLessThan(60);
    await many.locator(".main").evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await many.getByText("Entry 9999", { exact: true }).waitFor();
    expect(await many.locator(".entry").count()).toBeLessThan(60);
    await many.close();
  });

  test("loads at most 120 kB, compressed, before it can be used", async () => {
    const fresh = await openPage();
    const bodies: Buffer[] = [];
    const reading: Promise<unknown>[] = [];
    fresh.on("response", (response) => {
      if (!response.url().includes("/api/"))
        reading.push(
          response.body().then((body) => {
            expect(body.includes(import.meta.dirname.replace(/test$/, "src")), response.url()).toBe(false);
            bodies.push(brotliCompressSync(body));
          }),
        );
    });
    await fresh.goto(`${served.url}#/inbox`);
    await fresh.locator(".item-row, .empty, .first-steps").first().waitFor();
    await Promise.all(reading);
    await fresh.close();
    const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(120_000);
  });

  test("says in a second window that another one has decided, and sends nothing twice", async () => {
    await propose("Two windows, one item.");
    const other = await openPage();
    await other.goto(`${served.url}#/inbox`);
    await other.locator(".item-row button", { hasText: "Two windows" }).click();
    await page.keyboard.press("a");
    await page.getByText("Approved and sent.").waitFor();
    await other.keyboard.press("a");
    await other
      .getByText(/Decided elsewhere|already/)
      .first()
      .waitFor();
    expect((await ownPosts()).split("Two windows, one item.")).toHaveLength(2);
    await other.close();
  });

  test.each(Object.entries(HOSTILE))(
    "shows a hostile text as text and keeps its layout: %s",
    async (_, text) => {
      const answer = await served.call("x_post_tweet", { text: `${text.slice(0, 9_000)} hostile` });
      expect(answer.success).toBe(true);
      await page.goto("about:blank");
      await page.goto(`${served.url}#/inbox`);
      await page.locator(".item-row button").last().click();
      await page.locator(".exchange").waitFor();
      expect(await page.title()).not.toContain("owned");
      expect(await page.locator("#app script, #app img").count()).toBe(0);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow).toBe(0);
      const isCovered = await page
        .getByRole("button", { name: /Approve and send/ })
        .evaluate((button) => button.getBoundingClientRect().width > 0);
      expect(isCovered).toBe(true);
      if (text === HOSTILE.bidi) expect(await page.locator(".exchange").textContent()).toContain("U+202E");
    },
  );

  test.each([
    "inbox",
    "mentions",
    "compose",
    "calendar",
    "analytics",
    "spend",
    "activity",
    "autopilot",
    "discovery",
    "policy",
    "settings",
  ])("has nothing that axe-core finds fault with in %s, light and dark", async (view) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.goto(`${served.url}#/${view === "settings" ? "setup" : view}`);
      await page.locator(".main h1", { hasText: new RegExp(view, "i") }).waitFor({ state: "attached" });
      await page.locator(".page, .inbox, .empty").first().waitFor();
      await expect.poll(() => page.locator(".ghost").count()).toBe(0);
      expect(await axeFindings(page), `${view} ${colorScheme}`).toEqual([]);
    }
  });

  test("says that the server is away, keeps what it shows, and works again when it is back", async () => {
    await page.goto(`${served.url}#/policy`);
    await page.getByText("Rules in force").waitFor();
    const { port } = new URL(served.url);
    await served.stop("SIGKILL");
    await page.getByText("Can't reach tuitbot. This view may be out of date.").waitFor();
    await page.getByText("Rules in force").waitFor();
    served = await serve(home, { words: ["mcp", "serve", "--sandbox", "--http", port] });
    // A sandbox forgets everything except who is signed in.
    await page.getByText("Can't reach tuitbot. This view may be out of date.").waitFor({ state: "detached" });
    await page.goto("about:blank");
    await page.goto(served.url);
    await page.getByText("Waiting for the first proposal").waitFor();
  });

  test("breaks no rule of its content security policy, and calls no other host", () => {
    // A refused request is a complaint too, and some tests provoke one.
    expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
  });
});

/** Approves what was asked for last, as another window of the same browser would. Runs in the page. */
async function approveNewest(): Promise<void> {
  const session = await (await fetch("/api/session")).json();
  const command = async (name: string, request: object) => {
    const headers = { "content-type": "application/json", "x-tuitbot-csrf": session.csrf_token };
    const body = JSON.stringify(request);
    return (await fetch(`/api/commands/${name}`, { method: "POST", headers, body })).json();
  };
  const { items } = await command("pending", {});
  const { id, digest } = items.at(-1);
  await command("approve", { id, digest });
}
