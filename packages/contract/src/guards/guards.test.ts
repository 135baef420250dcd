import { failed, ok } from "@toolpact/outcome";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addNote, errors, getNote } from "../../test/notes-product.ts";
import { noElicitation } from "../ask.ts";
import type { Call, Guard, Next } from "../call.ts";
import type { Effect } from "../effects.ts";
import type { JsonObject } from "../json.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import type { AnyOutcome } from "../tool.ts";
import { deadline } from "./deadline.ts";
import { idempotency, RecentCalls } from "./idempotency.ts";

function callOf(effect: Effect, input: JsonObject = {}, clock = new FakeClock()): Call {
  return {
    id: "c-1",
    tool: getNote,
    action: undefined,
    effect,
    input,
    caller: { transport: "cli", client: "tester" },
    plan: () => undefined,
    ask: noElicitation,
    startedAt: clock.now(),
    signal: new AbortController().signal,
    context: {},
    errors,
    annotate: () => {},
    warn: () => {},
    progress: () => {},
    answersBefore: () => {},
  };
}

const done: AnyOutcome = ok({});
const lost: AnyOutcome = failed({ code: "store_error", message: "Gone." });

type Bound = (call: Call, next: Next) => Promise<AnyOutcome>;

function bound<D>(guard: Guard<unknown, unknown, never, D, object, object>, dependencies: D): Bound {
  return (call, next) => guard.run(call, next, dependencies);
}

const answer = (guard: Bound, call: Call, outcome: AnyOutcome = done) => guard(call, async () => outcome);
const once = (clock = new FakeClock()) => bound(idempotency, { clock, recentCalls: new RecentCalls() });

describe("deadline", () => {
  test("answers for a tool that hangs, and aborts it", async () => {
    const clock = new FakeClock();
    const guard = bound(deadline, { clock });
    let seen: AbortSignal | undefined;
    const answer = guard(callOf("none"), (more) => {
      seen = more?.signal;
      return new Promise(() => {});
    });
    clock.advance(getNote.deadlineMs);
    expect(await answer).toMatchObject({ ok: false, failure: { code: "too_slow" } });
    expect(seen?.aborted).toBe(true);
  });

  test("passes the client's own cancellation on, and leaves no timer behind", async () => {
    const clock = new FakeClock();
    const cancelled = new AbortController();
    let seen: AbortSignal | undefined;
    const answer = bound(deadline, { clock })(
      { ...callOf("none"), signal: cancelled.signal },
      async (more) => {
        seen = more?.signal;
        cancelled.abort("the person changed their mind");
        return done;
      },
    );
    expect(await answer).toBe(done);
    expect(seen?.reason).toBe("the person changed their mind");
    expect(clock.pending).toBe(0);
  });
});

