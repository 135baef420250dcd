import { join } from "node:path";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import type { Browser as Chromium, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { savePerson } from "../../tuitbot/src/app/sign-in/people.ts";
import { openStore } from "../../tuitbot/src/storage/open-store.ts";
import { type AccountServer, serveAccounts } from "../../tuitbot/test/account-server.ts";
import { Browser, type Served, serve } from "../../tuitbot/test/web/served.ts";
import { buildPage } from "./built-page.ts";
import { chromiumPath, openChromium } from "./chromium.ts";
import { hasChromium } from "./signed-in-page.ts";

describe.skipIf(!hasChromium)("the dashboard of several accounts", () => {
  const sandbox = new Sandbox({ plan: "enterprise", size: { people: 8, posts: 10 }, start: Date.now() });
  let agents: AccountServer;
  let served: Served;
  let chromium: Chromium;
  let page: Page;

  beforeAll(async () => {
    await buildPage();
    agents = await serveAccounts({
      default: { sandbox },
      news: { sandbox, user: cast.friend },
      shop: { sandbox, user: cast.stranger },
    });
    served = await serve(agents.home, { words: ["web", "--no-open"], env: agents.env });
    chromium = await openChromium(chromiumPath() ?? "");
    page = await chromium.newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(`${served.url}#signin=${served.link}`);
  }, 120_000);

  afterAll(async () => {
    await chromium?.close();
    await served?.stop();
    await agents?.close();
    await sandbox.close();
  });

  const account = () => page.locator(".nav .account");

  test("switches from its menu or with the search, and each account has its own address, drafts and sign-in", async () => {
    await account().click();
    await expect
      .poll(() => page.locator(".accounts .handle").allTextContents())
      .toEqual(["default", "news", "shop"]);
    await page.locator(".accounts").getByRole("button", { name: "news" }).click();
    await page.waitForURL(/\/accounts\/news\/(#.*)?$/);
    await account().getByText(`@${cast.friend}`).waitFor();

    await page.goto(`${served.url}accounts/news/#/compose`);
    const editor = page.locator(".editor textarea").first();
    await editor.fill("Only in the news.");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL(/#\/compose\/\d+$/);
    await page.reload();
    await expect.poll(() => editor.inputValue()).toBe("Only in the news.");

    await page.keyboard.press("Control+K");
    await page.getByRole("combobox", { name: "Views, actions, drafts, posts" }).fill("default");
    await page.keyboard.press("Enter");
    await account().getByText("@sandbox_owner").waitFor();
    expect(new URL(page.url()).pathname).toBe("/");
    await page.goto(`${served.url}#/compose`);
    await page.getByText("No drafts yet.").waitFor();
  });

  test("opens an account by its address without its slash, and reports one that does not exist as missing", async () => {
    await page.goto(`${served.url}accounts/shop#/calendar`);
    await expect.poll(() => page.url()).toMatch(/\/accounts\/shop\/#\/calendar$/);
    // A browser is signed in to each account by itself.
    await page.getByRole("heading", { name: "Sign in to tuitbot" }).waitFor();
    expect((await fetch(new URL("accounts/nobody/", served.url))).status).toBe(404);
  });

  test("shows somebody with a passphrase no other account, and lets them into none", async () => {
    const store = await openStore(
      { path: join(agents.home, "tuitbot.db"), url: undefined },
      { now: Date.now },
    );
    if (!store.ok) throw store.failure;
    const place = { db: store.value.db, account: sandbox.person("sandbox_owner").id, now: Date.now() };
    await savePerson(place, { person: "Ann", role: "owner" }, "a long passphrase of Ann");
    await store.value.close();
    const ann = new Browser(served.url);
    const signedIn = await ann.post<{ readonly csrf_token: string }>("/api/sign-in", {
      name: "Ann",
      passphrase: "a long passphrase of Ann",
    });
    expect(signedIn).toMatchObject({ status: 200, body: { accounts: [] } });
    ann.csrf = signedIn.body.csrf_token;
    expect((await ann.post("/api/accounts/news", {})).status).toBe(404);
    const other = await ann.request("/accounts/news/api/session");
    expect(await other.json()).toMatchObject({ signed_in: false });
  });
});
