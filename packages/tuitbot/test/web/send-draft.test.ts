import { mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { signedInEnv } from "../signed-in-env.ts";
import { Browser, newHome, type Served, serve } from "./served.ts";

let home: string;
let remove: () => void;
let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;
let started: Served[];

beforeEach(async () => {
  ({ home, remove } = newHome());
  mkdirSync(join(home, ".tuitbot", "media"), { recursive: true });
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  env = await signedInEnv(home, sandbox);
  started = [];
});

afterEach(async () => {
  await Promise.all(started.map(({ stop }) => stop()));
  await sandbox.close();
  remove();
});

async function start(more: NodeJS.ProcessEnv = {}): Promise<{ served: Served; owner: Browser }> {
  const served = await serve(home, { words: ["mcp", "serve", "--http", "0"], env: { ...env, ...more } });
  started.push(served);
  const owner = new Browser(served.url);
  await owner.signIn(served.link);
  return { served, owner };
}

interface Content {
  readonly texts: readonly string[];
  readonly media?: readonly object[];
}

async function draftOf(owner: Browser, content: Content): Promise<{ id: number; revision: number }> {
  const { body } = await owner.tool("create_draft", content);
  expect(body).toMatchObject({ success: true });
  const { draft_id: id, revision } = Object(body.data) as { draft_id: number; revision: number };
  return { id, revision };
}

const sent = (text: string) =>
  sandbox.journal.entries.filter(
    ({ operation, body }) => operation === "createPosts" && JSON.stringify(body ?? null).includes(text),
  ).length;

const statusOf = async (owner: Browser, id: number) =>
  (await owner.command("drafts", { id })).body.drafts[0]?.status;

describe("a post that a signed-in owner publishes", () => {
  test("is approved by that and goes out once after ten seconds, with its files, unless it is taken back", async () => {
    const { owner } = await start();
    const file_path = join(home, ".tuitbot", "media", "dot.png");
    writeFileSync(file_path, PIXEL);
    const media = [{ post: 1, file_path, alt_text: "A dot" }];
    const kept = await draftOf(owner, { texts: ["By my own hand."], media });
    const dropped = await draftOf(owner, { texts: ["Not yet."] });
    const answer = await owner.command("send_draft", kept);
    // $0.015 for the post, and $0.005 for the alt text.
    expect(answer).toMatchObject({
      status: 200,
      body: { waits_for: null, draft: { approval: "approved" }, estimated_usd: 0.02 },
    });
    await owner.command("send_draft", dropped);
    expect((await owner.command("pending")).body.items).toEqual([]);
    const back = await owner.command("take_back", { id: dropped.id });
    expect(back).toMatchObject({ status: 200, body: { draft: { status: "draft", texts: ["Not yet."] } } });
    // Nothing is uploaded or charged before.
    expect(sandbox.journal.of("createMediaMetadata")).toEqual([]);
    expect(sent("By my own")).toBe(0);
    await expect.poll(() => statusOf(owner, kept.id), { timeout: 30_000 }).toBe("published");
    expect(sandbox.journal.of("createMediaMetadata")).toHaveLength(1);
    expect([sent("By my own"), sent("Not yet.")]).toEqual([1, 0]);
    expect((await owner.command("take_back", { id: kept.id })).status).toBe(409);
    const database = new DatabaseSync(env.TUITBOT_STORAGE__DB_PATH ?? "", { timeout: 5_000 });
    const decided = database.prepare("select status, decided_by from approvals order by id").all();
    database.close();
    expect(decided).toEqual([
      { status: "executed", decided_by: expect.stringContaining(userInfo().username) },
      { status: "expired", decided_by: expect.stringContaining(userInfo().username) },
    ]);
  });

  test("goes out once after the server was killed within the ten seconds, and not at all if it was taken back", async () => {
    const first = await start();
    const kept = await draftOf(first.owner, { texts: ["Survives a kill."] });
    const dropped = await draftOf(first.owner, { texts: ["Taken back, then killed."] });
    await first.owner.command("send_draft", kept);
    await first.owner.command("send_draft", dropped);
    await first.owner.command("take_back", { id: dropped.id });
    await first.served.stop("SIGKILL");
    expect(sent("Survives")).toBe(0);
    const [second, third] = [await start(), await start()];
    await expect.poll(() => statusOf(second.owner, kept.id), { timeout: 30_000 }).toBe("published");
    expect(await statusOf(third.owner, kept.id)).toBe("published");
    expect(await statusOf(third.owner, dropped.id)).toBe("draft");
    expect([sent("Survives"), sent("Taken back")]).toEqual([1, 0]);
  });

  test("still needs the other person where a rule asks for two", async () => {
    writeFileSync(
      join(home, ".tuitbot", "config.toml"),
      `[[mcp_policy.rules]]
id = "two"
priority = 1
action = { type = "require_approval", reason = "Two people read it.", approvals_needed = 2 }
`,
    );
    const { owner } = await start();
    const draft = await draftOf(owner, { texts: ["For two."] });
    expect(await owner.command("send_draft", draft)).toMatchObject({
      status: 200,
      body: { waits_for: "others", draft: { approval: "waiting" } },
    });
    const { items } = (await owner.command("pending")).body;
    expect(items).toMatchObject([{ people_needed: 2, approved_by: [expect.any(String)] }]);
  });

  test("is refused if it was changed, or its price has, since the owner saw it", async () => {
    const { owner } = await start();
    const draft = await draftOf(owner, { texts: ["As it was."] });
    expect((await owner.command("send_draft", { ...draft, price_usd: 0.01 })).status).toBe(409);
    await owner.tool("edit_draft", { id: draft.id, texts: ["As it is."] });
    expect((await owner.command("send_draft", draft)).status).toBe(409);
    expect(await statusOf(owner, draft.id)).toBe("draft");
    expect((await owner.command("pending")).body.items).toEqual([]);
  });
});

test("a reply of the owner goes out once after ten seconds, not if it is taken back, and waits in the inbox after a kill", async () => {
  const { served, owner } = await start({ TUITBOT_LIMITS__MAX_REPLIES_PER_AUTHOR_PER_DAY: "10" });
  const ids = ["Rye?", "Spelt?", "Oats?"].map((text) => sandbox.say(cast.friend, text).id);
  const reply = (index: number, text: string) =>
    owner.command("send_reply", { post_id: ids[index] ?? "", text });
  expect((await reply(0, "I bake that too.")).body).toMatchObject({ state: "held" });
  const { item } = (await reply(1, "Rather not.")).body;
  expect(await owner.command("take_back_reply", item ?? { id: 0, digest: "" })).toMatchObject({
    status: 200,
  });
  expect([sent("I bake that"), sent("Rather not.")]).toEqual([0, 0]);
  await expect.poll(() => sent("I bake that"), { timeout: 30_000 }).toBe(1);
  expect((await owner.command("pending")).body.items).toEqual([]);
  expect((await reply(2, "Then the server dies.")).body).toMatchObject({ state: "held" });
  await served.stop("SIGKILL");
  const { owner: again } = await start();
  const { items } = (await again.command("pending")).body;
  expect(items).toMatchObject([{ tool: "x_reply_to_tweet", args: { text: "Then the server dies." } }]);
  expect([sent("I bake that"), sent("Rather not."), sent("Then the server")]).toEqual([1, 0, 0]);
});

test("an agent that publishes or schedules the same draft still asks", async () => {
  const { served } = await start();
  const at = new Date(Date.now() + 3_600_000).toISOString();
  const created = await served.call("create_draft", { texts: ["By an agent."] });
  const { draft_id: id } = Object(created.data) as { draft_id: number };
  expect((await served.call("schedule_draft", { id, scheduled_for: at })).data).toMatchObject({
    approval: "waiting",
  });
  expect((await served.call("publish_draft", { id })).data).toMatchObject({ status: "queued" });
  expect(sent("By an agent.")).toBe(0);
});

test("the dry run agrees with Publish about threads, limits, length, media and budget", async () => {
  const { owner } = await start({
    TUITBOT_LIMITS__MAX_TWEETS_PER_DAY: "3",
    TUITBOT_BUDGET__MAX_USD_PER_DAY: "0.1",
    TUITBOT_X_API__PREMIUM: "false",
  });
  const file_path = join(home, ".tuitbot", "media", "dot.png");
  writeFileSync(file_path, PIXEL);
  const contents: readonly Content[] = [
    { texts: ["A post."] },
    { texts: ["A thread.", "Of two."] },
    { texts: ["One", "two", "three", "four"] },
    { texts: ["A link costs more than the day has left: https://example.com"] },
    { texts: ["With a picture."], media: [{ post: 1, file_path, alt_text: "A dot" }] },
    { texts: ["With too many."], media: Array.from({ length: 5 }, () => ({ post: 1, file_path })) },
    { texts: ["x".repeat(281)] },
  ];
  const seen: unknown[] = [];
  for (const content of contents) {
    const { body } = await owner.command("check_post", {
      texts: [...content.texts],
      media: [...(content.media ?? [])] as never,
    });
    const why = body.error?.message ?? (body.would === "refuse" ? body.why : undefined);
    const { body: created } = await owner.tool("create_draft", content);
    if (!created.success) {
      expect(why).toBe(created.error?.message);
      seen.push("not stored");
      continue;
    }
    const { draft_id: id, revision } = Object(created.data) as { draft_id: number; revision: number };
    const answer = await owner.command("send_draft", { id, revision });
    expect(answer.body.error?.message).toBe(why);
    expect(answer.body.estimated_usd).toBe(why === undefined ? body.estimated_usd : undefined);
    seen.push(why === undefined ? "sent" : "refused");
    await owner.command("take_back", { id });
  }
  expect(seen).toEqual(["sent", "sent", "refused", "refused", "sent", "not stored", "not stored"]);
});

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
