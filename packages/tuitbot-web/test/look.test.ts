import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newHome } from "../../tuitbot/test/web/served.ts";
import { buildPage } from "./built-page.ts";
import { hasChromium, openSignedIn, type SignedInPage } from "./signed-in-page.ts";

const VIEWS = [
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
  "setup",
];

describe.skipIf(!hasChromium)("the look of the dashboard", () => {
  let here: SignedInPage;
  let page: Page;
  const { home, remove } = newHome();

  beforeAll(async () => {
    here = await openSignedIn(home);
    ({ page } = here);
    await here.served.call("x_post_tweet", { text: "A post that is larger than its facts." });
    await page.locator(".item-row").first().waitFor();
  }, 120_000);

  afterAll(async () => {
    await here?.chromium.close();
    await here?.served.stop();
    remove();
  });

  test.each([1440, 1024, 768, 390, 320])(
    "fits a width of %i pixels on every view, and nothing in the top bar overlaps",
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      for (const view of VIEWS) {
        await page.goto(`${here.served.url}#/${view}`);
        await page.locator(".page, .inbox").first().waitFor();
        await expect.poll(() => page.locator(".ghost").count()).toBe(0);
        expect(await page.evaluate(misplaced), `${view} at ${width}`).toEqual([]);
      }
    },
    60_000,
  );

  test("draws texts with the font that it ships, and the post larger than its facts", async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${here.served.url}#/inbox`);
    const post = page.locator(".proposal .post-text, .exchange .post-text").first();
    await post.waitFor();
    expect(await page.evaluate(() => document.fonts.check('16px "Inter"'))).toBe(true);
    const size = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));
    expect(await size(".exchange .post-text")).toBeGreaterThan(await size(".facts dd"));
    expect(await size(".facts dd")).toBeGreaterThan(await size(".facts dt"));
  });
});

test("the first load, with the font, is at most 120 kB", async () => {
  await buildPage();
  const dist = join(import.meta.dirname, "../dist");
  const document = readFileSync(join(dist, "index.html"), "utf8");
  const named = [...document.matchAll(/"\/(assets\/[^"]+)"/g)].map(([, name = ""]) => name);
  // Files are served with Brotli, except for the font, which is packed already.
  const packed = ["index.html", ...named].map(
    (name) => brotliCompressSync(readFileSync(join(dist, name))).length,
  );
  const [font = ""] = globSync("assets/inter-*.woff2", { cwd: dist });
  const bytes = packed.reduce((sum, one) => sum + one, readFileSync(join(dist, font)).length);
  expect(bytes).toBeLessThanOrEqual(120_000);
}, 120_000);

/** Sideways scrolling, and parts of the top bar that cover each other or are cut off. Runs in the page. */
function misplaced(): string[] {
  const found: string[] = [];
  for (const box of [document.documentElement, document.querySelector(".main")])
    if (box !== null && box.scrollWidth > box.clientWidth) found.push(`${box.tagName} scrolls sideways`);
  const parts = [...document.querySelectorAll(".top > *")]
    .map((part) => ({ name: part.className, box: part.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0);
  for (const [index, { name, box }] of parts.entries()) {
    if (box.left < 0 || box.right > innerWidth) found.push(`${name} is cut off`);
    const next = parts[index + 1];
    if (next !== undefined && next.box.left < box.right - 0.5) found.push(`${name} covers ${next.name}`);
  }
  return found;
}
