import type { Browser, Page } from "playwright-core";
import { newHome, type Served, serve } from "../../tuitbot/test/web/served.ts";
import { buildPage } from "./built-page.ts";
import { chromiumPath, openChromium } from "./chromium.ts";
import { fontFace, textsOn, WEBP, writePicture } from "./picture-files.ts";

/**
 * Makes the film strip of the README from a real run on the sandbox: an agent proposes over MCP, a person decides on a
 * phone.
 */
export async function takeFilm(): Promise<void> {
  const path = chromiumPath();
  if (path === undefined) throw new Error("There is no Chromium here. Install it, or name it in CHROMIUM.");
  await buildPage();
  const { home, remove } = newHome();
  const served = await serve(home, {
    agent: "Claude Code",
    env: { TUITBOT_SCHEDULE__TIMEZONE: "Europe/Vienna", TUITBOT_SCHEDULE__POSTING_SLOTS: "09:30,17:00" },
  });
  const chromium = await openChromium(path);
  try {
    await strip(chromium, await frames(chromium, served));
  } finally {
    await chromium.close();
    await served.stop();
    remove();
  }
}

interface Frame {
  readonly picture: string;
  readonly says: string;
  readonly texts: readonly string[];
}

async function frames(chromium: Browser, served: Served): Promise<readonly Frame[]> {
  const taken: Frame[] = [];
  const context = await chromium.newContext({
    viewport: { width: 390, height: 780 },
    deviceScaleFactor: 2,
    locale: "en-GB",
    colorScheme: "light",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(`${served.url}#signin=${served.link}`);
  await page.getByText("Waiting for the first proposal").waitFor();

  const found = await served.call("find_reply_opportunities", { min_score: 30, limit: 5 });
  const { candidates = [] } = Object(found.data) as { candidates?: readonly { readonly id: string }[] };
  await served.call("x_reply_to_tweet", {
    in_reply_to_id: candidates[0]?.id,
    text: "Temperature first: 5 °C colder about doubles the time. Go by the clock, not by the dough.",
  });
  await served.call("x_post_tweet", {
    text: "Three flours, one recipe, one oven. The photos look alike; the taste does not. #sourdough",
  });
  // The second one does not push the list, unless it came before the list was drawn.
  const second = page.locator(".item-row").nth(1);
  await second.or(page.locator(".arrived")).first().waitFor();
  if (!(await second.isVisible())) await page.locator(".arrived").click();
  await second.waitFor();
  taken.push(await take(page, "An agent proposes over MCP. It arrives by itself."));

  await page.locator(".item-row > button").first().click();
  await page.locator(".item-title").waitFor();
  taken.push(await take(page, "In context: what is answered, what it costs, why you are asked."));

  await page.getByRole("button", { name: "Edit" }).click();
  await page
    .getByLabel("Your words")
    .fill("Temperature first: 5 °C colder about doubles the time. Go by the dough, not by the clock.");
  await page.locator(".difference ins").first().waitFor();
  await page.locator(".difference").scrollIntoViewIfNeeded();
  taken.push(await take(page, "You edit, and see the change."));

  await page.getByRole("button", { name: /Save the change/ }).click();
  await page.locator(".toast").getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: /Approve and send/ }).click();
  await page.getByText("Approved and sent.").waitFor();
  taken.push(await take(page, "You approve exactly this text. Undo is a key away.", true));

  await page.locator(".item-row > button").first().click();
  await page.getByRole("button", { name: "Next free slot" }).click();
  await page.getByText(/^Scheduled for/).waitFor();
  await page.goto(`${served.url}#/calendar`);
  await page.locator(".scheduled").first().waitFor();
  await page
    .locator(".scheduled")
    .first()
    .evaluate((entry) => entry.scrollIntoView({ block: "center" }));
  taken.push(await take(page, "The other one goes to the next free slot of the calendar."));

  await page.goto(`${served.url}#/activity`);
  await page.locator(".entry").first().waitFor();
  taken.push(await take(page, "Every change has its rule, its answer from X and its receipt."));
  await context.close();
  return taken;
}

async function take(page: Page, says: string, hasToast = false): Promise<Frame> {
  while ((await page.locator(".ghost").count()) > 0)
    await page.locator(".ghost").first().waitFor({ state: "detached" });
  if (!hasToast)
    for (const toast of await page.locator(".toast").getByRole("button", { name: "Close" }).all())
      await toast.click();
  const picture = `data:image/webp;base64,${(await page.screenshot(WEBP)).toString("base64")}`;
  return { picture, says, texts: await textsOn(page) };
}

/** The frames in a row, each with its sentence. */
async function strip(chromium: Browser, taken: readonly Frame[]): Promise<void> {
  const page = await chromium.newPage({ viewport: { width: 1_560, height: 620 }, deviceScaleFactor: 2 });
  await page.setContent(`<style>${fontFace()}
      body { margin: 0; background: #f6f5f1; color: #1d1b17; font: 15px/1.4 "Inter", system-ui, sans-serif; }
      main { display: grid; grid-template-columns: repeat(6, 1fr); gap: 14px; padding: 18px; }
      img { width: 100%; display: block; border: 1px solid #cfcbc0; border-radius: 16px; }
      figure { margin: 0; } figcaption { padding: 10px 4px 0; } b { color: #2450ba; }
    </style><main>${taken
      .map(
        ({ picture, says }, index) =>
          `<figure><img src="${picture}"><figcaption><b>${index + 1}</b> ${says}</figcaption></figure>`,
      )
      .join("")}</main>`);
  await page.locator("img").last().waitFor();
  const height = await page.evaluate(() => document.querySelector("main")?.offsetHeight ?? 0);
  await page.setViewportSize({ width: 1_560, height });
  writePicture("web-film.webp", await page.screenshot(WEBP), [
    ...new Set(taken.flatMap(({ texts }) => texts)),
  ]);
}
