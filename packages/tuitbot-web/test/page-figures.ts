import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { newHome, type Served, serve } from "../../tuitbot/test/web/served.ts";
import { chromiumPath, openChromium } from "./chromium.ts";

/**
 * Measures the web app of a built tuitbot in a real Chromium: `npm run build && npm run bench -- web-page`, on a quiet
 * machine. Each run has a new server and browser.
 */
const RUNS = 5;
const PAGES = 50;
const POSTS = 4;
/** How much slower than this machine the browser computes, for the time until the page can be used. */
const SLOWER = 4;

interface Figures {
  readonly bytes: number;
  readonly usableMs: number;
  readonly usableSlowMs: number;
  readonly eventMs: number;
  readonly idleMb: number;
  readonly openMb: number;
}

const path = chromiumPath();
if (path === undefined) throw new Error("There is no Chromium here. Install it, or name it in CHROMIUM.");
const program = {
  command: process.execPath,
  args: [join(import.meta.dirname, "../../tuitbot/bin/tuitbot.js")],
};

const runs: Figures[] = [];
for (let run = 1; run <= RUNS; run++) {
  const { home, remove } = newHome();
  const served = await serve(home, { program });
  const chromium = await openChromium(path);
  try {
    runs.push(await measured(served, chromium));
    console.log(`run ${run} of ${RUNS}: ${JSON.stringify(runs.at(-1))}`);
  } finally {
    await chromium.close();
    await served.stop();
    remove();
  }
}
print();

async function measured(served: Served, chromium: Browser): Promise<Figures> {
  const context = await chromium.newContext({ viewport: { width: 1280, height: 1200 } });
  const page = await context.newPage();
  await page.goto(`${served.url}#signin=${served.link}`);
  await page.getByText("Waiting for the first proposal").waitFor();
  await served.call("x_post_tweet", { text: "The first loaf of the day." });
  await page.locator(".item-row").first().waitFor();
  await page.close();

  const idleMb = residentMb(served.pid);
  const { bytes, ms: usableMs } = await opened(context, served.url, 1);
  const { ms: usableSlowMs } = await opened(context, served.url, SLOWER);
  const eventMs = await eventLatency(context, served);
  const others = await Promise.all(
    Array.from({ length: PAGES }, async () =>
      chromium.newContext({ storageState: await context.storageState() }),
    ),
  );
  for (const other of others) {
    const another = await other.newPage();
    await another.goto(served.url);
    await another.locator(".item-row").first().waitFor();
  }
  return { bytes, usableMs, usableSlowMs, eventMs, idleMb, openMb: residentMb(served.pid) };
}

/** Opens the page as if for the first time: how much came, and when the first item could be clicked. */
async function opened(
  context: BrowserContext,
  url: string,
  slower: number,
): Promise<{ readonly bytes: number; readonly ms: number }> {
  const page = await context.newPage();
  const browser = await context.newCDPSession(page);
  await browser.send("Network.enable");
  await browser.send("Network.setCacheDisabled", { cacheDisabled: true });
  await browser.send("Emulation.setCPUThrottlingRate", { rate: slower });
  let bytes = 0;
  browser.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.addInitScript(noteItems);
  await page.goto(url);
  const ms = (await itemTimes(page, 1))[0] ?? 0;
  const origin = await page.evaluate(() => performance.timeOrigin);
  await page.close();
  return { bytes, ms: ms - origin };
}

/** From the answer that the agent got to the item on the page; the median of some posts. */
async function eventLatency(context: BrowserContext, served: Served): Promise<number> {
  const page = await context.newPage();
  await page.addInitScript(noteItems);
  await page.goto(served.url);
  await itemTimes(page, 1);
  const waits: number[] = [];
  for (let post = 1; post <= POSTS; post++) {
    await served.call("x_post_tweet", { text: `Loaf number ${post} is in the oven.` });
    const answeredAt = performance.timeOrigin + performance.now();
    const seen = (await itemTimes(page, post + 1)).at(-1) ?? 0;
    waits.push(Math.max(0, seen - answeredAt));
  }
  await page.close();
  return median(waits);
}

/** Runs in the page: writes down when each number of items was shown first. */
function noteItems(): void {
  const times: number[] = [];
  Object.assign(globalThis, { itemTimes: times });
  new MutationObserver(() => {
    const { length } = document.querySelectorAll(".item-row");
    // Those that came since are counted above the list until the person wants to see them.
    const [arrived = 0] = document.querySelector(".arrived")?.textContent?.match(/\d+/) ?? [];
    const count = length + Number(arrived);
    while (times.length < count) times.push(performance.timeOrigin + performance.now());
  }).observe(document, { childList: true, characterData: true, subtree: true });
}

async function itemTimes(page: Page, count: number): Promise<readonly number[]> {
  await page.waitForFunction((least) => Reflect.get(globalThis, "itemTimes").length >= least, count);
  return page.evaluate(() => Reflect.get(globalThis, "itemTimes"));
}

function residentMb(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_024;
}

function print(): void {
  const rows: readonly (readonly [string, (figures: Figures) => number, string])[] = [
    ["first load, compressed", ({ bytes }) => bytes / 1_000, "kB"],
    ["until the first item is there", ({ usableMs }) => usableMs, "ms"],
    [`the same, computing ${SLOWER} times slower`, ({ usableSlowMs }) => usableSlowMs, "ms"],
    ["from the agent's answer to the item on the page", ({ eventMs }) => eventMs, "ms"],
    ["memory of the server, one browser signed in", ({ idleMb }) => idleMb, "MB"],
    [`memory of the server, ${PAGES} pages open`, ({ openMb }) => openMb, "MB"],
  ];
  console.log(`\n| ${RUNS} runs | median | least to most |\n|---|---:|---:|`);
  for (const [name, figure, unit] of rows) {
    const values = runs.map(figure);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    console.log(`| ${name} | ${shown(median(values))} ${unit} | ${shown(least)}–${shown(most)} |`);
  }
}

function shown(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed();
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
