import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Browser as Chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cleanEnv, tuitbotCommand } from "../../tuitbot/test/live-server.ts";
import { newHome, tuitbot } from "../../tuitbot/test/web/served.ts";
import { type ChatWindow, chatWindow } from "./app-window.ts";
import { buildPage } from "./built-page.ts";
import { chromiumPath, openChromium } from "./chromium.ts";

const path = chromiumPath();
if (path === undefined) console.error("!!! NOT TESTED in a browser: there is no Chromium.");

/** The official host bridge in a real browser, with the official client and a separate server. */
describe.skipIf(path === undefined)("in the window of a chat", () => {
  let home: string;
  let remove: () => void;
  let client: Client;
  let chromium: Chromium;
  let chat: ChatWindow;
  /** Whether the person agrees, when the client asks. */
  let says = true;
  const asked: string[] = [];

  beforeAll(async () => {
    await buildPage();
    ({ home, remove } = newHome());
    client = new Client(
      { name: "chat", version: "1" },
      {
        capabilities: {
          elicitation: { form: {} },
          extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
        },
      },
    );
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      return { action: "accept" as const, content: { reject: says ? "yes" : "no" } };
    });
    const { command, args } = tuitbotCommand;
    await client.connect(
      new StdioClientTransport({
        command,
        args: [...args, "mcp", "serve", "--sandbox"],
        env: cleanEnv(home, { TUITBOT_SERVER__PUBLIC_URL: "https://bot.example" }),
        stderr: "ignore",
      }),
    );
    chromium = await openChromium(path ?? "");
    chat = await chatWindow(await chromium.newPage(), client);
  }, 60_000);

  afterAll(async () => {
    await chromium?.close();
    await client?.close();
    remove?.();
  });

  const terminal = (...words: string[]) =>
    tuitbot(home, ["approve", "--sandbox", ...words], {
      TUITBOT_APPROVALS__ALLOW_WITHOUT_TERMINAL: "true",
    });

  async function itemOf(id: number) {
    const { contents } = await client.readResource({ uri: `tuitbot://approvals/${id}` });
    const [content] = contents;
    return JSON.parse(content !== undefined && "text" in content ? content.text : "null");
  }

  const HOSTILE = `Rye. <img src="https://evil.example/x.png" onerror="top.hacked=1"> </script><script>top.hacked=1</script>`;

  test("a waiting call is shown harmlessly, opens the person's page, and is not decided by a click", async () => {
    const { frame, result, uri } = await chat.call("x_post_tweet", { text: HOSTILE });
    expect(uri).toBe("ui://tuitbot/approval");
    // The words for clients without apps are the whole answer.
    expect(result.content).toMatchObject([
      { type: "text", text: expect.stringContaining("waits for a person") },
    ]);
    const { approval_queue_id: id } = Object(Object(result.structuredContent).data);
    await frame.getByText(`Item ${id}: needs your approval`).waitFor();
    expect(await frame.locator(".post-text").textContent()).toBe(HOSTILE);
    expect(await frame.locator("img").count()).toBe(0);
    expect(await frame.locator("button").allTextContents()).toEqual([
      "Approve or reject in the dashboard",
      "Propose another text",
    ]);
    await frame.getByRole("button", { name: "Approve or reject" }).click();
    await expect.poll(() => chat.opened).toEqual([`https://bot.example/#/inbox/${id}`]);
    expect(await itemOf(id)).toMatchObject({ status: "pending" });
    expect(chat.requests).toEqual([]);

    await terminal("--id", String(id), "--reject", "--reason", "No <b>markup</b>.");
    await frame.getByText(`Item ${id}: rejected`).waitFor();
    await frame.getByText("“No <b>markup</b>.”").waitFor();
    expect(await frame.locator("button").count()).toBe(0);
  }, 30_000);

  test("another text is proposed as a new call, and the person is asked about the old one", async () => {
    const { frame, result } = await chat.call("x_post_tweet", { text: "Spelt, cheap!" });
    const { approval_queue_id: old } = Object(Object(result.structuredContent).data);
    await frame.getByRole("button", { name: "Propose another text" }).click();
    await frame.locator("textarea").fill("Spelt on Tuesday.");
    await frame.locator("form button[type=submit]").click();
    await frame.getByText(`The new text waits as item ${old + 1}.`).waitFor();
    await frame.getByText(`Item ${old}: rejected`).waitFor();
    expect(asked.at(-1)).toContain("│ Spelt, cheap!");
    expect(await itemOf(old)).toMatchObject({
      person_says: expect.stringContaining(`Replaced by item ${old + 1}`),
    });
    await terminal("--id", String(old + 1), "--yes");
    await frame.getByText(`Item ${old + 1}: approved and done`).waitFor();
    await frame.getByText('person via terminal, user "').waitFor();
    expect(await itemOf(old + 1)).toMatchObject({ result: { text: "Spelt on Tuesday." } });

    // If the user keeps the old one, both wait.
    says = false;
    const both = await chat.call("x_post_tweet", { text: "Barley." });
    await both.frame.getByRole("button", { name: "Propose another text" }).click();
    await both.frame.locator("textarea").fill("Oats.");
    await both.frame.locator("form button[type=submit]").click();
    await both.frame.getByText(/Item \d+ waits too: reject it in the dashboard\./).waitFor();
    const listed = await chat.call("list_pending_approvals", {});
    await listed.frame.getByText("needs your approval").nth(1).waitFor();
  }, 30_000);

  test("a draft is shown as X will show it, and figures as on the page", async () => {
    const draft = await chat.call("create_draft", { texts: ["First, see example.com.", "Second."] });
    expect(draft.uri).toBe("ui://tuitbot/post-preview");
    await draft.frame.getByText("Draft 1").waitFor();
    expect(await draft.frame.locator(".post-text").allTextContents()).toEqual([
      "First, see example.com.",
      "Second.",
    ]);
    expect(await draft.frame.locator("mark.link").allTextContents()).toEqual(["example.com"]);
    await client.callTool({ name: "refresh_analytics", arguments: {} });
    const figures = await chat.call("get_analytics_summary", {});
    expect(figures.uri).toBe("ui://tuitbot/analytics");
    await figures.frame.getByRole("heading", { name: "Followers" }).waitFor();
    expect(await figures.frame.locator(".figure .big").first().textContent()).toMatch(/^[\d,]+$/);
    expect(chat.requests).toEqual([]);
  }, 30_000);
});
