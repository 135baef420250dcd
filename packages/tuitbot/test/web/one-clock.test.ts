import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Browser, newHome, serve } from "./served.ts";

const WEEK = 7 * 86_400_000;

test("the log of a sandbox has the sandbox's time, as every other view", async () => {
  const { home, remove } = newHome();
  const served = await serve(home);
  try {
    const owner = new Browser(served.url);
    await owner.signIn(served.link);
    await served.call("x_get_me");
    const [file = ""] = globSync(`${home}/.tuitbot/sandboxes/*/running.json`);
    // Written by the server.
    const { url } = JSON.parse(readFileSync(file, "utf8")) as { readonly url: string };
    const set = new Date(Date.now() + WEEK).toISOString();
    const moved = await fetch(new URL("/_sandbox/clock", url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ set }),
    });
    expect(moved.ok).toBe(true);
    // A bad call has no receipt, a proposal is stored in the queue, and an approved one has a receipt.
    await served.call("x_like_tweet", { tweet_id: "nothing" });
    await served.call("x_post_tweet", { text: "Said a week later." });
    const [item] = (await owner.command("pending")).body.items;
    await owner.command("approve", { id: item?.id ?? 0, digest: item?.digest ?? "" });
    const { entries } = (await owner.command("log")).body;
    expect(entries.length).toBeGreaterThanOrEqual(3);
    for (const { created_at, tool_name } of entries) expect(created_at >= set, tool_name).toBe(true);
  } finally {
    await served.stop();
    remove();
  }
}, 60_000);
