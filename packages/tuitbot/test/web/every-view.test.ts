import { Sandbox } from "@toolpact/x-sandbox";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { buildPage } from "../../../tuitbot-web/test/built-page.ts";
import { chromiumPath, openChromium } from "../../../tuitbot-web/test/chromium.ts";
import { queuedItem } from "../live-server.ts";
import { signedInEnv } from "../signed-in-env.ts";
import { newHome, type Served, serve } from "./served.ts";

const path = chromiumPath();

const VIEWS = [
  ["inbox", "Inbox"],
  ["compose", "Compose"],
  ["calendar", "Calendar"],
  ["analytics", "Analytics"],
  ["spend", "Spend"],
  ["activity", "Activity"],
  ["autopilot", "Autopilot"],
  ["discovery", "Discovery"],
  ["policy", "Policy"],
  ["mentions", "Mentions"],
  ["setup", "Settings"],
] as const;

const MADE_TO_SCROLL = ".week-box";

/** Those that show words of agents or strangers in this test. */
const SAYS_TEXTS: ReadonlySet<string> = new Set([
  "inbox",
  "compose",
  "calendar",
  "activity",
  "discovery",
  "policy",
  "setup",
]);

/** Everything a stranger, or an agent influenced by one, may write, all at once. */
const HOSTILE = [
  `<script>document.title="owned"</script><img src=x onerror="document.title='owned'">`,
  "safe \u202Egnihtyna yas\u202C text \u2066hidden\u2069",
  `Z${"\u0310\u0333\u0318".repeat(60)}algo`,
  "w".repeat(10_000),
].join(" ");

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof openChromium>>["newPage"]>>;
type Route = Parameters<Parameters<Page["route"]>[1]>[0];

