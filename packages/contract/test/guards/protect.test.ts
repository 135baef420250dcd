import { describe, expect, test } from "vitest";
import { protect } from "../../src/guards/index.ts";
import { failed, guard, type JsonObject } from "../../src/index.ts";
import { deadline, successEnvelope } from "../../src/internal.ts";
import { FakeClock } from "../../src/testing/index.ts";
import { anyGuard, codes, errors, memory, payments, product } from "./payments.ts";

const FIVE = ["Ana", "Bo", "Cy", "Di", "Ed"];

describe("protect", () => {
  test("is rejected twice in one stack, and in front of a deadline, by types and when it is bound", async () => {
    const storage = await memory();
    const one = protect({ errors, codes });
    const stack = product.guardStack("payments").use(deadline).use(one);
    const given = { clock: new FakeClock(), guardStorage: storage };
    const format = successEnvelope(errors);
    expect(() => stack.answering(format).bind(given)).not.toThrow();
    // @ts-expect-error a second protect
    expect(() => stack.use(protect({ errors, codes })).answering(format).bind(given)).toThrow("there twice");
    // @ts-expect-error a deadline after protect
    expect(() => stack.use(deadline).answering(format).bind(given)).toThrow("`deadline` is after");
  });
});

describe("an approval", () => {
  /** Anybody may change the rows. */
  async function invoices() {
    const rows = new Map([["7", { to: "ana@example.com", cents: 100 }]]);
    const sent: JsonObject[] = [];
    const approval = {
      binds: async ({ input }: { input: JsonObject }) => ({ ...rows.get(String(input.to)) }),
    };
    const the = await payments([anyGuard(protect({ errors, codes, approval }))], async (id) => {
      sent.push({ ...rows.get(id) });
    });
    return { ...the, rows, sent };
  }

  test("holds for the state that the approver saw: a changed invoice is not sent", async () => {
    await using the = await invoices();
    const { call, approve, rows, sent, storage, clock } = the;
    expect(await call("pay", "7")).toMatchObject({ error: { reason: "waiting" } });
    expect(await storage.items("waiting", clock.now())).toMatchObject([
      { context: { to: "ana@example.com", cents: 100 } },
    ]);
    await approve();
    rows.set("7", { to: "mallory@example.com", cents: 9_999_900 });
    expect(await call("pay", "7")).toMatchObject({
      error: { code: "busy", reason: "changed_since_approval", retryable: true, retry_after_ms: 0 },
    });
    expect(sent).toEqual([]);
    // Repeating it makes a new item with the current state.
    expect(await call("pay", "7")).toMatchObject({ error: { reason: "waiting" } });
    expect(await storage.items("waiting", clock.now())).toMatchObject([{ context: { cents: 9_999_900 } }]);
    await approve();
    expect(await call("pay", "7")).toMatchObject({ success: true });
    expect(sent).toEqual([{ to: "mallory@example.com", cents: 9_999_900 }]);
  });

  test("is asked for anew if the state changes while the call waits", async () => {
    await using the = await invoices();
    const { call, rows, sent, storage, clock } = the;
    await call("pay", "7");
    const [old] = await storage.items("waiting", clock.now());
    rows.set("7", { to: "ana@example.com", cents: 200 });
    expect(await call("pay", "7")).toMatchObject({ error: { reason: "waiting" } });
    expect(await storage.items("waiting", clock.now())).toMatchObject([{ context: { cents: 200 } }]);
    const { id = 0, digest = "" } = old ?? {};
    const late = { id, digest, approve: true, by: "person", note: "", now: clock.now() };
    expect(await storage.decide(late)).toBe(false);
    expect(sent).toEqual([]);
  });

  test("waits for the approver if the product says so, and sees a change in the meantime", async () => {
    const state = { version: 1 };
    const notices: number[] = [];
    const approval = {
      waitMs: 60_000,
      binds: () => ({ ...state }),
      onWait: (_call: unknown, _item: unknown, times: number) => notices.push(times),
    };
    await using the = await payments([anyGuard(protect({ errors, codes, approval }))]);
    const decideWhileWaiting = async (change: () => void) => {
      const answer = the.call("pay", "Ana");
      await expect.poll(() => the.storage.items("waiting", the.clock.now())).toHaveLength(1);
      change();
      await the.approve();
      const tick = setInterval(() => the.clock.advance(200), 1);
      return answer.finally(() => clearInterval(tick));
    };
    expect(
      await decideWhileWaiting(() => {
        state.version = 2;
      }),
    ).toMatchObject({ error: { reason: "changed_since_approval" } });
    expect(the.paid).toEqual([]);
    expect(await decideWhileWaiting(() => {})).toMatchObject({ success: true });
    expect(notices).toContain(1);
  });

  test("is used up by a call that continues an incomplete one", async () => {
    const storage = await memory();
    const now = new FakeClock().now();
    const call = { tool: "pay", args: { to: "Ana" }, needs: { costMicros: 0, caps: {}, limits: [] } };
    const claim = { ...call, sameCallMs: 0, leaseMs: 20_000, expectedSteps: 2, now };
    const propose = async () => {
      const proposal = { ...call, reason: "", heldUntil: 0, expiresAt: now + 60_000, now };
      const proposed = await storage.propose(proposal);
      const { id, digest } = proposed.ok ? proposed.value : expect.fail();
      await storage.decide({ id, digest, approve: true, by: "person", note: "", now });
      return id;
    };
    await storage.claim({ ...claim, receiptId: "r1", itemId: await propose() });
    const step = {
      ...{
        receipt_id: "r1",
        seq: 1,
        operation: null,
        method: "POST",
        target: "/",
        body_json: null,
        digest: "d",
      },
      ...{
        sent_at: now,
        effect_from: now,
        effect_until: now,
        settled_at: now,
        status: 200,
        answer_text: "{}",
      },
      ...{ makes: null, continues: null },
    };
    await storage.beginStep({ ...step, state: "pending" }, 1, now + 20_000);
    await storage.endStep({ ...step, state: "confirmed" }, undefined);
    await storage.finish({ receiptId: "r1", attempt: 1, failure: { code: "denied", message: "" }, now });
    const item = await propose();
    expect(await storage.claim({ ...claim, receiptId: "r2", itemId: item })).toMatchObject({
      value: { id: "r1", attempt: 2 },
    });
    expect(await storage.item(item)).toMatchObject({ receiptId: "r1" });
  });
});

