import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, expect, test } from "vitest";
import { signedInEnv } from "../signed-in-env.ts";
import { Browser, newHome, type Served, serve } from "./served.ts";

let home: string;
let remove: () => void;
let sandbox: Sandbox;
let served: Served;
let owner: Browser;

beforeEach(async () => {
  ({ home, remove } = newHome());
  mkdirSync(join(home, ".tuitbot", "media"), { recursive: true });
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  const env = await signedInEnv(home, sandbox);
  served = await serve(home, { words: ["mcp", "serve", "--http", "0"], env });
  owner = new Browser(served.url);
  await owner.signIn(served.link);
});

afterEach(async () => {
  await served.stop();
  await sandbox.close();
  remove();
});

const posted = () =>
  sandbox.journal.entries
    .filter(({ operation }) => operation === "createPosts")
    .map(({ body }) => Object(body) as Record<string, unknown>);

test("a poll, who may reply and labels are stored with a draft, and published with it", async () => {
  const options = {
    poll_options: ["Rye", "Spelt"],
    poll_minutes: 60,
    reply_settings: "mentionedUsers" as const,
    made_with_ai: true,
  };
  const { body: draft } = await owner.command("draft_save", { texts: ["Which flour?"], media: [], options });
  expect(draft).toMatchObject({ options, revision: 1 });
  expect((await owner.command("drafts", { id: draft.draft_id })).body).toMatchObject({
    drafts: [{ options }],
    revisions: [{ by: expect.not.stringMatching(/^agent$/) }],
  });
  await owner.command("send_draft", { id: draft.draft_id, revision: 1 });
  await expect.poll(posted, { timeout: 30_000 }).toHaveLength(1);
  expect(posted()[0]).toMatchObject({
    text: "Which flour?",
    poll: { options: ["Rye", "Spelt"], duration_minutes: 60 },
    reply_settings: "mentionedUsers",
    made_with_ai: true,
  });
});

test("a draft can answer or quote a post, alone and not as a thread, also at a time", async () => {
  const { id } = sandbox.say(cast.friend, "Which flour?");
  const thread = await owner.command("draft_save", {
    ...{ texts: ["One.", "Two."], media: [] },
    options: { quoted_tweet_id: id },
  });
  expect(thread.body).toMatchObject({ error: { message: expect.stringContaining("single posts") } });
  const { body: draft } = await owner.command("draft_save", {
    ...{ texts: ["Seen here."], media: [] },
    options: { quoted_tweet_id: id },
  });
  const scheduled_for = new Date(Date.now() + 3_600_000).toISOString();
  const { body: sent } = await owner.command("send_draft", {
    id: draft.draft_id,
    revision: 1,
    scheduled_for,
  });
  expect(sent).toMatchObject({ draft: { status: "scheduled", approval: "approved" } });
  const { body: back } = await owner.command("take_back", { id: draft.draft_id });
  await owner.command("send_draft", { id: draft.draft_id, revision: back.draft.revision });
  await expect.poll(posted, { timeout: 30_000 }).toHaveLength(1);
  expect(posted()[0]).toMatchObject({ text: "Seen here.", quote_tweet_id: id });
});

test("people and agents comment on a draft, and only the author removes a person's comment", async () => {
  const { data } = await served.call("create_draft", {
    texts: ["Rye at ten percent."],
    scheduled_for: new Date(Date.now() + 86_400_000).toISOString(),
    note: "From your notes on rye.",
  });
  const { draft_id: id } = Object(data) as { readonly draft_id: number };
  const { body } = await owner.command("draft_comment", { id, text: "Not before Friday." });
  expect(body.comments).toMatchObject([
    { text: "From your notes on rye.", is_agent: true },
    { text: "Not before Friday.", is_agent: false },
  ]);
  const { body: left } = await owner.command("draft_comment", { id, remove: body.comments[1]?.id ?? 0 });
  expect(left.comments).toHaveLength(1);
});

test("a discarded draft comes back with its time and approval, and an approval can be taken back", async () => {
  const scheduled_for = new Date(Date.now() + 86_400_000).toISOString();
  const { body: draft } = await owner.command("draft_save", { texts: ["For tomorrow."], media: [] });
  const id = draft.draft_id;
  await owner.command("send_draft", { id, revision: 1, scheduled_for });
  await owner.tool("discard_draft", { id });
  const { body: back } = await owner.command("draft_restore", { id, scheduled_for, approve: true });
  expect(back.draft).toMatchObject({ status: "scheduled", scheduled_for, approval: "approved" });
  const { body: asked } = await owner.command("draft_ask_again", { id });
  expect(asked.draft).toMatchObject({ status: "scheduled", scheduled_for, approval: "waiting" });
  expect((await owner.command("pending")).body.items).toHaveLength(1);
});

test("a rejection waits ten seconds, in which it can be taken back and no window shows the item", async () => {
  await served.call("x_post_tweet", { text: "Perhaps." });
  const { body } = await owner.command("pending");
  const [{ id, digest } = { id: 0, digest: "" }] = body.items;
  await owner.command("reject_soon", { id, digest, reason: "Too loud." });
  expect((await owner.command("pending")).body.items).toEqual([]);
  expect((await owner.command("take_back_rejection", { id })).body).toEqual({ taken_back: true });
  expect((await owner.command("pending")).body.items).toMatchObject([{ id, status: "pending" }]);
  await owner.command("reject_soon", { id, digest, reason: "Too loud." });
  const again = () => served.call("x_post_tweet", { text: "Perhaps." });
  await expect
    .poll(async () => (await again()).error?.message ?? "", { timeout: 30_000 })
    .toContain("Too loud.");
});

test("snippets and stored files can be used again, files with the alt text that they had", async () => {
  const { body: one } = await owner.command("snippets", { text: "Orders: link in bio." });
  expect(one.snippets).toMatchObject([{ text: "Orders: link in bio." }]);
  const { body: none } = await owner.command("snippets", { remove: one.snippets[0]?.id ?? 0 });
  expect(none.snippets).toEqual([]);
  const file_path = join(home, ".tuitbot", "media", "loaf.png");
  writeFileSync(file_path, Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
  await owner.command("draft_save", {
    texts: ["A loaf."],
    media: [{ post: 1, file_path, alt_text: "A loaf on a board." }],
  });
  expect((await owner.command("media_library")).body.files).toEqual([
    { file_path, alt_text: "A loaf on a board." },
  ]);
});
