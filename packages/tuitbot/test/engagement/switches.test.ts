import { afterEach, expect, test } from "vitest";
import { switchLoop } from "../../src/autopilot/progress.ts";
import { run, upcoming } from "../../src/autopilot/run.ts";
import { runnerState } from "../../src/autopilot/runner-state.ts";
import type { Desk } from "./desk.ts";
import { loopSetting, never, openBakery, pass, passWith } from "./passes.ts";

let desk: Desk;
afterEach(() => desk.close());

const searches = () => desk.sandbox.journal.of("searchPostsRecent").length;
const by = "a person";

test("a loop that is switched off does not run, named or due, until it is switched on", async () => {
  desk = await openBakery();
  const off = { at: desk.sandbox.clock.now(), by };
  await switchLoop(desk.services.db, "discovery", off);
  const reason = `switched off since ${new Date(off.at).toISOString()}, by a person`;
  expect(await pass(desk)).toMatchObject({ discovery: { status: "skipped", reason } });
  expect(await pass(desk, "discovery")).toMatchObject({ discovery: { status: "skipped", reason } });
  expect(await passWith(desk, { isDryRun: true })).toMatchObject({
    discovery: { status: "skipped", reason },
  });
  expect(searches()).toBe(0);
  expect((await upcoming(loopSetting(desk))).map(({ name }) => name)).not.toContain("discovery");
  await switchLoop(desk.services.db, "discovery", undefined);
  expect(await pass(desk)).toMatchObject({ discovery: { status: "completed" } });
  expect(searches()).toBe(1);
});

test("a working runner obeys at its next pass, and a loop's last result is stored with the switch", async () => {
  desk = await openBakery();
  const stop = new AbortController();
  let passes = 0;
  const ended: string[][] = [];
  await run(
    {
      ...loopSetting(desk),
      onLoop: () => {},
      onPass: ({ loops }) =>
        ended.push([...loops].flatMap(([name, { status }]) => (status === "completed" ? [name] : []))),
      onLeftOut: () => {},
      async pause(ms) {
        if (ended.length === passes) return;
        passes = ended.length;
        // As another process on the same database would.
        if (passes === 1) await switchLoop(desk.services.db, "mentions", { at: 1, by });
        if (passes === 2) stop.abort();
        desk.sandbox.clock.advance(Math.ceil(ms) + 3_600_000);
      },
    },
    AbortSignal.any([stop.signal, never]),
  );
  expect(ended).toHaveLength(2);
  expect(ended[0]).toEqual(expect.arrayContaining(["mentions", "discovery", "analytics"]));
  expect(ended[1]).toEqual(expect.arrayContaining(["discovery", "analytics"]));
  expect(ended[1]).not.toContain("mentions");
  const { loops, has_writer } = await runnerState(desk.services, never);
  const state = Object.fromEntries(loops.map((loop) => [loop.name, loop]));
  expect(has_writer).toBe(true);
  expect(state.mentions).toMatchObject({
    off: { by, at: new Date(1).toISOString() },
    next_at: null,
    writes: true,
    last: { status: "completed", counts: { found: expect.any(Number) } },
  });
  expect(state.analytics).toMatchObject({
    off: null,
    writes: false,
    last: { status: "completed", counts: { followers: expect.any(Number) } },
  });
});

test("the last failure of a loop is stored with its words", async () => {
  desk = await openBakery();
  desk.sandbox.faults.add({ kind: "error", operation: "getUsersMe", status: 403 });
  await pass(desk, "analytics");
  const { loops } = await runnerState(desk.services, never);
  expect(loops.find(({ name }) => name === "analytics")).toMatchObject({
    failures: 1,
    last: { status: "failed", message: expect.stringMatching(/\w/) },
  });
});