describe("a call that may have acted", () => {
  const cases = {
    "threw an error": async () => {
      throw new Error("The connection broke.");
    },
    "was cut off by its deadline": (_to: string, signal: AbortSignal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  };
  test.each(Object.entries(cases))("does not run again after it %s", async (_, act) => {
    const guards = [anyGuard(deadline), anyGuard(protect({ errors, codes }))];
    await using the = await payments(guards, act);
    const first = the.call("pay", "Ana");
    await expect.poll(() => the.paid).toHaveLength(1);
    the.clock.advance(40_000);
    expect(await first).toMatchObject({ success: false });
    await expect.poll(() => the.storage.inDoubt(the.clock.now())).toHaveLength(1);
    expect(await the.call("pay", "Ana")).toMatchObject({
      error: { code: "denied", reason: "unknown_outcome", retryable: false },
    });
    expect(the.paid).toEqual(["Ana"]);
  });

  test("does not run again after its failure if it was cancelled meanwhile", async () => {
    const failing = guard({
      name: "failing",
      codes: () => ["denied"],
      run: async (_call, next) => {
        await next();
        return failed({ code: "denied", message: "The connection was closed." });
      },
    });
    const guards = [anyGuard(deadline), anyGuard(protect({ errors, codes })), anyGuard(failing)];
    await using the = await payments(
      guards,
      (_to, signal) => new Promise((resolve) => signal.addEventListener("abort", resolve)),
    );
    const first = the.call("pay", "Ana");
    await expect.poll(() => the.paid).toHaveLength(1);
    the.clock.advance(40_000);
    await first;
    await expect.poll(() => the.storage.inDoubt(the.clock.now())).toHaveLength(1);
  });
});

describe("limits and budget", () => {
  test("count reads if the product says so, and run them as often as they allow", async () => {
    const options = { errors, codes, limits: () => [{ max: 2, periodMs: 60_000 }] };
    await using free = await payments([anyGuard(protect(options))]);
    for (const to of FIVE) await free.call("look", to);
    expect(free.paid).toEqual(FIVE);
    await using counted = await payments([anyGuard(protect({ ...options, countsReads: true }))]);
    await counted.call("look", "Ana");
    await counted.call("look", "Ana");
    expect(await counted.call("look", "Ana")).toMatchObject({
      error: { code: "busy", reason: "limit", retryable: true, rate_limit_reset: expect.any(String) },
    });
    expect(counted.paid).toEqual(["Ana", "Ana"]);
  });

  test("name the cap that a call would exceed", async () => {
    await using the = await payments([
      anyGuard(protect({ errors, codes, budget: { price: () => 3, usdPerDay: 2 } })),
    ]);
    expect(await the.call("pay", "Ana")).toMatchObject({
      error: {
        reason: "budget",
        message:
          "This call costs $3.00 and would exceed the daily budget ($2.00, $0.00 of it spent or reserved). Nothing was done.",
      },
    });
  });
});

test("a stopped call is refused before anybody is asked to approve it", async () => {
  const stop = ({ input }: { input: JsonObject }) =>
    input.to === "Ana" ? "Payments to Ana are stopped." : undefined;
  await using the = await payments([anyGuard(protect({ errors, codes, stop, approval: {} }))]);
  expect(await the.call("pay", "Ana")).toMatchObject({
    error: { code: "denied", reason: "stopped", message: "Payments to Ana are stopped. Nothing was done." },
  });
  expect(await the.storage.items("waiting", the.clock.now())).toEqual([]);
});

test("a call that is stopped while the approver decides does not run", async () => {
  let isStopped = false;
  const options = {
    errors,
    codes,
    stop: () => (isStopped ? "Payments are stopped." : undefined),
    approval: {
      waitMs: 60_000,
      onWait: () => {
        isStopped = true;
      },
    },
  };
  await using the = await payments([anyGuard(protect(options))]);
  const answer = the.call("pay", "Ana");
  await expect.poll(() => isStopped).toBe(true);
  await the.approve();
  const tick = setInterval(() => the.clock.advance(200), 1);
  expect(await answer.finally(() => clearInterval(tick))).toMatchObject({ error: { reason: "stopped" } });
  expect(the.paid).toEqual([]);
  isStopped = false;
  expect(await the.call("pay", "Ana")).toMatchObject({ success: true });
});
