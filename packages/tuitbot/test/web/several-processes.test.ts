import { Sandbox } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { EventKind } from "../../src/web/api.ts";
import { queuedItem } from "../live-server.ts";
import { signedInEnv } from "../signed-in-env.ts";
import { EventReader } from "./event-reader.ts";
import { Browser, newHome, type Served, serve, tuitbot } from "./served.ts";

/** Two servers of one account on one database: a user on the dashboard of one, an agent on the other. */
let home: string;
let remove: () => void;
let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;
let started: Served[];

beforeEach(async () => {
  ({ home, remove } = newHome());
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  env = await signedInEnv(home, sandbox);
  started = [];
});

afterEach(async () => {
  await Promise.all(started.map(({ stop }) => stop()));
  await sandbox.close();
  remove();
});

async function start(port = "0"): Promise<Served> {
  const served = await serve(home, { words: ["mcp", "serve", "--http", port], env });
  started.push(served);
  return served;
}

async function listen(browser: Browser, headers: Record<string, string> = {}): Promise<EventReader> {
  const gone = new AbortController();
  const response = await browser.request("/api/events", { headers, signal: gone.signal });
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  return new EventReader(response, () => gone.abort());
}

/** Reads until the page receives this count. */
async function until(page: EventReader, kind: EventKind, count: number): Promise<void> {
  for (;;) {
    const [event] = await page.take(1);
    if (event === undefined) throw new Error("The stream has ended.");
    if (event.kind === kind && event.count === count) return;
  }
}

const posts = () => sandbox.journal.entries.filter(({ operation }) => operation === "createPosts").length;

test("what an agent proposes at one server arrives at the page of the other, also after a kill and restart", async () => {
  const [shown, other] = [await start(), await start()];
  const owner = new Browser(shown.url);
  await owner.signIn(shown.link);
  const page = await listen(owner);
  await page.take(6);
  const id = queuedItem(await other.call("x_post_tweet", { text: "Rye today." })) ?? 0;
  await until(page, "approvals", 1);

  await shown.stop("SIGKILL");
  await other.call("x_post_tweet", { text: "Spelt tomorrow." });
  const back = await start(new URL(shown.url).port);
  expect(back.url).toBe(shown.url);
  // The browser is still signed in, and asks with the last id that it saw.
  const again = await listen(owner, { "last-event-id": page.lastId ?? "" });
  await until(again, "approvals", 2);
  const { body } = await owner.command("pending");
  const item = body.items.find((one) => one.id === id);
  expect(await owner.command("approve", { id, digest: item?.digest ?? "" })).toMatchObject({ status: 200 });
  await until(again, "approvals", 1);
  again.leave();
  expect(posts()).toBe(1);
});

test("the loops and the dashboard run in one process and end with it", async () => {
  const words = ["run", "--web"];
  const loops = await serve(home, { words, env });
  started.push(loops);
  const owner = new Browser(loops.url);
  expect(await owner.signIn(loops.link)).toMatchObject({ status: 200 });
  await expect
    .poll(async () => (await owner.command("runner")).body, { timeout: 20_000 })
    .toMatchObject({
      runner: { alive: true },
      loops: expect.arrayContaining([
        expect.objectContaining({ name: "analytics", last_ran_at: expect.any(String) }),
      ]),
    });
  await loops.stop();
  await expect(owner.session()).rejects.toThrow();
});

test("one stop stops every agent and loop in every process, and says so everywhere", async () => {
  const [shown, other] = [await start(), await start()];
  const owner = new Browser(shown.url);
  await owner.signIn(shown.link);
  const page = await listen(owner);
  await page.take(6);
  const id = queuedItem(await other.call("x_post_tweet", { text: "Before the stop." })) ?? 0;
  const [item] = (await owner.command("pending")).body.items;
  expect(await owner.command("approve", { id, digest: item?.digest ?? "" })).toMatchObject({ status: 200 });
  const waiting = queuedItem(await other.call("x_post_tweet", { text: "Waits." })) ?? 0;

  expect(await owner.command("stop", { reason: "Wrong name" })).toMatchObject({
    status: 200,
    body: { stop: { by: expect.stringContaining("person via web"), reason: "Wrong name" } },
  });
  await until(page, "stop", 1);
  const stopped = {
    code: "policy_denied_user_rule",
    reason: "stopped_by_person",
    message: expect.stringContaining("Wrong name"),
  };
  for (const { call } of [shown, other]) {
    expect(await call("x_post_tweet", { text: "After the stop." })).toMatchObject({
      success: false,
      error: stopped,
    });
    expect(await call("health_check")).toMatchObject({
      data: { status: "degraded", stop: { reason: "Wrong name" } },
    });
  }
  const [left] = (await owner.command("pending")).body.items;
  expect(left?.id).toBe(waiting);
  expect(await owner.command("approve", { id: waiting, digest: left?.digest ?? "" })).toMatchObject({
    status: 409,
    body: { error: { failure: { reason: "stopped_by_person" } } },
  });
  expect(JSON.parse(await tuitbot(home, ["status", "--output", "json"], env))).toMatchObject({
    pending_approvals: 1,
    stop: { reason: "Wrong name" },
  });
  const { loops } = JSON.parse(await tuitbot(home, ["tick", "--ignore-schedule", "--output", "json"], env));
  for (const [name, end] of Object.entries(loops))
    expect(end, name).toMatchObject({ status: "skipped", reason: expect.stringContaining("stopped") });
  expect(posts()).toBe(1);

  // Sent posts can still be undone by the user.
  const { undoable } = (await owner.command("undo", { list: true })).body;
  expect(await owner.command("undo", { id: undoable[0]?.id })).toMatchObject({
    status: 200,
    body: { undone: true },
  });

  expect(await tuitbot(home, ["resume"], env)).toContain("Resumed");
  await until(page, "stop", 0);
  page.leave();
  expect(await owner.command("approve", { id: waiting, digest: left?.digest ?? "" })).toMatchObject({
    status: 200,
  });
  expect(posts()).toBe(2);
});
