import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser as Chromium, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newHome, type Served, tuitbot } from "../../tuitbot/test/web/served.ts";
import { OTHER_PIXEL, PIXEL } from "./pixel.ts";
import { hasChromium, openSignedIn } from "./signed-in-page.ts";

describe.runIf(hasChromium)("pictures of a post that waits for a person", () => {
  let chromium: Chromium;
  let served: Served;
  let page: Page;
  const { home, remove } = newHome();
  const folder = join(home, ".tuitbot", "media");

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    ({ chromium, served, page } = await openSignedIn(home));
  }, 120_000);

  afterAll(async () => {
    await chromium?.close();
    await served?.stop();
    remove();
  });

  async function openItem(text: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(`${served.url}#/inbox`);
    await page.locator(".item-row button", { hasText: text }).click();
  }

  /** The pictures of the open item that the browser could draw, by their alt text. */
  const drawn = () =>
    page
      .locator(".item .files img")
      .evaluateAll((all) =>
        all.flatMap((one) => ((one as HTMLImageElement).naturalWidth > 0 ? [one.getAttribute("alt")] : [])),
      );

  /** An agent uploads a picture and proposes a post with it. */
  async function proposeWith(name: string, alt_text: string, text: string): Promise<string> {
    const file = join(folder, name);
    writeFileSync(file, PIXEL);
    const uploaded = await served.call("x_upload_media", { file_path: file, alt_text });
    const { media_id } = Object(uploaded.data) as { readonly media_id: string };
    expect((await served.call("x_post_tweet", { text, media_ids: [media_id] })).data).toMatchObject({
      status: "queued",
    });
    return file;
  }

  test("are shown with their alt texts where an agent publishes what the owner has written", async () => {
    await page.goto(`${served.url}#/compose`);
    const posts = page.locator(".editor .posts > li");
    await posts.first().locator("> label textarea").fill("Two loaves, one thread.");
    await page.getByRole("button", { name: "Add a post" }).click();
    await posts.nth(1).locator("> label textarea").fill("And the second.");
    for (const [index, alt] of ["A dark loaf", "A light loaf"].entries()) {
      const buffer = index === 0 ? PIXEL : OTHER_PIXEL;
      await posts
        .nth(index)
        .locator("input[type=file]")
        .setInputFiles({ name: "loaf.png", mimeType: "image/png", buffer });
      await posts.nth(index).getByLabel("Alt text").fill(alt);
    }
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.").waitFor();
    const { data } = await served.call("list_drafts");
    const { drafts } = Object(data) as { readonly drafts: readonly { readonly draft_id: number }[] };
    await served.call("publish_draft", { id: drafts[0]?.draft_id });
    await openItem("Two loaves, one thread.");
    await expect.poll(drawn).toEqual(["A dark loaf", "A light loaf"]);
    const shown = await page.locator(".item").textContent();
    expect(shown).toContain("Alt text: A dark loaf");
    expect(shown).not.toContain("media_ids");
    const list = await tuitbot(home, ["approve", "--list"]);
    expect(list).toMatch(/file of post 1: \S+\.png \(A dark loaf\)/);
    expect(list).toMatch(/file of post 2: \S+\.png \(A light loaf\)/);
    expect(list).not.toContain("media_ids");
  });

  test("are shown with their alt texts where an agent has uploaded them, also among several items", async () => {
    await proposeWith("crumb.png", "The crumb of a loaf", "A post of the agent, with a picture.");
    await openItem("A post of the agent, with a picture.");
    await expect.poll(drawn).toEqual(["The crumb of a loaf"]);
    const row = page.locator(".item-row", { hasText: "A post of the agent, with a picture." });
    await row.getByRole("checkbox").check();
    await page.getByRole("button", { name: "Approve…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByAltText("The crumb of a loaf").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
  });

  test("are not shown from a file that is no longer what was uploaded, and the page says so", async () => {
    const text = "A post with a file that changes.";
    const file = await proposeWith("swapped.png", "What it was", text);
    writeFileSync(file, OTHER_PIXEL);
    await openItem(text);
    await page.getByText("The file has changed since it was uploaded, or was not uploaded here.").waitFor();
    expect(await page.locator(".item .files img").count()).toBe(0);
    expect(await page.locator(".item .files").textContent()).toContain("What it was");
    expect(await tuitbot(home, ["approve", "--list"])).toContain("The file has changed since");
  });
});
