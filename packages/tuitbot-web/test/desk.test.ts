import { globSync, readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newHome } from "../../tuitbot/test/web/served.ts";
import { axeFindings } from "./axe.ts";
import { PIXEL } from "./pixel.ts";
import { hasChromium, openSignedIn, type SignedInPage } from "./signed-in-page.ts";

const DAY = 86_400_000;

/** Polls, comments, snippets, the media library, messages and undo. */
describe.skipIf(!hasChromium)("the desk of a writer", () => {
  let here: SignedInPage;
  let page: Page;
  const { home, remove } = newHome();

  beforeAll(async () => {
    here = await openSignedIn(home, {
      env: { TUITBOT_NOTIFY__PEOPLE: JSON.stringify([{ name: "Ana", role: "approver" }]) },
    });
    ({ page } = here);
  }, 120_000);

  afterAll(async () => {
    await here?.chromium.close();
    await here?.served.stop();
    remove();
  });

  const editor = () => page.locator(".editor .posts > li > label textarea").first();
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const undo = () => page.locator(".toast").last().getByRole("button", { name: "Undo" }).click();

  async function open(address: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(`${here.served.url}#/${address}`);
  }

  async function drafts(): Promise<readonly Record<string, unknown>[]> {
    const { data } = await here.served.call("list_drafts");
    return (Object(data) as { readonly drafts: readonly Record<string, unknown>[] }).drafts;
  }

  /** Asks the sandbox as somebody else. */
  async function as(user: string, path: string, body: object): Promise<void> {
    const [running = ""] = globSync(`${home}/.tuitbot/sandboxes/*/running.json`);
    // Written by the server.
    const { url } = JSON.parse(readFileSync(running, "utf8")) as { readonly url: string };
    const post = async (to: string, content: object, token?: string) => {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const headers = { "content-type": "application/json", ...authorization };
      const answer = await fetch(new URL(to, url), {
        method: "POST",
        headers,
        body: JSON.stringify(content),
      });
      expect(answer.ok, await answer.clone().text()).toBe(true);
      return (await answer.json()) as { readonly access_token: string };
    };
    const { access_token } = await post("/_sandbox/tokens", { user });
    await post(path, body, access_token);
  }

  test("has polls, who may reply and labels, which the preview and the approver see", async () => {
    await open("compose");
    await editor().fill("Which flour next?");
    await button("Poll").click();
    await page.getByText("A poll needs at least two choices.").waitFor();
    expect(await button("Publish").isDisabled()).toBe(true);
    await page.getByLabel("Choice 1").fill("Rye");
    await page.getByLabel("Choice 2").fill("Spelt");
    await page.getByLabel("Who can reply").selectOption("verified");
    await page.getByLabel("Made with AI").check();
    const preview = page.locator(".preview .card");
    await preview.getByText("Can reply: Verified accounts · Made with AI").waitFor();
    await preview.getByText("Spelt", { exact: true }).waitFor();
    await page.locator(".verdict.ok", { hasText: "Ready to publish." }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await button("Publish").click();
    await page.getByText("Published.", { exact: true }).waitFor({ timeout: 40_000 });

    await here.served.call("x_post_tweet", { text: "Bread or cake?", poll_options: ["Bread", "Cake"] });
    await open("inbox");
    const item = page.locator(".item");
    await item.locator(".poll-preview").getByText("Cake", { exact: true }).waitFor();
    expect(await item.getByText("poll_options").count()).toBe(0);
    // Every post needs approval, so the reason is not shown.
    expect(await item.locator(".reason").count()).toBe(0);
    await page.keyboard.press("r");
    await page.keyboard.press("Enter");
    await page.getByText("Rejected.").waitFor();
  });

  test("answers a post by its link, and puts a quote into the text as a link", async () => {
    await open("compose");
    await editor().fill("Seen at the mill.");
    await button("Reply or quote").click();
    await page.getByLabel("Link to the post").fill("not a link");
    await page.getByText("Paste the link of a post on X.").waitFor();
    await page
      .getByLabel("Link to the post")
      .fill("https://x.com/amber_lemur/status/2123155744327995392?s=20");
    await page.locator(".preview").getByText("Replying to").waitFor();
    await page.getByLabel("Quote it").check();
    await page.locator(".preview").getByText("Quoting").waitFor();
    await button("Add the link to the text instead").click();
    await expect
      .poll(() => editor().inputValue())
      .toBe("Seen at the mill. https://x.com/i/status/2123155744327995392");
    await page.getByText("Posts with a link cost $0.20").waitFor();
    await button("Delete").click();
  });

  test("shows the agent's note and comments next to the draft, and a comment that was typed is kept", async () => {
    await here.served.call("create_draft", {
      texts: ["Rye at ten percent."],
      scheduled_for: new Date(Date.now() + 20 * DAY).toISOString(),
      note: "From your notes on rye.",
    });
    await open("compose");
    await page.locator(".row-button", { hasText: "Rye at ten percent." }).click();
    const comments = page.getByRole("region", { name: "Notes and comments" });
    await comments.getByText("From your notes on rye.").waitFor();
    await comments.getByLabel("Add a comment for your team").fill("Not before Friday.");
    await page.reload();
    await expect
      .poll(() => comments.getByLabel("Add a comment for your team").inputValue())
      .toBe("Not before Friday.");
    await button("Comment").click();
    await comments.locator(".comment", { hasText: "Not before Friday." }).waitFor();
    await expect.poll(() => comments.getByLabel("Add a comment for your team").inputValue()).toBe("");
  });

  test("brings a deleted draft back with its time, and the approval of a scheduled one can be undone", async () => {
    await open("compose");
    await page.locator(".row-button", { hasText: "Rye at ten percent." }).click();
    await button("Delete").click();
    await page.getByText("Draft deleted.").waitFor();
    expect(await drafts()).toEqual([]);
    await page.keyboard.press("u");
    await page.getByText("Draft restored.").waitFor();
    expect(await drafts()).toMatchObject([{ status: "scheduled", approval: "waiting" }]);
    await open("inbox");
    await page.locator(".item-row", { hasText: "Rye at ten percent." }).waitFor();
    await page.keyboard.press("a");
    await page.getByText(/^Approved\. Publishes /).waitFor();
    expect(await drafts()).toMatchObject([{ approval: "approved" }]);
    await undo();
    await page.getByText("Not approved any more.").waitFor();
    expect(await drafts()).toMatchObject([{ status: "scheduled", approval: "waiting" }]);
    await page.locator(".item-row", { hasText: "Rye at ten percent." }).waitFor();
  });

  test("uses snippets and files again, and makes a thread of a long text", async () => {
    await open("compose");
    await button("New").click();
    await editor().fill("Orders: write to us.");
    await button("Insert a snippet into post 1").click();
    await button("Store this post as a snippet").click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: "Orders: write to us.", exact: true })
      .waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await editor().fill("");
    await button("Insert a snippet into post 1").click();
    await page.getByRole("dialog").getByRole("button", { name: "Orders: write to us.", exact: true }).click();
    await expect.poll(() => editor().inputValue()).toBe("Orders: write to us.");
    await page
      .locator(".editor input[type=file]")
      .setInputFiles({ name: "loaf.png", mimeType: "image/png", buffer: PIXEL });
    await page.getByLabel("Alt text").fill("A loaf on a board.");
    await button("Save").click();
    await page.getByText("Saved.").waitFor();
    await button("New").click();
    const sentence = "Rye at ten percent gives more flavor for hardly more work. ";
    await editor().fill(sentence.repeat(8).trim());
    await button("Choose from the library for post 1").click();
    await page.getByRole("dialog").getByRole("button", { name: "Add: A loaf on a board." }).click();
    await expect.poll(() => page.getByLabel("Alt text").inputValue()).toBe("A loaf on a board.");
    await button("Make a thread").click();
    const posts = page.locator(".editor .posts > li > label textarea");
    await expect.poll(() => posts.count()).toBe(2);
    await expect.poll(() => posts.first().inputValue()).toMatch(/work\.$/);
    await button("Delete").last().click();
  });

  test("shows a week as a list, which the address keeps", async () => {
    await open("calendar");
    await button("List").click();
    await expect.poll(() => page.url()).toMatch(/#\/calendar\/\d{4}-W\d\d\?as=list$/);
    await page.reload();
    await page.locator(".agenda > li").nth(6).waitFor();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.url()).toMatch(/\?as=list$/);
    await button("Week").click();
    await page.locator(".week-box").waitFor();
  });

  test("assigns mentions to people, and answers direct messages with the owner's click as the approval", async () => {
    const me = Object((await here.served.call("x_get_me")).data) as {
      readonly id: string;
      readonly username: string;
    };
    await as("amber_lemur", "/2/tweets", { text: `@${me.username} which flour is that?` });
    await as("amber_lemur", `/2/dm_conversations/with/${me.id}/messages`, { text: "Do you deliver?" });
    await open("mentions");
    await button("Check now").click();
    const mention = page.locator(".stranger", { hasText: "which flour is that?" });
    await mention.getByLabel("Assigned to").selectOption("Ana");
    await page.getByText("Assigned to Ana.").waitFor();
    await page.reload();
    await expect.poll(() => mention.getByLabel("Assigned to").inputValue()).toBe("Ana");
    await button("Messages").click();
    await button("Read messages").click();
    const conversation = page.locator(".conversation", { hasText: "Do you deliver?" });
    await conversation.getByRole("button", { name: "Reply" }).click();
    await page.getByLabel("Your reply").fill("On Fridays.");
    await button("Send the reply").click();
    await page.getByText("Sending the reply in 10 seconds.").waitFor();
    await expect
      .poll(
        async () => {
          await button("Read messages").click();
          return conversation.getByText("On Fridays.").count();
        },
        { timeout: 40_000, interval: 2_000 },
      )
      .toBe(1);
    await conversation.getByText("answered", { exact: true }).waitFor();
    const { data } = await here.served.call("list_pending_approvals");
    expect(JSON.stringify(data)).not.toContain("waits");
  });
});
