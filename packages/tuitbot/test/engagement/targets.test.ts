import type { JsonObject } from "@toolpact/contract";
import { cast } from "@toolpact/x-sandbox";
import { afterEach, expect, test } from "vitest";
import type { LoopEnd } from "../../src/loop/pass.ts";
import { tick } from "../../src/loop/tick.ts";
import { type Desk, openDesk } from "./desk.ts";

let desk: Desk;
afterEach(() => desk?.close());

async function readTargets(): Promise<LoopEnd | undefined> {
  const { db, x, workflow, config } = desk.services;
  const ticked = await tick(
    { ...db, x, workflow, config: config.values, random: () => 0.9 },
    { isDryRun: false, ignoresSchedule: true, loops: ["targets"] },
    new AbortController().signal,
  );
  if (!ticked.ok) throw new Error(ticked.failure.message);
  return ticked.value.loops.get("targets");
}

async function open(targets: JsonObject, config: JsonObject = {}): Promise<void> {
  desk = await openDesk({ config: { targets, ...config } });
}

test.each([cast.shy, cast.foe])(
  "a target that shows itself to few (%s) keeps nobody from the others",
  async (who) => {
    await open({ accounts: [who, cast.friend] }, { mode: "composer" });
    desk.sandbox.say(cast.friend, "A thought on spelt");
    desk.sandbox.clock.advance(60_000);
    expect(await readTargets()).toMatchObject({ status: "completed", counts: { found: expect.any(Number) } });
    const kept = await desk.services.db.store.db.selectFrom("discovered_posts").select("text").execute();
    expect(kept).toContainEqual({ text: "A thought on spelt" });
  },
);

test("what concerns every target ends the pass", async () => {
  await open({ accounts: [cast.stranger, cast.friend] }, { mode: "composer" });
  desk.sandbox.ledger.balanceUsd = 0;
  expect(await readTargets()).toMatchObject({ status: "failed", failure: { code: "x_forbidden" } });
});

test("replies to targets that wait for a person are counted among those of the day", async () => {
  await open(
    { accounts: [cast.friend, cast.stranger], max_target_replies_per_day: 1 },
    { approval_mode: true },
  );
  desk.sandbox.say(cast.friend, "A thought on spelt");
  desk.sandbox.clock.advance(60_000);
  expect(await readTargets()).toMatchObject({ counts: { queued: 1 } });
  desk.sandbox.say(cast.stranger, "A thought on rye");
  desk.sandbox.clock.advance(60_000);
  await readTargets();
  expect((await desk.call("get_pending_count")).data).toEqual({ pending_count: 1 });
});
