import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queuedItem } from "../live-server.ts";
import { Browser, newHome, type Served, serve } from "./served.ts";

const { home, remove } = newHome();
let served: Served;
let owner: Browser;

beforeAll(async () => {
  served = await serve(home);
  owner = new Browser(served.url);
  expect(await owner.signIn(served.link)).toMatchObject({ status: 200, body: { role: "owner" } });
});

afterAll(async () => {
  await served.stop();
  remove();
});

/** The agent proposes a post; the item as the page shows it. */
async function proposed(text: string) {
  const id = queuedItem(await served.call("x_post_tweet", { text }));
  const { body } = await owner.command("pending");
  const item = body.items.find((one) => one.id === id);
  if (item === undefined) throw new Error(`Item ${id} does not wait.`);
  return item;
}

describe("signing in", () => {
  test("works once, sets a cookie that scripts and other sites do not get, and says who and where", async () => {
    const again = new Browser(served.url);
    expect(await again.signIn(served.link)).toMatchObject({
      status: 401,
      body: { error: { code: "signed_out", fix: expect.stringContaining("tuitbot web") } },
    });
    expect(await again.session()).toMatchObject({ signed_in: false, sign_in: ["link"] });
    expect(await owner.session()).toMatchObject({
      signed_in: true,
      role: "owner",
      is_sandbox: true,
      approval_mode: true,
      account: { username: expect.any(String) },
      csrf_token: owner.csrf,
    });
  });
});

describe("what waits", () => {
  test("is shown with its context, approved by what was seen, and goes out once", async () => {
    const item = await proposed("Rye today.");
    expect(item).toMatchObject({
      tool: "x_post_tweet",
      posts: [{ text: "Rye today.", length: 10 }],
      asked_by: { client: expect.stringContaining("agent of the test"), transport: "http" },
    });
    expect(await owner.command("approve", { id: item.id, digest: "0".repeat(64) })).toMatchObject({
      status: 409,
      body: { error: { failure: { code: "policy_denied_hard_rule", reason: "content_changed" } } },
    });
    expect(await owner.command("approve", { id: item.id, digest: item.digest })).toMatchObject({
      status: 200,
      body: { status: "approved", result: { url: expect.any(String) } },
    });
    expect(await owner.command("approve", { id: item.id, digest: item.digest })).toMatchObject({
      status: 409,
      body: {
        error: { message: expect.stringMatching(/person via web/), failure: { reason: "already_decided" } },
      },
    });
  });

  test("is rejected with a reason that the agent reads", async () => {
    const item = await proposed("Buy now.");
    expect(await owner.command("reject", { id: item.id, reason: "Too salesy" })).toMatchObject({
      status: 200,
    });
    expect(await served.call("x_post_tweet", { text: "Buy now." })).toMatchObject({
      success: false,
      error: { message: expect.stringContaining("Too salesy") },
    });
  });
});
