import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { authorization, newClient } from "../../contract/test/oauth/oauth-client.ts";
import { type ConnectingClient, connectingClient } from "../../tuitbot/test/connecting-client.ts";
import { newHome } from "../../tuitbot/test/web/served.ts";
import { axeFindings } from "./axe.ts";
import { hasChromium, openSignedIn, type SignedInPage } from "./signed-in-page.ts";

describe.skipIf(!hasChromium)("a client that is added by URL", () => {
  const { home, remove } = newHome();
  let opened: SignedInPage;
  const clients: ConnectingClient[] = [];

  beforeAll(async () => {
    opened = await openSignedIn(home);
  }, 120_000);

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await opened?.chromium.close();
    await opened?.served.stop();
    remove();
  });

  /** A client whose sign-in the owner answers in Chromium. */
  async function client(name: string, decide: () => Promise<void>) {
    const { page, served } = opened;
    const made = await connectingClient(served.url, {
      name,
      async open(authorize) {
        await page.goto(authorize.href);
        await decide();
        await page.getByText("You can close this window.").waitFor();
      },
    });
    clients.push(made);
    return made;
  }

  test("is shown with its name and host, gets reads by default, and is listed and revoked under Agents", async () => {
    const { page } = opened;
    const made = await client("Notebook", async () => {
      await page.getByRole("heading", { name: "Connect Notebook?" }).waitFor();
      expect(await page.getByText("not verified").count()).toBe(1);
      expect(await page.getByText("a program on this device").count()).toBe(1);
      expect(await page.getByText(/^default \(@\w+\)$/).count()).toBe(1);
      expect(await page.getByRole("combobox", { name: "May use" }).inputValue()).toBe("readonly");
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        expect(await axeFindings(page)).toEqual([]);
      }
      await page.getByLabel("Calls per day").fill("3");
      await page.getByRole("button", { name: "Connect", exact: true }).click();
    });
    const connected = await made.connect();
    const { tools } = await connected.listTools();
    expect(tools.map(({ name }) => name)).toContain("x_search_tweets");
    expect(tools.map(({ name }) => name)).not.toContain("x_post_tweet");
    const read = () => connected.callTool({ name: "x_search_tweets", arguments: { query: "sourdough" } });
    expect(await read()).toMatchObject({ structuredContent: { success: true } });
    // The limit that the owner lowered.
    await read();
    await read();
    expect(await read()).toMatchObject({ structuredContent: { success: false } });

    await page.goto(`${opened.served.url}#/setup`);
    const row = page.locator("section", { has: page.getByRole("heading", { name: "Agents" }) }).locator("li");
    await row.getByText("notebook").waitFor();
    expect(await row.textContent()).toMatch(/Signed in by .* through 127\.0\.0\.1/);
    await row.getByRole("button", { name: "Revoke notebook" }).click();
    await row.getByText("ended").waitFor();
    await expect(read()).rejects.toThrow();
    await connected.close();
  });

  test("gets the profile that the owner chooses, and another one from its next call on", async () => {
    const { page, served } = opened;
    const made = await client("Writer", async () => {
      await page.getByRole("combobox", { name: "May use" }).selectOption("write");
      await page.getByRole("button", { name: "Connect", exact: true }).click();
    });
    const connected = await made.connect();
    const text = "A post that a signed-in client proposes.";
    expect(await connected.callTool({ name: "x_post_tweet", arguments: { text } })).toMatchObject({
      structuredContent: { success: true },
    });
    await page.goto(`${served.url}#/setup`);
    await page.getByRole("combobox", { name: "Profile of writer" }).selectOption("readonly");
    const names = async () => (await connected.listTools()).tools.map(({ name }) => name);
    await expect.poll(names, { timeout: 20_000 }).not.toContain("x_post_tweet");
    await connected.close();
  });

  test("with markup in its name is shown as text, on a page that no other site can frame", async () => {
    const { page, context, served } = opened;
    const client_name = `<img src=x onerror="document.body.remove()">`;
    const { url } = authorization(await newClient(new URL(served.url).origin, { client_name }));
    await page.goto(url.href);
    await page.getByRole("heading", { name: `Connect ${client_name}?` }).waitFor();
    expect(await page.locator("img").count()).toBe(0);
    const foreign = createServer((_, response) =>
      response
        .setHeader("content-type", "text/html")
        .end(`<iframe src="${url.href.replaceAll("&", "&amp;")}"></iframe>`),
    );
    await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void foreign.close());
    // The address of a listening TCP server.
    const { port } = foreign.address() as AddressInfo;
    const other = await context.newPage();
    await other.goto(`http://127.0.0.1:${port}/`);
    await expect.poll(() => other.frames().at(-1)?.url()).toMatch(/^chrome-error:/);
    await other.close();
  });

  test("is not shown again once it is decided or took too long", async () => {
    const { page, served } = opened;
    await page.goto(`${served.url}#/connect?request=unknown`);
    await page.reload();
    await page.getByText("took too long. Connect again in your client.").waitFor();
    expect(await page.getByRole("button").count()).toBe(0);
  });

  test("gets nothing if the owner cancels", async () => {
    const { page } = opened;
    const made = await client("Unwanted", () => page.getByRole("button", { name: "Cancel" }).click());
    await expect(made.connect()).rejects.toThrow(/refused|denied/i);
  });
});
