import { afterEach, expect, test } from "vitest";
import { tick } from "../../src/loop/tick.ts";
import { type Desk, openDesk, ownerOf } from "../engagement/desk.ts";

let desk: Desk;
afterEach(() => desk.close());

const HOUR = 3_600_000;

async function pass(): Promise<void> {
  const { db, x, workflow, config } = desk.services;
  const setting = { ...db, x, workflow, config: config.values, random: () => 0.5 };
  const wish = { loops: ["scheduled"], isDryRun: false, ignoresSchedule: false } as const;
  const passed = await tick(setting, wish, new AbortController().signal);
  if (!passed.ok) throw new Error(passed.failure.message);
}

function posted(): readonly string[] {
  const owner = ownerOf(desk);
  const { world, clock } = desk.sandbox;
  return [...world.posts.values()]
    .filter((post) => post.authorId === owner && post.at >= clock.start)
    .map(({ text }) => text);
}

async function scheduled(format: string): Promise<readonly string[]> {
  const { data } = await desk.call("compose_tweet", { topic: "rye", format });
  const { draft_id: id, texts } = data as { readonly draft_id: number; readonly texts: readonly string[] };
  const scheduled_for = new Date(desk.sandbox.clock.now() + HOUR).toISOString();
  expect(await desk.call("schedule_draft", { id, scheduled_for })).toMatchObject({ success: true });
  return texts;
}

test.each(["autopilot", "composer"])(
  "in %s a scheduled draft goes its way when it is due, not before",
  async (mode) => {
    desk = await openDesk({ config: { mode } });
    const texts = await scheduled("thread");
    await pass();
    expect(await desk.call("get_draft", { id: 1 })).toMatchObject({ data: { status: "scheduled" } });
    desk.sandbox.clock.advance(HOUR);
    await pass();
    await pass();
    const { data } = await desk.call("get_draft", { id: 1 });
    if (mode === "autopilot") {
      expect(data).toMatchObject({ status: "published", tweet_ids: [expect.any(String)] });
      expect(posted()).toEqual(texts);
    } else {
      expect(data).toMatchObject({ status: "queued", approval_queue_id: 1 });
      expect(posted()).toEqual([]);
    }
  },
);

test("a draft that was published by hand does not go out again on schedule", async () => {
  desk = await openDesk();
  const texts = await scheduled("tip");
  await desk.call("publish_draft", { id: 1 });
  desk.sandbox.clock.advance(2 * HOUR);
  await pass();
  expect(posted()).toEqual(texts);
});
