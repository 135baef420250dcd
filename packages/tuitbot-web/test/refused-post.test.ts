import type { Browser as Chromium, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newHome, type Served } from "../../tuitbot/test/web/served.ts";
import { hasChromium, openSignedIn } from "./signed-in-page.ts";

describe.runIf(hasChromium)("a new post that is refused", () => {
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

  const fields = () => page.locator(".editor .posts > li > label textarea");

  test("says in the question for its time why that time is refused, and takes another", async () => {
    await page.goto(`${served.url}#/compose`);
    await fields().first().fill("For a day that is over.");
    await page.getByRole("button", { name: "Schedule…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/^Time in/).fill("2020-11-01T09:00");
    await dialog.getByRole("button", { name: "Schedule", exact: true }).click();
    const problem = dialog.locator(".problem");
    await problem.waitFor();
    expect(await problem.textContent()).toMatch(/past/);
    expect(await problem.locator("p").count()).toBe(2);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
    await dialog.getByLabel(/^Time in/).fill(tomorrow);
    await dialog.getByRole("button", { name: "Schedule", exact: true }).click();
    await page.getByText(/^Scheduled for /).waitFor();
    const { data } = await served.call("list_drafts", { status: "scheduled" });
    expect(data).toMatchObject({ drafts: [{ texts: ["For a day that is over."] }] });
  });

  test("says above its buttons why a thread over the limit of the day is refused, and keeps every post", async () => {
    await page.goto("about:blank");
    await page.goto(`${served.url}#/compose`);
    await fields().first().fill("Post 1 of many.");
    for (let number = 2; number <= 25; number++) {
      await page.getByRole("button", { name: "Add a post" }).click();
      await fields()
        .nth(number - 1)
        .fill(`Post ${number} of many.`);
    }
    const verdict = page.locator(".dry-run .verdict").first();
    await expect
      .poll(() => verdict.textContent())
      .toBe("Can't be published. This thread has 25 posts; your limit is 10 posts a day.");
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    const problem = page.locator(".editor > .problem");
    await problem.waitFor();
    expect(await problem.textContent()).toMatch(/25 posts/);
    await expect.poll(() => problem.isVisible()).toBe(true);
    expect(await fields().count()).toBe(25);
    expect(await fields().nth(24).inputValue()).toBe("Post 25 of many.");
  });
});
