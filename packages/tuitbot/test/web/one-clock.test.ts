import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Browser, newHome, serve } from "./served.ts";

const MINUTE = 60_000;
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
    // X tells the time to the second, and its answers take some time.
    const earliest = new Date(Date.parse(set) - MINUTE).toISOString();
    const moved = await fetch(new URL("/_sandbox/clock", url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ set }),
    });
    expect(moved.ok).toBe(true);
    // X's time comes with its answers.
    await served.call("x_search_tweets", { query: "sourdough" });
    // A bad call has no receipt, and an approved one has one.
    await served.call("x_like_tweet", { tweet_id: "nothing" });
    await served.call("x_post_tweet", { text: "Said a week later." });
    const [item] = (await owner.command("pending")).body.items;
    await owner.command("approve", { id: item?.id ?? 0, digest: item?.digest ?? "" });
    const { entries } = (await owner.command("log")).body;
    expect(entries.map((entry) => entry.tool_name).toSorted()).toEqual(["x_like_tweet", "x_post_tweet"]);
    for (const { created_at, tool_name } of entries) expect(created_at >= earliest, tool_name).toBe(true);
  } finally {
    await served.stop();
    remove();
  }
}, 60_000);
