import type { JsonObject } from "@toolpact/contract";
import { cast } from "@toolpact/x-sandbox";
import { afterEach, expect, test } from "vitest";
import type { LoopEnd } from "../../src/autopilot/pass.ts";
import { type Desk, openDesk } from "./desk.ts";
import { openBakery, pass, passWith } from "./passes.ts";

let desk: Desk;
afterEach(() => desk?.close());

async function readTargets(): Promise<LoopEnd | undefined> {
  return (await passWith(desk, { ignoresSchedule: true, loops: ["targets"] })).targets;
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

test("targets are read, and answered once a day at most as often as wanted", async () => {
  desk = await openBakery({
    config: { targets: { accounts: [`@${cast.friend}`, "nobody_there"], max_target_replies_per_day: 1 } },
  });
  const { sandbox } = desk;
  sandbox.say(cast.friend, "A thought on spelt");
  sandbox.clock.advance(60_000);
  expect(await pass(desk, "targets")).toMatchObject({
    targets: { status: "completed", counts: { sent: 1 } },
  });
  sandbox.say(cast.friend, "A thought on rye");
  sandbox.clock.advance(60_000);
  expect(await pass(desk, "targets")).toMatchObject({ targets: { counts: { found: 1, sent: 0 } } });
  expect((await desk.call("list_target_accounts")).data).toMatchObject({
    targets: [
      { username: cast.friend, account_id: sandbox.person(cast.friend).id, total_replies_sent: 1 },
      { username: "nobody_there", account_id: null, total_replies_sent: 0 },
    ],
  });
});
