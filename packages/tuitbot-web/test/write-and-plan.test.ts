import type { Browser as Chromium, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newHome, type Served, tuitbot } from "../../tuitbot/test/web/served.ts";
import { hasChromium, openSignedIn } from "./signed-in-page.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Compose with its revisions, its model and recurring posts; the week of the calendar. */
describe.runIf(hasChromium)("writing and planning in Chromium", () => {
  let chromium: Chromium;
  let served: Served;
  let page: Page;
  const { home, remove } = newHome();

  beforeAll(async () => {
    ({ chromium, served, page } = await openSignedIn(home, {
      height: 1_400,
      env: { TUITBOT_SCHEDULE__TIMEZONE: "Europe/Vienna" },
    }));
  }, 120_000);

  afterAll(async () => {
    await chromium?.close();
    await served?.stop();
    remove();
  });

  async function open(view: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(`${served.url}#/${view}`);
    await page.locator(".page, .inbox").first().waitFor();
  }

  test("has the model write a post, keeps each revision with its difference, and goes back to one", async () => {
    await open("compose");
    await page.getByLabel("Topic (optional)").fill("rye flour");
    await page.getByRole("button", { name: "Write it for me" }).click();
    const editor = page.locator(".editor textarea").first();
    // The sandbox has a built-in model.
    await expect.poll(() => editor.inputValue()).toContain("rye flour");
    await editor.fill("Rye at ten percent: more taste, hardly more work.");
    // The preview of the outcome, before it is saved.
    await page.locator(".dry-run .verdict", { hasText: "Ready to publish." }).waitFor();
    expect(await page.locator(".dry-run .facts").textContent()).toContain("$0.015");

    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("1 revision").waitFor();
    await editor.fill("Rye at twenty percent: more taste, hardly more work.");
    await editor.press("Control+Enter");
    await page.getByText("2 revisions").click();
    const newest = page.locator(".revisions li").first();
    await newest.getByText("Revision 2").waitFor();
    expect(await newest.locator("del").textContent()).toBe("ten");
    expect(await newest.locator("ins").textContent()).toBe("twenty");
    const first = page.locator(".revisions li", { hasText: "Revision 1" });
    await first.getByRole("button", { name: "Use these words" }).click();
    await expect.poll(() => editor.inputValue()).toContain("ten percent");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("3 revisions").waitFor();
    const { data } = await served.call("list_drafts");
    expect(data).toMatchObject({
      drafts: [{ texts: [expect.stringContaining("ten percent")], revision: 3 }],
    });
  });

  test("makes recurring posts of the texts in the editor, which take turns once they are approved", async () => {
    await open("compose");
    const fields = page.locator(".editor .posts > li > label textarea");
    await fields.first().fill("Bread of the day: rye.");
    await page.getByRole("button", { name: "Add a post" }).click();
    await fields.nth(1).fill("Bread of the day: spelt.");
    await page.getByRole("button", { name: "Repeat…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The 2 posts in the editor take turns").waitFor();
    const yesterday = new Date(Date.now() - 2 * DAY).toISOString().slice(0, 10);
    await dialog.getByLabel("Until").fill(yesterday);
    await dialog.getByRole("button", { name: "Schedule them" }).click();
    await dialog.locator(".problem").waitFor();

    const last = new Date(Date.now() + 20 * DAY);
    for (const day of ["Mon", "Thu"]) await dialog.getByRole("button", { name: day, exact: true }).click();
    await dialog.getByLabel("Time in Europe/Vienna").fill("16:45");
    await dialog.getByLabel("Until").fill(last.toISOString().slice(0, 10));
    await dialog.getByRole("button", { name: "Schedule them" }).click();
    await page.getByText(/posts are scheduled, the first .* Approve them in the inbox/).waitFor();
    const { data } = await served.call("list_drafts", { status: "scheduled", expand_series: true });
    const { drafts } = Object(data) as {
      readonly drafts: readonly { readonly texts: readonly string[]; readonly scheduled_for: string }[];
    };
    // By another calendar than the server's.
    const expected = Array.from({ length: 21 }, (_, day) => new Date(Date.now() + day * DAY))
      .map((day) => vienna(day))
      .filter(({ weekday, isPast }) => /Mon|Thu/.test(weekday) && !isPast("16:45"));
    const times = drafts.map(({ scheduled_for }) => vienna(new Date(scheduled_for)));
    expect(times.map(({ date, time }) => `${date} ${time}`).toSorted()).toEqual(
      expected.map(({ date }) => `${date} 16:45`).toSorted(),
    );
    const inOrder = drafts.toSorted((a, b) => a.scheduled_for.localeCompare(b.scheduled_for));
    expect(inOrder.slice(0, 2).map(({ texts }) => texts[0])).toEqual([
      "Bread of the day: rye.",
      "Bread of the day: spelt.",
    ]);
    await open("inbox");
    await page.locator(".item-row", { hasText: "recurring posts" }).waitFor();
  });

  test("sends a post to the next free slot with a key, and moves it in the week by dragging and by keys", async () => {
    await served.call("x_post_tweet", { text: "Goes out some time." });
    await open("inbox");
    await page.locator(".item-row button", { hasText: "Goes out some time." }).click();
    await page.keyboard.press("s");
    await page.getByText(/^Scheduled for /).waitFor();
    const { data } = await served.call("list_drafts", { status: "scheduled" });
    const [draft] = (
      Object(data) as { readonly drafts: readonly { draft_id: number; texts: readonly string[] }[] }
    ).drafts.filter(({ texts }) => texts[0] === "Goes out some time.");
    const id = draft?.draft_id;
    const stored = async () => {
      const found = await served.call("get_draft", { id });
      return vienna(new Date(String(Object(found.data).scheduled_for)));
    };

    await open("calendar");
    await page.locator(".week").waitFor();
    const monday = vienna(nextMonday());
    const cell = (day: number, hour: number) =>
      page.locator(`[data-cell="${addDays(monday.date, day)} ${hour}"]`);
    const chip = page.locator(".scheduled", { hasText: "Goes out some time." });
    // The slot is of this week or, late on a Sunday, of the next. Its dialog takes it to where no hour is over.
    await expect
      .poll(async () => {
        if ((await chip.count()) === 0) await page.keyboard.press("ArrowRight");
        return chip.count();
      })
      .toBe(1);
    await chip.click();
    await page.getByRole("dialog").getByRole("button", { name: "Move" }).click();
    const tuesday = addDays(monday.date, 1);
    await page.getByLabel("Time in Europe/Vienna").fill(`${tuesday}T10:20`);
    await page.getByRole("dialog").getByRole("button", { name: "Schedule", exact: true }).click();
    await expect.poll(stored).toMatchObject({ date: tuesday, time: "10:20" });
    // The calendar follows it to its week.
    await expect.poll(() => isIn(chip, cell(1, 10))).toBe(true);

    // Another post is scheduled in the middle of the drag, and drawn.
    await chip.hover();
    await page.mouse.down();
    await cell(2, 12).hover({ position: { x: 30, y: 4 } });
    await page.locator(".hour-cell.target").first().waitFor();
    await served.call("create_draft", {
      texts: ["Scheduled meanwhile."],
      scheduled_for: new Date(nextMonday().getTime() + 5 * DAY).toISOString(),
    });
    await page.locator(".scheduled", { hasText: "Scheduled meanwhile." }).waitFor();
    await cell(3, 14).hover({ position: { x: 30, y: 4 } });
    await page.mouse.up();
    await expect.poll(stored).toMatchObject({ date: addDays(monday.date, 3), time: "14:20" });
    await expect.poll(() => isIn(chip, cell(3, 14))).toBe(true);

    const focused = page.locator(".scheduled:focus", { hasText: "Goes out some time." });
    await chip.focus();
    await page.keyboard.press("Shift+ArrowDown");
    await expect.poll(stored).toMatchObject({ date: addDays(monday.date, 3), time: "15:20" });
    await expect.poll(() => isIn(focused, cell(3, 15))).toBe(true);
    await page.keyboard.press("Shift+ArrowLeft");
    await expect.poll(stored).toMatchObject({ date: addDays(monday.date, 2), time: "15:20" });
    await expect.poll(() => isIn(focused, cell(2, 15))).toBe(true);
    await page.keyboard.press("Shift+ArrowUp");
    await expect.poll(stored).toMatchObject({ date: addDays(monday.date, 2), time: "14:20" });
    await expect.poll(() => isIn(focused, cell(2, 14))).toBe(true);
  });

  test("says in the bar of every view whether X answers", async () => {
    await open("policy");
    await page.locator(".top").getByText("Connected to X").waitFor();
    // An answer of X that is a refusal, and one that comes.
    await served.call("x_get_user_by_username", { username: "nobody_is_that" });
    await page
      .locator(".top")
      .getByText(/Last request to X failed/)
      .waitFor();
    expect(await tuitbot(home, ["status"])).toMatch(/X +the last request failed, .*: tuitbot doctor/);
    await served.call("x_get_me");
    await page.locator(".top").getByText("Connected to X").waitFor();
  });
});

/** Whether a chip begins within an hour of the grid. */
async function isIn(chip: Locator, cell: Locator): Promise<boolean> {
  const [inner, outer] = [await chip.boundingBox(), await cell.boundingBox()];
  if (inner === null || outer === null) return false;
  return (
    inner.x >= outer.x &&
    inner.x < outer.x + outer.width &&
    inner.y >= outer.y &&
    inner.y < outer.y + outer.height
  );
}

/** The local date and time in Vienna at an instant. */
function vienna(at: Date) {
  const format = (options: Intl.DateTimeFormatOptions, locale = "sv-SE") =>
    new Intl.DateTimeFormat(locale, { timeZone: "Europe/Vienna", ...options }).format(at);
  const date = format({ dateStyle: "short" });
  return {
    date,
    time: format({ timeStyle: "short" }),
    weekday: format({ weekday: "short" }, "en-GB"),
    /** Whether this time of the day has passed by now. */
    isPast: (time: string) =>
      `${date} ${time}` <=
      new Intl.DateTimeFormat("sv-SE", {
        timeZone: "Europe/Vienna",
        dateStyle: "short",
        timeStyle: "short",
      }).format(new Date()),
  };
}

function nextMonday(): Date {
  for (let days = 1; ; days++) {
    const day = new Date(Date.now() + days * DAY);
    if (vienna(day).weekday === "Mon") return day;
  }
}

function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
}
