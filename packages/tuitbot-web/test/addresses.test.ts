import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queuedItem } from "../../tuitbot/test/live-server.ts";
import { newHome } from "../../tuitbot/test/web/served.ts";
import { hasChromium, openSignedIn, type SignedInPage } from "./signed-in-page.ts";

const DAY = 86_400_000;

/** Every thing has an address, and the calendar is a place of work. */
describe.skipIf(!hasChromium)("addresses of the dashboard", () => {
  let here: SignedInPage;
  let page: Page;
  const { home, remove } = newHome();

  beforeAll(async () => {
    here = await openSignedIn(home, { env: { TUITBOT_SCHEDULE__TIMEZONE: "Europe/Vienna" } });
    ({ page } = here);
  }, 120_000);

  afterAll(async () => {
    await here?.chromium.close();
    await here?.served.stop();
    remove();
  });

  async function ask(text: string): Promise<number> {
    return queuedItem(await here.served.call("x_post_tweet", { text })) ?? 0;
  }

  async function open(address: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(`${here.served.url}${address}`);
  }

  test("an item of the inbox has an address, which a reload keeps and Back closes", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    const first = await ask("First of the addresses.");
    const second = await ask("Second of the addresses.");
    await open("#/inbox");
    await page.locator(".item-row button", { hasText: "Second of the addresses." }).click();
    await expect.poll(() => page.url()).toContain(`#/inbox/${second}`);
    await page.reload();
    await page.locator(".proposal", { hasText: "Second of the addresses." }).waitFor();
    await page.goBack();
    await page.locator(".item-row button", { hasText: "Second of the addresses." }).waitFor();
    expect(page.url()).toMatch(/#\/inbox$/);
    await page.setViewportSize({ width: 1280, height: 900 });
    await open(`#/inbox/${first}`);
    await page.locator(".proposal", { hasText: "First of the addresses." }).waitFor();
    await page.keyboard.press("j");
    await expect.poll(() => page.url()).toContain(`#/inbox/${second}`);
    await open("#/inbox/987654");
    await page.getByRole("heading", { name: "Decided elsewhere" }).waitFor();
  });

  test("a view can be opened by a path, and filters are part of the address", async () => {
    await open("compose");
    await page.locator(".editor").waitFor();
    await open("#/activity?status=routed");
    await expect.poll(() => page.getByLabel("Show").inputValue()).toBe("routed");
    await page.getByLabel("Show").selectOption("failure");
    await expect.poll(() => page.url()).toContain("#/activity?status=failure");
    await open("#/spend?days=90");
    await page.getByRole("button", { name: "90 days", pressed: true }).waitFor();
  });

  test("a draft has an address", async () => {
    const made = await here.served.call("create_draft", { texts: ["A draft with an address."] });
    const { draft_id: id } = Object(made.data) as { readonly draft_id: number };
    await open(`#/compose/${id}`);
    await expect
      .poll(() => page.locator(".editor textarea").first().inputValue())
      .toBe("A draft with an address.");
    await page.getByRole("button", { name: "New", exact: true }).click();
    await expect.poll(() => page.locator(".editor textarea").first().inputValue()).toBe("");
    await page.goBack();
    await expect
      .poll(() => page.locator(".editor textarea").first().inputValue())
      .toBe("A draft with an address.");
  });

  test("a week has an address, and a click on one of its hours writes a post for it", async () => {
    await open("#/calendar/2027-W10");
    await page.getByRole("heading", { name: "Mar 8 – Mar 14, 2027" }).waitFor();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.url()).toContain("#/calendar/2027-W11");
    await page.goBack();
    await page.getByRole("heading", { name: "Mar 8 – Mar 14, 2027" }).waitFor();
    await page.locator('[data-cell="2027-03-10 14"]').click();
    await page.locator(".editor textarea").fill("Written for an hour.");
    await page.getByRole("button", { name: /^Schedule/ }).click();
    expect(await page.getByLabel("Time in Europe/Vienna").inputValue()).toBe("2027-03-10T14:00");
  });

  test("the card of an entry shows its text and approves, moves and deletes it, with undo", async () => {
    const at = new Date(Date.now() + 2 * DAY);
    await here.served.call("create_draft", {
      texts: ["An entry with a card."],
      scheduled_for: at.toISOString(),
    });
    await open("#/calendar");
    const chip = page.locator(".scheduled", { hasText: "An entry with a card." });
    if (new Date(at).getUTCDay() < new Date().getUTCDay() || at.getUTCDay() === 0)
      await page.getByRole("button", { name: "Later" }).click();
    await expect.poll(() => chip.count()).toBe(1);
    await chip.click();
    const card = page.getByRole("dialog");
    await card.getByText("An entry with a card.").waitFor();
    await card.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Approved. It will be published at its time.").waitFor();
    await expect.poll(() => page.locator(".scheduled.approved", { hasText: "card" }).count()).toBe(1);
    await chip.click();
    await card.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Draft deleted.").waitFor();
    await expect.poll(() => chip.count()).toBe(0);
    await page.keyboard.press("u");
    await expect.poll(() => chip.count()).toBe(1);
  });
});
