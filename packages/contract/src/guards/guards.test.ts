import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../test/fake-clock.ts";
import { errors, getNote } from "../../test/notes-product.ts";
import type { Call, Guard } from "../call.ts";
import type { Effect } from "../effects.ts";
import type { JsonObject } from "../json.ts";
import { failed, ok } from "../outcome.ts";
import type { AnyOutcome } from "../tool.ts";
import { type AuditRecord, audit } from "./audit.ts";
import { deadline } from "./deadline.ts";
import { idempotency } from "./idempotency.ts";

const warnings: string[] = [];

function callOf(effect: Effect, input: JsonObject = {}, clock = new FakeClock()): Call {
  return {
    id: "c-1",
    tool: getNote,
    action: undefined,
    effect,
    input,
    caller: { transport: "cli", client: "tester" },
    startedAt: clock.now(),
    signal: new AbortController().signal,
    annotate: () => {},
    warn: (warning) => warnings.push(warning),
  };
}

const done: AnyOutcome = ok({});
const lost: AnyOutcome = failed({ code: "store_error", message: "Gone." });
const through = (guard: Guard, call: Call, outcome: AnyOutcome = done) =>
  guard.around(call, async () => outcome);

describe("deadline", () => {
  test("answers for a tool that does not, and aborts it", async () => {
    const clock = new FakeClock();
    const guard = deadline(errors, clock);
    let seen: AbortSignal | undefined;
    const answer = guard.around(callOf("none"), (signal) => {
      seen = signal;
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
    const answer = deadline(errors, clock).around(
      { ...callOf("none"), signal: cancelled.signal },
      async (signal) => {
        seen = signal;
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

  test("refuses the same creating call within 30 s, whatever the order of its arguments, and takes it after", async () => {
    const clock = new FakeClock();
    const guard = idempotency({ errors, clock });
    expect(await through(guard, callOf("create", { a: 1, b: { c: 2, d: 3 } }))).toBe(done);
    clock.advance(29_999);
    expect(await through(guard, callOf("create", { b: { d: 3, c: 2 }, a: 1 }))).toMatchObject(duplicate);
    clock.advance(1);
    expect(await through(guard, callOf("create", { a: 1, b: { c: 2, d: 3 } }))).toBe(done);
  });

  test("refuses a twin while the first call still runs", async () => {
    const guard = idempotency({ errors, clock: new FakeClock() });
    let finish: (outcome: AnyOutcome) => void = () => {};
    const first = guard.around(callOf("mark"), () => new Promise((resolve) => (finish = resolve)));
    expect(await through(guard, callOf("mark"))).toMatchObject(duplicate);
    finish(done);
    expect(await first).toBe(done);
  });

  test("refuses a twin however long the first call runs, and starts the 30 s when it ends", async () => {
    const clock = new FakeClock();
    const guard = idempotency({ errors, clock });
    let finish: (outcome: AnyOutcome) => void = () => {};
    const first = guard.around(
      callOf("create"),
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    clock.advance(60_000);
    expect(await through(guard, callOf("create"))).toMatchObject(duplicate);
    finish(done);
    await first;
    clock.advance(29_999);
    expect(await through(guard, callOf("create"))).toMatchObject(duplicate);
    clock.advance(1);
    expect(await through(guard, callOf("create"))).toBe(done);
  });

  test("tells calls apart whose schema makes dates of their arguments", async () => {
    const guard = idempotency({ errors, clock: new FakeClock() });
    // What a schema with a transform hands on is not JSON any more.
    const at = (day: string) => callOf("create", { at: new Date(day) } as unknown as JsonObject);
    expect(await through(guard, at("2026-01-01"))).toBe(done);
    expect(await through(guard, at("2027-01-01"))).toBe(done);
    expect(await through(guard, at("2026-01-01"))).toMatchObject(duplicate);
  });

  test("forgets a call that failed, threw or only asked, so that it can be made again", async () => {
    const guard = idempotency({ errors, clock: new FakeClock() });
    expect(await through(guard, callOf("create"), lost)).toBe(lost);
    await expect(guard.around(callOf("create"), () => Promise.reject(new Error("bug")))).rejects.toThrow(
      "bug",
    );
    expect(await through(guard, callOf("create"), { ok: null, asks: {} })).toMatchObject({ ok: null });
    expect(await through(guard, callOf("create"))).toBe(done);
  });

  test("lets reads, updates, undoing and deleting through as often as they come", async () => {
    const guard = idempotency({ errors, clock: new FakeClock() });
    for (const effect of ["none", "update", "undo", "delete"] as const) {
      expect(await through(guard, callOf(effect))).toBe(done);
      expect(await through(guard, callOf(effect))).toBe(done);
    }
  });

  test("agrees with a plain list of what was done when", async () => {
    const step = fc.record({ wait: fc.nat(20_000), text: fc.constantFrom("a", "b"), works: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const clock = new FakeClock();
        const guard = idempotency({ errors, clock });
        const lastDone = new Map<string, number>();
        for (const { wait, text, works } of steps) {
          clock.advance(wait);
          const fresh = clock.now() - (lastDone.get(text) ?? Number.NEGATIVE_INFINITY) >= 30_000;
          const outcome = await through(guard, callOf("create", { text }), works ? done : lost);
          expect(outcome.ok).toBe(fresh && works);
          if (fresh && works) lastDone.set(text, clock.now());
        }
      }),
    );
  });
});

describe("audit", () => {
  test("keeps who did what and how it ended, without secrets", async () => {
    const clock = new FakeClock();
    const records: AuditRecord[] = [];
    const guard = audit({ write: (record) => void records.push(record) }, clock);
    const call = callOf("create", { text: "hi", token: "hunter2" }, clock);
    await guard.around(call, async () => {
      clock.advance(5);
      return lost;
    });
    expect(records).toEqual([
      {
        id: "c-1",
        at: call.startedAt,
        tool: "get_note",
        action: undefined,
        client: "tester",
        input: { text: "hi", token: "[secret]" },
        outcome: "failed",
        code: "store_error",
        elapsedMs: 5,
      },
    ]);
  });

  test("turns a record that cannot be kept into a warning, not a failed call", async () => {
    warnings.length = 0;
    const full = Object.assign(new Error("no space left"), { code: "ENOSPC" });
    const outcome = await through(audit({ write: () => Promise.reject(full) }), callOf("create"));
    expect(outcome).toBe(done);
    expect(warnings).toEqual(["This call could not be written to the audit log: ENOSPC."]);
  });

  test("keeps a record of a call that ends in a bug", async () => {
    const records: AuditRecord[] = [];
    const guard = audit({ write: (record) => void records.push(record) });
    await expect(guard.around(callOf("none"), () => Promise.reject(new Error("bug")))).rejects.toThrow("bug");
    expect(records).toMatchObject([{ outcome: "failed", code: undefined }]);
  });
});
