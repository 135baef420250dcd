import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { axeFindings } from "../../../tuitbot-web/test/axe.ts";
import { chromiumPath, openChromium } from "../../../tuitbot-web/test/chromium.ts";
import { planWords } from "../../src/gate/plan-calls.ts";
import { inboxStage } from "./inbox-stage.ts";

const path = chromiumPath();
if (path === undefined) console.warn("There is no Chromium: the page of the gate's inbox is not tested.");

describe.skipIf(path === undefined)("the page of the inbox", async () => {
  const browser = await openChromium(path ?? "");
  afterAll(() => browser.close());

  test("shows what will be sent as text, keeps what a person is writing, and decides by its buttons", async () => {
    await using stage = await inboxStage("<b>notes</b>");
    const { storage, link, propose, lose } = stage;
    await propose({ path: "plan.md", content: "<img src=x onerror=alert(1)>\u202egpj" });
    const existing = join(stage.folder, "old.md");
    writeFileSync(existing, "one\ntwo\n");
    const page = await browser.newPage({ colorScheme: "dark" });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).origin));
    page.on("dialog", () => asked.push("a dialog"));
    await page.goto(link);
    const first = page.locator("article", { hasText: "#1" });
    await first.waitFor();
    expect(await first.locator("code").last().textContent()).toContain(
      "<img src=x onerror=alert(1)>\\u{202e}gpj",
    );
    expect(await page.locator("h1").textContent()).toBe("<b>notes</b>");
    expect(page.url()).not.toContain("#");

    // Another call and an unknown outcome arrive meanwhile.
    await first.locator("input").fill("Not in my");
    await first.locator("input").focus();
    await propose({ path: existing, content: "one\nthree\n" });
    await lose("move_file", { source: "a", destination: "b" });
    await page.locator("article", { hasText: "move_file" }).waitFor();
    await page.keyboard.type(" notes");
    expect(await first.locator("input").inputValue()).toBe("Not in my notes");
    expect(await axeFindings(page)).toEqual([]);
    const second = page.locator("article", { hasText: "#2" });
    expect(await second.locator(".minus").textContent()).toBe("-two\n");
    expect(await second.locator(".plus").textContent()).toBe("+three\n");
    const whole = second.locator("details pre");
    expect(await whole.isVisible()).toBe(false);
    await second.getByText("content · ").click();
    expect(await whole.textContent()).toBe("one\nthree\n");

    await first.getByRole("button", { name: "Reject" }).click();
    await first.waitFor({ state: "detached" });
    await page.locator("article", { hasText: "#2" }).getByRole("button", { name: "Approve" }).click();
    await page.getByRole("button", { name: "It was not done" }).click();
    await page.getByText("Nothing waits.").waitFor();
    expect(await storage.item(1)).toMatchObject({ status: "rejected", note: "Not in my notes" });
    expect(await storage.item(2)).toMatchObject({ status: "approved" });
    expect(await storage.inDoubt(Date.now())).toEqual([]);
    expect(new Set(asked)).toEqual(new Set([new URL(link).origin]));
    await page.emulateMedia({ colorScheme: "light" });
    expect(await axeFindings(page)).toEqual([]);
    await page.close();
  });

  test("shows the rule before similar calls are allowed, and approves a whole plan with one button", async () => {
    await using stage = await inboxStage("notes");
    const { storage, link, propose, policy, folder } = stage;
    await propose({ path: join(folder, "a.md"), content: "<b>x</b>" });
    for (const step of [1, 2])
      await propose(
        { path: join(folder, `plan-${step}.md`), content: "y" },
        "write_file",
        `${planWords({ id: "0123abcd", title: "Tidy <b>up</b>", step, of: 2 })}The policy requires approval.`,
      );
    const page = await browser.newPage({ viewport: { width: 390, height: 900 } });
    await page.goto(link);
    const first = page.locator("article", { hasText: "#1" });
    await first.getByText("Allow similar for…").click();
    await first.getByRole("button", { name: "Week" }).click();
    await first.getByText(`inside(args.path, "${folder}")`).waitFor();
    expect(await first.locator(".hint").allTextContents()).toEqual(
      expect.arrayContaining([
        "Any content is allowed.",
        "Of the last 0 calls it would have passed 0, and not 0 others of write_file and 0 of other tools.",
      ]),
    );
    expect(await axeFindings(page)).toEqual([]);
    const picture = process.env.INBOX_PICTURE;
    if (picture !== undefined) await page.screenshot({ path: picture, fullPage: true });
    expect(readFileSync(policy, "utf8")).toBe("");
    await first.getByRole("button", { name: "Approve, and allow similar for a week" }).click();
    await first.waitFor({ state: "detached" });
    expect(await storage.item(1)).toMatchObject({ status: "approved", decidedBy: "person via web" });
    expect(readFileSync(policy, "utf8")).toContain("[[similar]]\nitem = 1\n");

    const plan = page.locator("article.plan");
    expect(await plan.locator("h3").textContent()).toBe("Plan: Tidy <b>up</b>");
    await plan.getByRole("button", { name: "Approve all 2" }).click();
    await page.getByText("Nothing waits.").waitFor();
    for (const id of [2, 3]) expect(await storage.item(id)).toMatchObject({ status: "approved" });
    await page.close();
  });
});