describe.skipIf(path === undefined)("every view at the width of a phone", { timeout: 120_000 }, () => {
  const { home, remove } = newHome();
  const sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  let served: Served;
  let browser: Awaited<ReturnType<typeof openChromium>>;
  let page: Page;
  const errors: string[] = [];

  beforeAll(async () => {
    await buildPage();
    const env = {
      ...(await signedInEnv(home, sandbox)),
      TUITBOT_BUSINESS__PRODUCT_KEYWORDS: "sourdough",
    };
    served = await serve(home, { words: ["mcp", "serve", "--http", "0"], env });
    browser = await openChromium(path ?? "");
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      reducedMotion: "reduce",
    });
    context.setDefaultTimeout(30_000);
    page = await context.newPage();
    page.on("pageerror", ({ message }) => errors.push(message));
    await page.goto(`${served.url}#signin=${served.link}`);
    await page.locator(".app").waitFor();
  }, 120_000);

  afterEach(() => page.unrouteAll({ behavior: "wait" }));

  afterAll(async () => {
    await browser?.close();
    await served?.stop();
    await sandbox.close();
    remove();
  });

  async function open(view: string, title: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(`${served.url}#/${view}`);
    await page.locator(".main h1", { hasText: title }).waitFor({ state: "attached" });
    await page.locator(".page, .inbox, .first-steps, .empty, .problem").first().waitFor();
    await expect.poll(() => page.locator(".ghost").count(), { timeout: 30_000 }).toBe(0);
  }

  /** Nothing is wider than the phone, no text became a script or a picture, and nothing threw. */
  async function looksRight(view: string): Promise<void> {
    // A box that scrolls to the side is as wrong as a page that does, except those that are made to.
    const wider = await page.evaluate<string[]>(
      `[...document.querySelectorAll("html, #app, #app *")]
        .filter((one) => !one.matches("${MADE_TO_SCROLL}") && /auto|scroll/.test(getComputedStyle(one).overflowX))
        .filter((one) => one.scrollWidth > one.clientWidth + 1)
        .map((one) => one.outerHTML.slice(0, 120))`,
    );
    expect(wider, view).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), view).toBe(0);
    expect(await page.title(), view).not.toContain("owned");
    expect(await page.locator("#app script, #app img[src=x]").count(), view).toBe(0);
    expect(errors, view).toEqual([]);
  }

  test("is usable while it is empty", async () => {
    for (const [view, title] of VIEWS) {
      await open(view, title);
      await looksRight(view);
      expect(await page.locator(".problem").allTextContents(), view).toEqual([]);
    }
  });

  test("is usable with data, and with hostile text in every field", async () => {
    const draft = await served.call("create_draft", {
      texts: ["A scheduled one."],
      scheduled_for: new Date(Date.now() + 3_600_000).toISOString(),
    });
    expect(draft.success).toBe(true);
    expect(queuedItem(await served.call("x_post_tweet", { text: "Rye today." }))).toBeGreaterThan(0);
    expect((await served.call("find_reply_opportunities", { min_score: 0 })).success).toBe(true);
    for (const [view, title] of VIEWS) {
      await open(view, title);
      await looksRight(view);
    }
    await page.route(/\/api\/(tools|commands)\//, answerHostile);
    for (const [view, title] of VIEWS) {
      await open(view, title);
      if (view === "inbox") await page.locator(".item-row button").first().click();
      if (SAYS_TEXTS.has(view))
        expect(await page.locator(".main").textContent(), view).toContain("<script>document");
      await looksRight(`${view}, hostile`);
    }
  });

  test("draws only what is on the screen of ten thousand items", async () => {
    await page.route(/\/api\/commands\/(pending|log)$/, answerMany);
    for (const [view, title, row] of [
      ["inbox", "Inbox", ".item-row"],
      ["activity", "Activity", ".entry"],
    ] as const) {
      await open(view, title);
      await page.locator(row).first().waitFor();
      expect(await page.locator(row).count(), view).toBeLessThan(60);
      await looksRight(`${view}, 10,000`);
    }
  });

  test("a person settles what X never answered", async () => {
    sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    // It is looked for there, which tells nothing while X refuses to be read.
    sandbox.faults.add({ operation: "getUsersPosts", kind: "error", status: 403, count: 100 });
    await open("inbox", "Inbox");
    await page.locator(".item-row button", { hasText: "Rye today." }).click();
    await page.getByRole("button", { name: /Approve and send/ }).click();
    await page.locator(".problem").waitFor();
    await open("inbox", "Inbox");
    await page.locator(".item-row button", { hasText: "Rye today." }).click();
    await page.getByText("We couldn't confirm this post.").waitFor();
    await page.getByRole("button", { name: "Yes, it's there", exact: true }).click();
    await expect.poll(() => page.locator(".item-row", { hasText: "Rye today." }).count()).toBe(0);
  });

  test("a person settles in the activity what X never answered, and nothing is sent by that", async () => {
    const doubtful = async (text: string) => {
      const id = queuedItem(await served.call("x_post_tweet", { text }));
      sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
      await open("inbox", "Inbox");
      await page.locator(".item-row button", { hasText: text }).click();
      await page.getByRole("button", { name: /Approve and send/ }).click();
      await page.locator(".problem").waitFor();
      return id;
    };
    const settle = async (text: string, answer: string) => {
      await open("activity", "Activity");
      const entry = page.locator(".entry", { hasText: text }).filter({ hasText: "unknown" });
      await entry.locator(".entry-main").click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("Check X, then record what you found").waitFor();
      await looksRight("activity, doubt");
      await dialog.getByRole("button", { name: answer, exact: true }).click();
      await dialog.getByText("Check X, then").waitFor({ state: "detached" });
      const receipt = dialog.locator(".details > div", { hasText: "Receipt" });
      const state = (await receipt.textContent()) ?? "";
      await dialog.getByRole("button", { name: "Close" }).click();
      await expect.poll(() => entry.count()).toBe(0);
      return state;
    };
    await doubtful("Oats today.");
    await doubtful("Barley today.");
    const sent = () => sandbox.journal.entries.filter(({ operation }) => operation === "createPosts").length;
    const before = sent();
    expect(await settle("Oats today.", "It is there")).toContain("confirmed");
    expect(await settle("Barley today.", "It is not there")).toContain("failed");
    expect(sent()).toBe(before);
    // The items of both are closed with them.
    await open("inbox", "Inbox");
    expect(await page.locator(".item-row", { hasText: /(Oats|Barley) today/ }).count()).toBe(0);
  });

  test("works on while X is away, and says where X was needed", async () => {
    queuedItem(await served.call("x_post_tweet", { text: "While X is away." }));
    await sandbox.close();
    for (const [view, title] of VIEWS) {
      await open(view, title);
      await looksRight(`${view}, X away`);
    }
    await open("discovery", "Discovery");
    await page.getByRole("button", { name: "Search now" }).click();
    await page.locator(".problem").waitFor();
    await page
      .locator(".top")
      .getByText(/Last request to X failed/)
      .waitFor({ state: "attached" });
    await open("compose", "Compose");
    await page.locator(".editor textarea").first().fill("Written while X is away.");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.").waitFor();
    await open("inbox", "Inbox");
    await page.locator(".item-row button", { hasText: "While X is away." }).click();
    await page.locator(".item-title").waitFor();
  });
});

/** Names whose values are of a closed set, or are no text of anybody. */
const CLOSED =
  /(^|_)(id|ids|status|kind|mode|role|decision|action|category|categories|transport|tool|tools|tool_name|weekday|type|engine|digest|receipt|timezone|approval|profile|version|name_of_loop|state|content_type|rule_id|active_days|posting_slots|repeats|endpoint|provider)$/;

/** The server's own answer, with every text that somebody could have written replaced. */
async function answerHostile(route: Route): Promise<void> {
  const response = await route.fetch();
  await route.fulfill({ response, json: hostile(await response.json(), "") });
}

function hostile(value: unknown, name: string): unknown {
  if (typeof value === "string")
    return CLOSED.test(name) || /^\d{4}-\d\d-\d\d|^\d+$|^(allow|deny)/.test(value) ? value : HOSTILE;
  if (Array.isArray(value)) return value.map((one) => hostile(one, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hostile(one, key)]));
}

/** The server's own answer, with its first item or entry ten thousand times. An empty list stays empty. */
async function answerMany(route: Route): Promise<void> {
  const response = await route.fetch();
  const answer: Readonly<Record<string, unknown>> = await response.json();
  const many = Object.entries(answer).map(([name, value]) => [
    name,
    Array.isArray(value) && value.length > 0
      ? Array.from({ length: 10_000 }, (_, index) => ({
          ...value[0],
          ...("id" in value[0] ? { id: index + 1 } : { correlation_id: `c${index}` }),
        }))
      : value,
  ]);
  await route.fulfill({ response, json: Object.fromEntries(many) });
}