describe("idempotency", () => {
  const duplicate = { ok: false, failure: { code: "duplicate", reason: "duplicate_request" } };

  test("refuses the same creating call within 30 s, whatever the order of its arguments, and accepts it afterwards", async () => {
    const clock = new FakeClock();
    const guard = once(clock);
    expect(await answer(guard, callOf("create", { a: 1, b: { c: 2, d: 3 } }))).toBe(done);
    clock.advance(29_999);
    expect(await answer(guard, callOf("create", { b: { d: 3, c: 2 }, a: 1 }))).toMatchObject(duplicate);
    clock.advance(1);
    expect(await answer(guard, callOf("create", { a: 1, b: { c: 2, d: 3 } }))).toBe(done);
  });

  test("refuses an equal call while the first still runs", async () => {
    const guard = once();
    let finish: (outcome: AnyOutcome) => void = () => {};
    const first = guard(callOf("mark"), () => new Promise((resolve) => (finish = resolve)));
    const refused = await answer(guard, callOf("mark"));
    expect(refused).toMatchObject(duplicate);
    // How long the first one takes is unknown.
    expect(refused).not.toHaveProperty("failure.details");
    finish(done);
    expect(await first).toBe(done);
  });

  test("refuses an equal call however long the first runs, and starts the 30 s when it ends", async () => {
    const clock = new FakeClock();
    const guard = once(clock);
    let finish: (outcome: AnyOutcome) => void = () => {};
    const first = guard(
      callOf("create"),
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    clock.advance(60_000);
    expect(await answer(guard, callOf("create"))).toMatchObject(duplicate);
    finish(done);
    await first;
    clock.advance(29_999);
    expect(await answer(guard, callOf("create"))).toMatchObject(duplicate);
    clock.advance(1);
    expect(await answer(guard, callOf("create"))).toBe(done);
  });

  test("distinguishes calls whose schema turns arguments into dates", async () => {
    const guard = once();
    const at = (day: string) => callOf("create", { at: new Date(day) } as unknown as JsonObject);
    expect(await answer(guard, at("2026-01-01"))).toBe(done);
    expect(await answer(guard, at("2027-01-01"))).toBe(done);
    expect(await answer(guard, at("2026-01-01"))).toMatchObject(duplicate);
  });

  test("remembers a call that threw, because it may have acted", async () => {
    const clock = new FakeClock();
    const guard = once(clock);
    await expect(guard(callOf("create"), () => Promise.reject(new Error("lost")))).rejects.toThrow("lost");
    const again = await answer(guard, callOf("create"));
    expect(again).toMatchObject({
      ...duplicate,
      failure: {
        message: expect.stringContaining("may have been carried out"),
        details: { repeatable_at: new Date(clock.now() + 30_000).toISOString() },
      },
    });
    clock.advance(30_000);
    expect(await answer(guard, callOf("create"))).toBe(done);
  });

  test("remembers a call that was cancelled, even if it then failed", async () => {
    const guard = once();
    const cancelled = new AbortController();
    const call = { ...callOf("create"), signal: cancelled.signal };
    const cancel = async () => {
      cancelled.abort();
      return lost;
    };
    expect(await guard(call, cancel)).toBe(lost);
    expect(await answer(guard, callOf("create"))).toMatchObject(duplicate);
  });

  test.each(["in front", "after"])(
    "remembers a call whose deadline passed, with the deadline %s",
    async (where) => {
      const clock = new FakeClock();
      const [outer, inner] =
        where === "after"
          ? [once(clock), bound(deadline, { clock })]
          : [bound(deadline, { clock }), once(clock)];
      let running = 0;
      const slow = async () => {
        running += 1;
        return new Promise<AnyOutcome>(() => {});
      };
      const make = (call: Call) =>
        outer(call, (more) => inner({ ...call, signal: more?.signal ?? call.signal }, slow));
      const first = make(callOf("create"));
      clock.advance(getNote.deadlineMs);
      expect(await first).toMatchObject({
        failure: { code: "too_slow", details: { may_have_taken_effect: true } },
      });
      expect(await make(callOf("create"))).toMatchObject(duplicate);
      expect(running).toBe(1);
    },
  );

  test("forgets a call that failed or only asked", async () => {
    const guard = once();
    expect(await answer(guard, callOf("create"), lost)).toBe(lost);
    expect(await answer(guard, callOf("create"), { ok: null, asks: {} })).toMatchObject({ ok: null });
    expect(await answer(guard, callOf("create"))).toBe(done);
  });

  test("allows any number of reads, updates, undos and deletes", async () => {
    const guard = once();
    for (const effect of ["none", "update", "undo", "delete"] as const) {
      expect(await answer(guard, callOf(effect))).toBe(done);
      expect(await answer(guard, callOf(effect))).toBe(done);
    }
  });

  test("may answer only before tools with repeatable effects", () => {
    expect(idempotency.codes(getNote, errors)).toEqual([]);
    expect(idempotency.codes(addNote, errors)).toEqual(["duplicate"]);
  });

  test("agrees with a plain list of past calls", async () => {
    const step = fc.record({ wait: fc.nat(20_000), text: fc.constantFrom("a", "b"), works: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const clock = new FakeClock();
        const guard = once(clock);
        const lastDone = new Map<string, number>();
        for (const { wait, text, works } of steps) {
          clock.advance(wait);
          const fresh = clock.now() - (lastDone.get(text) ?? Number.NEGATIVE_INFINITY) >= 30_000;
          const outcome = await answer(guard, callOf("create", { text }), works ? done : lost);
          expect(outcome.ok).toBe(fresh && works);
          if (fresh && works) lastDone.set(text, clock.now());
        }
      }),
    );
  });
});
