import { globSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Commands, PasskeySignature, Refused, SeenItem } from "../../tuitbot/src/web/api.ts";
import { connectingClient } from "../../tuitbot/test/connecting-client.ts";
import { queuedItem } from "../../tuitbot/test/live-server.ts";
import { newHome, type Served, serve, tuitbot } from "../../tuitbot/test/web/served.ts";
import { axeFindings } from "./axe.ts";
import { buildPage } from "./built-page.ts";
import { chromiumPath, openChromium } from "./chromium.ts";

const path = chromiumPath();

/** Chromium's virtual authenticator represents the user's device. Agents' requests are the same as the web app's. */
describe.skipIf(path === undefined)("approval with a passkey", () => {
  let browser: Browser;
  let served: Served;
  let page: Page;
  let devices: CDPSession;
  let device: string;
  let signatures = 0;
  const { home, remove } = newHome();

  beforeAll(async () => {
    await buildPage();
    served = await serve(home, { words: ["mcp", "serve", "--sandbox", "--http", "localhost:0"] });
    browser = await openChromium(path ?? "");
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(20_000);
    page = await context.newPage();
    devices = await context.newCDPSession(page);
    await devices.send("WebAuthn.enable");
    devices.on("WebAuthn.credentialAsserted", () => signatures++);
    device = await newDevice("internal");
    await page.goto(`${served.url}#signin=${served.link}`);
    await page.locator(".app").waitFor();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await served?.stop();
    remove();
  });

  async function newDevice(transport: "internal" | "usb"): Promise<string> {
    const { authenticatorId } = await devices.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport,
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return authenticatorId;
  }

  /** Gives a command as somebody does who drives the browser. */
  async function command<Name extends keyof Commands>(name: Name, args: Commands[Name]["request"]) {
    const answered = await page.evaluate(
      async ([name, body]) => {
        const session = await (await fetch("/api/session")).json();
        const headers = { "content-type": "application/json", "x-tuitbot-csrf": session.csrf_token };
        const response = await fetch(`/api/commands/${name}`, { method: "POST", headers, body });
        return { status: response.status, body: await response.json() };
      },
      [name, JSON.stringify(args)] as const,
    );
    // Tests check what is in it.
    return answered as { readonly status: number; readonly body: Commands[Name]["answer"] & Refused };
  }

  type Challenge = Commands["passkey_challenge"]["request"];

  async function sign(challenge: Challenge, userVerification = "required"): Promise<PasskeySignature> {
    const { body } = await command("passkey_challenge", challenge);
    const response = await page.evaluate(
      async (options) => {
        const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(options));
        const credential = await navigator.credentials.get({ publicKey });
        return JSON.stringify(credential);
      },
      JSON.stringify({ ...body.options, userVerification }),
    );
    return { ticket: body.ticket, response: JSON.parse(response) };
  }

  /** An agent proposes a post; the item as the page shows it. */
  async function proposed(text: string): Promise<SeenItem> {
    const id = queuedItem(await served.call("x_post_tweet", { text }));
    const item = (await command("pending", {})).body.items.find((one) => one.id === id);
    if (item === undefined) throw new Error(`Item ${id} does not wait.`);
    return { id: item.id, digest: item.digest };
  }

  async function openInbox(text: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(`${served.url}#/inbox`);
    await page.locator(".item-row button", { hasText: text }).click();
  }

  async function isOut(text: string): Promise<boolean> {
    const { id } = Object((await served.call("x_get_me")).data) as { readonly id: string };
    return JSON.stringify((await served.call("x_get_user_tweets", { user_id: id })).data).includes(text);
  }

  const unsigned = { status: 409, body: { error: { failure: { reason: "needs_passkey" } } } };

  test("the owner registers one, and from then on nothing else approves: no page, no terminal, no forged signature", async () => {
    const item = await proposed("Only with a finger.");
    const other = await proposed("Something else.");
    await page.goto(`${served.url}#/setup`);
    await page.getByRole("button", { name: "Register a passkey" }).click();
    await page.getByText("at localhost").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      expect(await axeFindings(page), colorScheme).toEqual([]);
    }

    expect(await command("approve", item)).toMatchObject(unsigned);
    expect(await command("approve_many", { items: [item] })).toMatchObject(unsigned);
    expect(await command("next_slot", item)).toMatchObject(unsigned);
    await tuitbot(home, ["approve", "--id", String(item.id), "--yes"], {
      TUITBOT_APPROVALS__ALLOW_WITHOUT_TERMINAL: "true",
    });
    expect(await served.call("approve_item", { id: item.id })).toMatchObject({ success: false });

    const approves = { purpose: "approve", items: [item] } as const;
    for (const wrong of [
      // Over the content of another item, for another purpose, and for both where one is approved.
      { purpose: "approve", items: [other] },
      { purpose: "approve", items: [{ ...item, digest: other.digest }] },
      { purpose: "next_slot", items: [item] },
      { purpose: "approve", items: [item, other] },
    ] satisfies Challenge[])
      expect(await command("approve", { ...item, signature: await sign(wrong) })).toMatchObject(unsigned);

    const { ticket, response } = await sign(approves);
    const { signature = "" } = Object(response.response) as { readonly signature?: string };
    const flipped = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
    for (const forged of [
      { ticket: `${ticket}0`, response },
      { ticket, response: { ...response, id: "AAAA", rawId: "AAAA" } },
      { ticket, response: { ...response, response: { ...Object(response.response), signature: flipped } } },
      { ticket, response: {} },
    ])
      expect(await command("approve", { ...item, signature: forged })).toMatchObject(unsigned);

    await devices.send("WebAuthn.setUserVerified", { authenticatorId: device, isUserVerified: false });
    const unverified = await sign(approves, "discouraged");
    await devices.send("WebAuthn.setUserVerified", { authenticatorId: device, isUserVerified: true });
    expect(await command("approve", { ...item, signature: unverified })).toMatchObject(unsigned);

    expect(await isOut("Only with a finger.")).toBe(false);
    expect(await command("approve", { ...item, signature: { ticket, response } })).toMatchObject({
      status: 200,
    });
    expect(await isOut("Only with a finger.")).toBe(true);
    await command("reject", { id: other.id, digest: other.digest });
  });

  test("a signature counts once, also where the item waits again", async () => {
    const item = await proposed("Stopped in between.");
    const signature = await sign({ purpose: "approve", items: [item] });
    await command("stop", {});
    expect(await command("approve", { ...item, signature })).toMatchObject({
      status: 409,
      body: { error: { failure: { reason: "stopped_by_person" } } },
    });
    await command("resume", {});
    // Passkeys that are on several devices do not count their uses.
    const [file = ""] = globSync(`${home}/.tuitbot/sandboxes/*/tuitbot.db`);
    const database = new DatabaseSync(file, { timeout: 5_000 });
    database.exec("update web_passkeys set uses = 0");
    database.close();
    expect(await command("approve", { ...item, signature })).toMatchObject(unsigned);
    expect(await isOut("Stopped in between.")).toBe(false);
    const again = await sign({ purpose: "approve", items: [item] });
    expect(await command("approve", { ...item, signature: again })).toMatchObject({ status: 200 });
  });

  test("every way of the page asks for it: approve, edit and approve, next slot, Publish, and several with one signature", async () => {
    await proposed("The oven needs 220 degrees.");
    await openInbox("The oven needs");
    await page.keyboard.press("e");
    await page.getByLabel("Your words").fill("The oven needs 250 degrees.");
    await page.keyboard.press("Control+Enter");
    await page.locator(".proposal", { hasText: "250 degrees" }).waitFor();
    await page.keyboard.press("a");
    await page.getByText("Approved and sent.").first().waitFor();
    expect(await isOut("250 degrees")).toBe(true);

    await proposed("Some day soon.");
    await openInbox("Some day soon.");
    await page.keyboard.press("s");
    await page.getByText(/^Scheduled for /).waitFor();
    const { body } = await command("drafts", {});
    expect(body.drafts).toMatchObject([{ status: "scheduled", approval: "approved" }]);

    await page.goto(`${served.url}#/compose`);
    await page.locator(".editor textarea").first().fill("Published with a signature.");
    const unsent = signatures;
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText(/^Publishing in 10 seconds/).waitFor();
    expect(signatures - unsent).toBe(1);
    await page.keyboard.press("u");
    await page.getByText("Not published.").waitFor();

    for (const text of ["The first of two.", "The second of two."]) await proposed(text);
    await openInbox("The first of two.");
    await page.keyboard.press("x");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    const before = signatures;
    await page.getByRole("button", { name: "Approve…" }).click();
    await page.getByRole("button", { name: "Approve all of these" }).click();
    await page.locator("dialog").waitFor({ state: "detached" });
    expect(signatures - before).toBe(1);
    expect([await isOut("The first of two."), await isOut("The second of two.")]).toEqual([true, true]);
  });

  test("a client is connected only with it, with the permissions that were signed, and changed only with it", async () => {
    const client = await connectingClient(served.url, {
      name: "Notebook",
      async open(authorize) {
        await page.goto(authorize.href);
        await page.getByRole("heading", { name: "Connect Notebook?" }).waitFor();
        const request = new URLSearchParams(page.url().split("?")[1]).get("request") ?? "";
        const shown = {
          ...{ request, agent: null, accounts: ["default"], calls_per_day: 200, usd_per_day: 1 },
          profile: "readonly" as const,
        };
        const wanted = { ...shown, approve: true, profile: "write" } as const;
        expect(await command("client_decide", wanted)).toMatchObject(unsigned);
        const signature = await sign({ purpose: "connect", client: shown });
        expect(await command("client_decide", { ...wanted, signature })).toMatchObject(unsigned);
        const before = signatures;
        await page.getByRole("button", { name: "Connect", exact: true }).click();
        await page.getByText("You can close this window.").waitFor();
        expect(signatures - before).toBe(1);
      },
    });
    const connected = await client.connect();
    const { tools } = await connected.listTools();
    expect(tools.map(({ name }) => name)).not.toContain("x_post_tweet");
    await connected.close();
    await client.close();
    await page.goto(`${served.url}#/setup`);
    const profile = page.getByRole("combobox", { name: "Profile of notebook" });
    await profile.waitFor();
    const wider = { name: "notebook", profile: "write", calls_per_day: 200, usd_per_day: 1 } as const;
    expect(await command("agent_permit", wider)).toMatchObject(unsigned);
    const before = signatures;
    await profile.selectOption("write");
    const profileNow = async () => (await command("agents", {})).body.agents[0]?.profile;
    await expect.poll(profileNow).toBe("write");
    expect(signatures - before).toBe(1);
  });

  test("an agent that drives the browser can neither add nor remove a passkey", async () => {
    const { passkeys } = (await command("passkeys", {})).body;
    expect(passkeys).toHaveLength(1);
    const [{ id = "" } = {}] = passkeys;
    expect(await command("passkey_remove", { id })).toMatchObject(unsigned);
    // The person does not touch their own device; the agent has one that says yes to everything.
    const touches = (enabled: boolean) =>
      devices.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId: device, enabled });
    await touches(false);
    const foreign = await newDevice("usb");
    const made = await command("passkey_new", {});
    const response = await page.evaluate(async (options) => {
      const parsed = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(options));
      const credential = await navigator.credentials.create({
        publicKey: { ...parsed, excludeCredentials: [] },
      });
      return JSON.stringify(credential);
    }, JSON.stringify(made.body.options));
    await devices.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId: foreign });
    await touches(true);
    const added = { ticket: made.body.ticket, response: JSON.parse(response) };
    expect(await command("passkey_add", added)).toMatchObject(unsigned);
    expect((await command("passkeys", {})).body.passkeys).toHaveLength(1);
    // Its own device may.
    const vouched = await sign({ purpose: "remove", id });
    expect(await command("passkey_remove", { id: "another", signature: vouched })).toMatchObject(unsigned);
    const item = await proposed("Without passkeys again.");
    expect(await command("approve", item)).toMatchObject(unsigned);
    expect(
      await command("passkey_remove", { id, signature: await sign({ purpose: "remove", id }) }),
    ).toMatchObject({ status: 200, body: { passkeys: [], required: false } });
    expect(await command("approve", item)).toMatchObject({ status: 200 });
  });
});
