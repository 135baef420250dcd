import type { Browser as Chromium, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newHome, type Served } from "../../tuitbot/test/web/served.ts";
import { hasChromium, openSignedIn } from "./signed-in-page.ts";

describe.runIf(hasChromium)("a post that the owner publishes on the dashboard", () => {
  let chromium: Chromium;
  let served: Served;
  let page: Page;
  const { home, remove } = newHome();

  beforeAll(async () => {
    ({ chromium, served, page } = await openSignedIn(home));
  }, 120_000);

  afterAll(async () => {
    await chromium?.close();
    await served?.stop();
    remove();
  });

  const editor = () => page.locator(".editor .posts > li > label textarea").first();
  const button = (name: string) => page.getByRole("button", { name, exact: true });

  async function open(view: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(`${served.url}#/${view}`);
  }

  async function drafts(status?: string): Promise<readonly Record<string, unknown>[]> {
    const { data } = await served.call("list_drafts", status === undefined ? {} : { status });
    return (Object(data) as { readonly drafts: readonly Record<string, unknown>[] }).drafts;
  }

  test("comes back into the editor with Undo, and goes out if it is sent again", async () => {
    await open("compose");
    await editor().fill("Mine, and I mean it.");
    await page.locator(".verdict.ok", { hasText: "Ready to publish." }).waitFor();
    await button("Publish").click();
    await page.getByText("Publishing in 10 seconds for $0.015.").waitFor();
    await expect.poll(() => editor().inputValue()).toBe("");
    // Another view, from which Undo leads back.
    await page.locator(".nav").getByRole("link", { name: "Calendar" }).click();
    await page.locator(".calendar").first().waitFor();
    await page.keyboard.press("u");
    await page.getByText("Not published. Your text is back in the editor.").waitFor();
    await expect.poll(() => editor().inputValue()).toBe("Mine, and I mean it.");
    expect(await drafts()).toMatchObject([{ status: "draft" }]);

    await button("Publish").click();
    await page.getByText(/^Publishing in 10 seconds/).waitFor();
    await page.getByText("Published.", { exact: true }).waitFor({ timeout: 30_000 });
    expect(await drafts("published")).toMatchObject([{ texts: ["Mine, and I mean it."] }]);
    const { data } = await served.call("list_pending_approvals");
    expect(data).toMatchObject({ items: [] });
  });

  test("is reported if X refuses it in the end, and opens in the editor again", async () => {
    await open("compose");
    // X takes the same words only once; the second is sent before the first is out.
    for (let time = 1; time <= 2; time++) {
      await editor().fill("The same words, twice.");
      await button("Publish").click();
      await expect.poll(() => editor().inputValue()).toBe("");
    }
    await page.getByText(/^Not published\. (?!Your)/).waitFor({ timeout: 40_000 });
    await page.locator(".toast").getByRole("button", { name: "Open" }).click();
    await expect.poll(() => editor().inputValue()).toBe("The same words, twice.");
    expect(await drafts("draft")).toMatchObject([{ texts: ["The same words, twice."] }]);
  });

  test("is approved for its time when it is scheduled or dragged, and Undo puts it back", async () => {
    await open("compose");
    await editor().fill("For tomorrow.");
    await button("Schedule…").click();
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
    await page.getByLabel(/^Time in/).fill(tomorrow);
    await button("Schedule").click();
    await page.getByText(/^Scheduled for /).waitFor();
    expect(await drafts("scheduled")).toMatchObject([{ texts: ["For tomorrow."], approval: "approved" }]);
    const [{ scheduled_for: before } = {}] = await drafts("scheduled");
    const moved = async () => (await drafts("scheduled"))[0]?.scheduled_for;

    await open("calendar");
    const chip = page.locator(".scheduled", { hasText: "For tomorrow." });
    // On a Sunday tomorrow is in the next week.
    if (new Date().getDay() === 0) await page.keyboard.press("ArrowRight");
    await chip.focus();
    await page.keyboard.press("Shift+ArrowDown");
    await expect.poll(moved).not.toBe(before);
    expect(await drafts("scheduled")).toMatchObject([{ approval: "approved" }]);
    await page.getByText(/^Moved to /).waitFor();
    await page.keyboard.press("u");
    await expect.poll(moved).toBe(before);
    expect(await drafts("scheduled")).toMatchObject([{ approval: "approved" }]);
  });
});
