import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cast } from "@toolpact/x-sandbox";
import { afterEach, describe, expect, test } from "vitest";
import { effectiveConfig } from "../src/config/effective-config.ts";
import { configSchema } from "../src/config/schema.ts";
import { catalogFor } from "../src/server/catalog.ts";
import { createCore } from "../src/server/core.ts";
import { sandboxWorld } from "../src/x/sandbox-account.ts";
import { testApp } from "./command-line.ts";
import { type Desk, openDesk } from "./engagement/desk.ts";
import { madeUpX, signIn } from "./made-up-x.ts";
import { drivenClock } from "./storage/driven-clock.ts";

let desk: Desk | undefined;
afterEach(async () => {
  await desk?.close();
  desk = undefined;
});

describe("what X said reaches the caller, as text from outside", () => {
  test("of a reply that the author does not allow, on whatever plan", async () => {
    desk = await openDesk();
    const { sandbox } = desk;
    const post = sandbox.say(cast.stranger, "Only those I follow");
    sandbox.world.posts.set(post.id, { ...post, replySettings: "following" });
    const { error } = await desk.call("x_reply_to_tweet", { in_reply_to_id: post.id, text: "Me too" });
    expect(error).toMatchObject({
      code: "x_forbidden",
      reason: "reply_limited_by_author",
      details: {
        x_said: expect.stringContaining("its author limits who can reply"),
        notice: expect.any(String),
      },
    });
    expect(`${error?.message} ${error?.suggested_fix}`).not.toMatch(/enterprise/i);
  });

  test("of a list of one's own that cannot be followed", async () => {
    desk = await openDesk();
    const { data } = await desk.call("x_v2_lists_create", { name: "Bakers" });
    const { id } = (data as { data?: { id?: string }; id?: string }).data ?? (data as { id?: string });
    const { error } = await desk.call("x_v2_lists_follow", { list_id: id });
    expect(error).toMatchObject({
      code: "x_forbidden",
      details: { x_said: "You can not follow a list of your own." },
    });
    expect(error?.message).not.toContain("without saying why");
    expect(error?.message).toContain("You can not follow a list of your own.");
  });
});

test("an unknown parameter is answered with all that are taken", async () => {
  desk = await openDesk();
  const { error } = await desk.call("x_post_tweet", { text: "One", idempotancy_key: "k" });
  expect(error?.message).toMatch(
    /Did you mean `idempotency_key`\? It takes: .*text.*, idempotency_key, accept_url_price, note\./,
  );
  const like = await desk.call("x_like_tweet", { tweet_id: "1", nope: 1 });
  expect(like.error?.message).toMatch(/It takes: tweet_id, idempotency_key, note\./);
});

test("a file that X refuses is a failed upload, and says what X said", async () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "tuitbot-upload-"));
  writeFileSync(join(folder, "cat.png"), Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
  desk = await openDesk({ config: { media: { roots: [folder] } } });
  for (const status of [400, 403, 413, 415]) {
    desk.sandbox.faults.add({ operation: "mediaUpload", kind: "error", status });
    const { error } = await desk.call("x_upload_media", {
      file_path: join(folder, "cat.png"),
      idempotency_key: `${status}`,
    });
    expect(error, `${status}`).toMatchObject({ code: "media_upload_error", retryable: false });
  }
  rmSync(folder, { recursive: true });
});

test("a read whose answer does not come is repeated in time, with the time-outs of every day", async () => {
  const { sandbox, account } = sandboxWorld("enterprise");
  const clock = drivenClock(sandbox);
  const core = createCore({
    profile: "readonly",
    catalog: catalogFor("readonly"),
    config: effectiveConfig(
      { values: configSchema.parse({}), file: undefined, fromEnvironment: [] },
      { env: {}, home: "/", cwd: "/" },
    ),
    clock,
    account: { ...account, clock },
  });
  sandbox.faults.add({ operation: "getUsersByUsername", kind: "hang", count: 2 });
  const call = core.pipeline.call({
    tool: "x_get_user_by_username",
    args: { username: cast.friend },
    caller: { transport: "stdio" },
  });
  let isAnswered = false;
  void call.finally(() => {
    isAnswered = true;
  });
  // The maximum duration of a call; work in progress continues between the steps.
  for (let passed = 0; passed < 29_500 && !isAnswered; passed += 500) {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    await clock.pass(500);
  }
  expect(await call).toMatchObject({ envelope: { success: true } });
  await core.close();
});

test.each([0, 1, 2])(
  "a read that X cannot answer is repeated %i times if the configuration says so",
  async (read_retries) => {
    await using desk = testApp();
    await using x = await madeUpX();
    await signIn(desk, x);
    x.sandbox.faults.add({ operation: "getUsersByUsername", kind: "error", count: 9 });
    const env = {
      TUITBOT_X_API__READ_RETRIES: String(read_retries),
      TUITBOT_X_API__RETRY_FIRST_WAIT_MS: "1",
      TUITBOT_X_API__RETRY_LONGEST_WAIT_MS: "1",
    };
    const args = JSON.stringify({ username: cast.friend });
    await desk.run(["call", "x_get_user_by_username", "--json", args], {
      ...x.how,
      env: { ...x.how.env, ...env },
    });
    expect(x.sandbox.journal.of("getUsersByUsername")).toHaveLength(1 + read_retries);
  },
);
