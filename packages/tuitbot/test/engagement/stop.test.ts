import { cast } from "@toolpact/x-sandbox";
import { afterEach, expect, test } from "vitest";
import { findItem } from "../../src/approval/queue.ts";
import { releaseItem } from "../../src/approval/release.ts";
import { configSchema } from "../../src/config/schema.ts";
import { STOPPED, stopAll } from "../../src/guards/stop/stop.ts";
import { openJudge } from "../../src/writing/open-llm.ts";
import { modelServer } from "../model-server.ts";
import { type Desk, openDesk } from "./desk.ts";

let desk: Desk;
afterEach(() => desk.close());

function stop() {
  const { store, account } = desk.services.db;
  return stopAll(store.db, account, { at: 0, by: "terminal", reason: undefined });
}

test("a stop while a model still judges a reply keeps that reply from being sent", async () => {
  await using server = await modelServer();
  server.says("ORDINARY");
  const config = configSchema.parse({
    llm: { provider: "ollama", base_url: server.url, model: "writer", judge_model: "judge" },
  });
  const place = { fetch, clock: { now: () => 0, after: () => () => {} }, random: () => 0 };
  desk = await openDesk({
    judge: async () => {
      await stop();
      return openJudge(config, place);
    },
  });
  const { id } = desk.sandbox.say(cast.stranger, "Enough bread talk. Who wins tonight's match?");
  const answer = await desk.call("x_reply_to_tweet", { text: "The visitors, I think.", in_reply_to_id: id });
  expect(answer).toMatchObject({ error: { reason: STOPPED } });
  expect(server.requests).toHaveLength(1);
  expect(desk.sandbox.journal.of("createPosts")).toHaveLength(0);
  const receipts = await desk.services.db.store.db.selectFrom("receipts").select("id").execute();
  expect(receipts).toEqual([]);
});

test("while everything is stopped a person may take back, and an agent may not approve it for them", async () => {
  desk = await openDesk({ config: { approval_mode: true, approvals: { allow_agent: true } } });
  const { id } = desk.sandbox.say(cast.owner, "Mine, with a mistake.");
  expect(await desk.call("x_delete_tweet", { tweet_id: id })).toMatchObject({
    data: { approval_queue_id: 1 },
  });
  await stop();
  expect(await desk.call("approve_item", { id: 1 })).toMatchObject({ error: { reason: STOPPED } });
  expect(desk.sandbox.journal.of("deletePosts")).toHaveLength(0);

  const { store, account } = desk.services.db;
  const waiting = await findItem(store.db, account, 1);
  if (!waiting.ok) throw new Error(waiting.failure.message);
  const { status, digest } = waiting.value;
  expect(status).toBe("pending");
  expect(await releaseItem(desk.services.approvals, 1, { digest, by: "terminal" })).toMatchObject({
    ok: true,
    value: { status: "executed" },
  });
  expect(desk.sandbox.journal.of("deletePosts")).toHaveLength(1);
});
