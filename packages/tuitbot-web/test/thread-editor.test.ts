import type { Browser as Chromium, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newHome, type Served } from "../../tuitbot/test/web/served.ts";
import { PIXEL } from "./pixel.ts";
import { hasChromium, openSignedIn } from "./signed-in-page.ts";

describe.runIf(hasChromium)("the editor of a thread", () => {
  let chromium: Chromium;
  let served: Served;
  let page: Page;
  const { home, remove } = newHome();

  beforeAll(async () => {
    ({ chromium, served, page } = await openSignedIn(home));
    await page.goto(`${served.url}#/compose`);
  }, 120_000);

  afterAll(async () => {
    await chromium?.close();
    await served?.stop();
    remove();
  });

  const fields = () => page.locator(".editor .posts > li > label textarea");
  const texts = () => fields().evaluateAll((all) => all.map((one) => (one as HTMLTextAreaElement).value));
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();

  test("splits at the cursor, inserts, moves and numbers posts, and keeps pictures with their post", async () => {
    await fields().first().fill("Feed it. Then wait.");
    await fields()
      .first()
      .evaluate((one) => (one as HTMLTextAreaElement).setSelectionRange(8, 8));
    await press("Split post 1 at the cursor");
    await expect.poll(texts).toEqual(["Feed it.", "Then wait."]);
    await press("Insert a post after 1");
    await fields().nth(1).fill("Twice a day.");
    await page
      .locator(".editor input[type=file]")
      .nth(2)
      .setInputFiles({ name: "loaf.png", mimeType: "image/png", buffer: PIXEL });
    await page.locator(".editor .posts > li").nth(2).locator("img").waitFor();
    await press("Move post 3 up");
    await expect.poll(texts).toEqual(["Feed it.", "Then wait.", "Twice a day."]);
    await page.locator(".editor .posts > li").nth(1).locator("img").waitFor();
    await press("Number");
    await expect.poll(texts).toEqual(["Feed it. 1/3", "Then wait. 2/3", "Twice a day. 3/3"]);
    await press("Save");
    await page.getByText("Saved.").waitFor();
    const { data } = await served.call("list_drafts");
    expect(data).toMatchObject({
      drafts: [{ texts: ["Feed it. 1/3", "Then wait. 2/3", "Twice a day. 3/3"], media: [{ post: 2 }] }],
    });
  });

  test.each(["paste", "drop"] as const)(
    "takes a picture with %s, into the post at which it is",
    async (how) => {
      await press("New");
      await expect.poll(texts).toEqual([""]);
      await fields()
        .first()
        .evaluate(
          (field, [kind, bytes]) => {
            const data = new DataTransfer();
            data.items.add(new File([Uint8Array.from(bytes)], "loaf.png", { type: "image/png" }));
            const more = { bubbles: true, cancelable: true };
            field.dispatchEvent(
              kind === "paste"
                ? new ClipboardEvent("paste", { clipboardData: data, ...more })
                : new DragEvent("drop", { dataTransfer: data, ...more }),
            );
          },
          [how, [...PIXEL]] as const,
        );
      await page.locator(".editor .media-field img").waitFor();
      await page.locator(".preview .media-grid img").waitFor();
      await press("Delete");
    },
  );
});
