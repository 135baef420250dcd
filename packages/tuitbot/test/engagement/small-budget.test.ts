import { cast } from "@toolpact/x-sandbox";
import { afterEach, expect, test } from "vitest";
import type { LoopEnd } from "../../src/autopilot/pass.ts";
import { type Desk, openDesk } from "./desk.ts";
import { passWith } from "./passes.ts";

let desk: Desk;
afterEach(() => desk?.close());

async function readMentions(): Promise<LoopEnd | undefined> {
  return (await passWith(desk, { ignoresSchedule: true, loops: ["mentions"] })).mentions;
}

test("mentions are read a few at a time where little may be spent, and all of them in the end", async () => {
  desk = await openDesk({ config: { mode: "composer", budget: { max_usd_per_day: 0.15 } } });
  const { sandbox, services } = desk;
  expect(await readMentions()).toMatchObject({ status: "completed" });
  sandbox.clock.advance(24 * 3_600_000);
  const calls = Array.from({ length: 40 }, (_, n) => sandbox.say(cast.friend, `@${cast.owner} call ${n}`).id);
  sandbox.clock.advance(60_000);
  const ends: (LoopEnd | undefined)[] = [];
  for (let day = 0; day < 5; day++) {
    ends.push(await readMentions());
    sandbox.clock.advance(24 * 3_600_000);
  }
  expect(ends.map((end) => end?.status)).toEqual(ends.map(() => "completed"));
  const kept = await services.db.store.db.selectFrom("discovered_posts").select("id").execute();
  expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining(calls));
  const days = services.db.store.db
    .selectFrom("spend")
    .select("micros")
    .where("period", "like", "____-__-__");
  expect(await days.where("micros", ">", 150_000).execute()).toEqual([]);
});
