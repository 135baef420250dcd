import { afterEach, describe, expect, test } from "vitest";
import type { LoopName } from "../../src/autopilot/pass.ts";
import { run } from "../../src/autopilot/run.ts";
import type { Desk } from "./desk.ts";
import { loopSetting, never, openBakery, postsOf } from "./passes.ts";

let desk: Desk;
afterEach(() => desk?.close());

describe("run", () => {
  test("repeats until it is stopped, pausing at random", async () => {
    desk = await openBakery();
    const stop = new AbortController();
    const pauses: number[] = [];
    const reports: LoopName[][] = [];
    const ended = await run(
      {
        ...loopSetting(desk),
        pause: async (ms) => {
          pauses.push(ms);
          desk.sandbox.clock.advance(ms);
          if (pauses.length === 30) stop.abort();
        },
        onPass: ({ loops }) =>
          reports.push([...loops].flatMap(([name, end]) => (end.status === "completed" ? [name] : []))),
        onLeftOut: () => {},
      },
      stop.signal,
    );
    expect(ended).toEqual({ ok: true, value: "stopped" });
    expect(reports[0]).toContain("analytics");
    expect(reports.filter((names) => names.includes("mentions")).length).toBeGreaterThan(5);
    // The limits say 45 to 180 seconds, and this is the dice at 0.9.
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(166_500);
    expect(await desk.services.db.store.db.selectFrom("leases").selectAll().execute()).toEqual([]);
  });

  test("that is stopped lets the post that is under way finish, and sends no other", async () => {
    desk = await openBakery();
    for (const topic of ["rye", "spelt"]) {
      await desk.call("compose_tweet", { topic, format: "tip" });
      const id = topic === "rye" ? 1 : 2;
      const scheduled_for = new Date(desk.sandbox.clock.now()).toISOString();
      await desk.call("schedule_draft", { id, scheduled_for });
    }
    const stop = new AbortController();
    const setting = loopSetting(desk);
    const call: typeof setting.workflow.call = (...given) => {
      const called = setting.workflow.call(...given);
      stop.abort();
      return called;
    };
    const ended = await run(
      {
        ...setting,
        workflow: { ...setting.workflow, call },
        pause: async () => {},
        onPass: () => {},
        onLeftOut: () => {},
      },
      stop.signal,
    );
    expect(ended).toEqual({ ok: true, value: "stopped" });
    expect(await desk.call("get_draft", { id: 1 })).toMatchObject({ data: { status: "published" } });
    expect(await desk.call("get_draft", { id: 2 })).toMatchObject({ data: { status: "scheduled" } });
    expect(postsOf(desk)).toHaveLength(1);
  });

  test("ends when nobody is signed in any more", async () => {
    desk = await openBakery();
    desk.sandbox.faults.add({ operation: "getUsersMentions", kind: "unauthorized", count: 9 });
    const ended = await run(
      { ...loopSetting(desk), pause: async () => {}, onPass: () => {}, onLeftOut: () => {} },
      never,
    );
    expect(ended).toMatchObject({ ok: false, failure: { code: "x_auth_expired" } });
  });

  test("works alone for an account, and another runner takes over when it has ended", async () => {
    desk = await openBakery();
    const runner = async () => (await desk.call("health_check")).data as { readonly runner: object };
    expect(await runner()).toMatchObject({
      runner: { alive: false, last_worked_at: null, fix: expect.stringContaining("tuitbot run") },
    });
    const [first, second] = [new AbortController(), new AbortController()];
    const story: string[] = [];
    let goOn = () => {};
    const firstStopped = run(
      {
        ...loopSetting(desk),
        pause: async () => {
          // Between two actions of a pass it goes on at once.
          if (story.length > 0) await new Promise<void>((resolve) => (goOn = resolve));
        },
        onPass: () => story.push("first"),
        onLeftOut: () => story.push("first waits"),
      },
      first.signal,
    );
    await expect.poll(() => story).toEqual(["first"]);
    expect(await runner()).toMatchObject({
      runner: { alive: true, last_worked_at: new Date(desk.sandbox.clock.now()).toISOString() },
    });
    await run(
      {
        ...loopSetting(desk),
        async pause() {
          if (story.at(-1) === "second") return second.abort();
          first.abort();
          goOn();
          await firstStopped;
        },
        onPass: () => story.push("second"),
        onLeftOut: ({ message }) => story.push(message),
      },
      second.signal,
    );
    expect(story).toEqual(["first", expect.stringContaining("takes over"), "second"]);
    expect(await runner()).toMatchObject({ runner: { alive: false, last_worked_at: expect.any(String) } });
  });

  test("stops publishing for a while when X refuses too often", async () => {
    desk = await openBakery({
      config: { intervals: { mentions_check_seconds: 1, discovery_search_seconds: 1 } },
    });
    const stop = new AbortController();
    desk.sandbox.faults.add({ operation: "getUsersMentions", kind: "error", status: 403, count: 99 });
    desk.sandbox.faults.add({ operation: "searchPostsRecent", kind: "error", status: 403, count: 99 });
    let passes = 0;
    const reasons: unknown[] = [];
    await run(
      {
        ...loopSetting(desk),
        random: () => 0,
        pause: async () => desk.sandbox.clock.advance(61_000),
        onPass: ({ loops }) => {
          const scheduled = loops.get("scheduled");
          reasons.push(scheduled?.status === "skipped" ? scheduled.reason : scheduled?.status);
          passes += 1;
          if (passes === 8) stop.abort();
        },
        onLeftOut: () => {},
      },
      stop.signal,
    );
    expect(reasons.slice(0, 2)).toEqual(["completed", "completed"]);
    expect(reasons.at(-1)).toBe("the circuit breaker is open");
  });
});
