import { expect, test } from "vitest";
import type { GuardStorage } from "../../src/guards/index.ts";
import type { Claim, HeldReceipt, Proposal } from "../../src/guards/internal.ts";
import { LEASE_MS, renewing } from "../../src/guards/recorded-requests.ts";
import { FakeClock } from "../../src/testing/index.ts";
import { onBothEngines } from "./engines.ts";

const NOW = Date.UTC(2026, 8, 15, 12);
const DAY = 86_400_000;
const call = { tool: "pay", args: { to: "Ana", text: "a\u0000b \ud83d\ude00 \u202e" } };
const claim = (more: Partial<Claim> = {}): Claim => ({
  ...call,
  receiptId: crypto.randomUUID(),
  needs: { costMicros: 0, caps: {}, limits: [] },
  sameCallMs: 0,
  leaseMs: 1_000,
  now: NOW,
  ...more,
});
const proposal = (more: Partial<Proposal> = {}): Proposal => ({
  ...call,
  reason: "why",
  expiresAt: NOW + DAY,
  heldUntil: 0,
  now: NOW,
  ...more,
});
const result = { paid: 1 };
const by = "person";
const attemptOf = ({ id, attempt }: HeldReceipt) => ({ receiptId: id, attempt });

async function approved(storage: GuardStorage, more: Partial<Proposal> = {}): Promise<number> {
  const item = await storage.propose(proposal(more));
  if (!item.ok) throw new Error(item.failure.kind);
  const { id, digest } = item.value;
  expect(await storage.decide({ id, digest, approve: true, by, note: "", now: NOW })).toBe(true);
  return id;
}

onBothEngines((engine) => {
  test("of many equal calls at once, from two processes, one is let through", async () => {
    const place = await engine.place();
    const storages = [await engine.open(place), await engine.open(place)];
    const claimed = await Promise.all(Array.from({ length: 20 }, (_, i) => storages[i % 2]?.claim(claim())));
    expect(claimed.filter((one) => one?.ok)).toHaveLength(1);
    const kinds = claimed.flatMap((one) => (one === undefined || one.ok ? [] : [one.failure]));
    expect(new Set(kinds.map((why) => (why.kind === "repeat" ? why.earlier.kind : why.kind)))).toEqual(
      new Set(["running"]),
    );
  });

  test("an equal call of somebody else gets neither an answer nor an approval that was not theirs", async () => {
    const storage = await engine.open(await engine.place());
    const first = await storage.claim(claim({ principal: "one" }));
    if (!first.ok) throw new Error("not claimed");
    const trial = (principal: string) =>
      storage.claim(claim({ principal, sameCallMs: DAY, now: NOW + 1, isTrial: true }));
    // An unknown outcome is not repeated for anyone.
    expect(await trial("two")).toMatchObject({ failure: { earlier: { kind: "running" } } });
    await storage.finish({ ...attemptOf(first.value), result, now: NOW });
    expect(await trial("two")).toMatchObject({ ok: true });
    expect(await trial("one")).toMatchObject({ failure: { earlier: { kind: "done" } } });
    const id = await approved(storage, { principal: "one" });
    const asked = await storage.propose(proposal({ principal: "two" }));
    expect(asked.ok && asked.value).toMatchObject({ status: "waiting" });
    expect(asked.ok && asked.value.id).not.toBe(id);
  });

  test("an answer that nobody got answers the next equal call; after that it is a new call", async () => {
    const storage = await engine.open(await engine.place());
    const first = await storage.claim(claim());
    if (!first.ok) throw new Error("not claimed");
    await storage.finish({ ...attemptOf(first.value), result, now: NOW });
    expect(await storage.claim(claim({ isTrial: true }))).toMatchObject({
      failure: {
        kind: "repeat",
        earlier: { kind: "done", receipt: { result: JSON.stringify(result), args: call.args } },
      },
    });
    await storage.delivered(first.value.id);
    expect(await storage.claim(claim({ isTrial: true }))).toMatchObject({ ok: true });
    expect(await storage.claim(claim({ sameCallMs: 1_000, now: NOW + 999, isTrial: true }))).toMatchObject({
      failure: { earlier: { kind: "done" } },
    });
    expect(await storage.claim(claim({ now: NOW + 1 }))).toMatchObject({ ok: true });
  });

  test("the same key is answered from its receipt for ever, and belongs to one call", async () => {
    const storage = await engine.open(await engine.place());
    const first = await storage.claim(claim({ key: "k" }));
    if (!first.ok) throw new Error("not claimed");
    await storage.finish({ ...attemptOf(first.value), result, now: NOW });
    await storage.delivered(first.value.id);
    expect(await storage.claim(claim({ key: "k", now: NOW + 400 * DAY }))).toMatchObject({
      failure: { kind: "repeat", earlier: { kind: "done" } },
    });
    expect(await storage.claim(claim({ key: "k", args: { to: "Bo" } }))).toMatchObject({
      failure: { kind: "repeat", earlier: { kind: "key_reused" } },
    });
    expect(await storage.claim(claim({ key: "k", principal: "another" }))).toMatchObject({ ok: true });
    expect(await storage.claim(claim({ key: "l" }))).toMatchObject({ ok: true });
  });

  test("a call whose process died has an unknown outcome, is not sent again, and a person resolves it once", async () => {
    const storage = await engine.open(await engine.place());
    const first = await storage.claim(claim());
    if (!first.ok) throw new Error("not claimed");
    await storage.renew(first.value, NOW + 5_000);
    expect(await storage.inDoubt(NOW + 4_999)).toEqual([]);
    expect(await storage.inDoubt(NOW + 5_000)).toMatchObject([{ id: first.value.id, state: "in_doubt" }]);
    const again = claim({ now: NOW + 6_000 });
    expect(await storage.claim(again)).toMatchObject({ failure: { earlier: { kind: "in_doubt" } } });
    expect(await storage.resolve(first.value.id, { isDone: false, by, note: "looked" }, NOW)).toBe(true);
    expect(await storage.resolve(first.value.id, { isDone: true, by, note: "" }, NOW)).toBe(false);
    // A late answer does not change a person's finding.
    expect(await storage.finish({ ...attemptOf(first.value), result, now: NOW })).toBeUndefined();
    expect(await storage.claim(again)).toMatchObject({ ok: true });
  });

  test("an answer after the end of the lease resolves the unknown outcome", async () => {
    const storage = await engine.open(await engine.place());
    const first = await storage.claim(claim());
    if (!first.ok) throw new Error("not claimed");
    expect(await storage.inDoubt(NOW + 2_000)).toHaveLength(1);
    expect(await storage.finish({ ...attemptOf(first.value), result, now: NOW + 3_000 })).toMatchObject({
      state: "confirmed",
    });
    expect(await storage.inDoubt(NOW + 3_000)).toEqual([]);
  });

  test("money and places are held while a call runs, and given back only where nothing happened", async () => {
    const storage = await engine.open(await engine.place());
    const needs = { costMicros: 400_000, caps: { perDay: 1_000_000, perMonth: 1_200_000 }, limits: [] };
    const pay = (to: string, now = NOW) =>
      storage.claim(claim({ args: { to }, needs, now, leaseMs: DAY * 30 }));
    const first = await pay("a");
    expect(await pay("b")).toMatchObject({ ok: true });
    expect(await pay("c")).toMatchObject({
      failure: { kind: "budget", cap: "day", spentMicros: 800_000, capMicros: 1_000_000 },
    });
    if (!first.ok) throw new Error("not claimed");
    await storage.finish({
      ...attemptOf(first.value),
      failure: { code: "refused", message: "refused" },
      now: NOW,
    });
    expect(await storage.spent(NOW)).toEqual({ day: 400_000, month: 400_000 });
    expect(await pay("c", NOW + DAY)).toMatchObject({ ok: true });
    expect(await pay("d", NOW + DAY)).toMatchObject({ ok: true });
    expect(await pay("e", NOW + 2 * DAY)).toMatchObject({ failure: { kind: "budget", cap: "month" } });
    expect(await storage.spent(NOW + 20 * DAY)).toEqual({ day: 0, month: 0 });

    const limits = [{ tool: "ring", max: 2, periodMs: 60_000 }];
    const ring = (to: string, now: number) =>
      storage.claim(claim({ tool: "ring", args: { to }, needs: { ...needs, costMicros: 0, limits }, now }));
    expect((await ring("a", NOW)).ok && (await ring("b", NOW + 10)).ok).toBe(true);
    expect(await ring("c", NOW + 59_999)).toMatchObject({
      failure: { kind: "limit", resetsAt: NOW + 60_000 },
    });
    expect(await ring("c", NOW + 60_000)).toMatchObject({ ok: true });
    // A limit that was lowered since has a slot only when enough calls are too old, and the last of two limits counts.
    const lower = [...limits, { tool: "ring", max: 1, periodMs: 90_000 }];
    const refused = await storage.claim(
      claim({
        tool: "ring",
        args: { to: "d" },
        needs: { ...needs, costMicros: 0, limits: lower },
        now: NOW + 60_001,
      }),
    );
    expect(refused).toMatchObject({ failure: { kind: "limit", resetsAt: NOW + 150_000 } });
    expect(
      await storage.claim(
        claim({
          tool: "ring",
          args: { to: "d" },
          needs: { ...needs, costMicros: 0, limits: lower },
          now: NOW + 150_000,
        }),
      ),
    ).toMatchObject({ ok: true });
  });

  test("calls at the same time cannot take the same money", async () => {
    const place = await engine.place();
    const storages = [await engine.open(place), await engine.open(place)];
    const needs = { costMicros: 300_000, caps: { perDay: 1_000_000 }, limits: [] };
    const claimed = await Promise.all(
      Array.from({ length: 12 }, (_, i) => storages[i % 2]?.claim(claim({ args: { i }, needs }))),
    );
    expect(claimed.filter((one) => one?.ok)).toHaveLength(3);
  });

  test("an item is decided once, about what was seen, in its time, and releases one call", async () => {
    const place = await engine.place();
    const storage = await engine.open(place);
    const item = await storage.propose(proposal());
    if (!item.ok) throw new Error(item.failure.kind);
    const { id, digest } = item.value;
    expect(await storage.propose(proposal())).toMatchObject({ value: { id } });
    expect(await storage.claim(claim({ itemId: id }))).toMatchObject({ failure: { kind: "item_used" } });
    const yes = { id, digest, approve: true, by, note: "", now: NOW };
    expect(await storage.decide({ ...yes, digest: "of something else" })).toBe(false);
    expect(await storage.decide({ ...yes, now: NOW + DAY })).toBe(false);
    const late = await storage.propose(proposal({ now: NOW + DAY, expiresAt: NOW + 2 * DAY }));
    if (!late.ok) throw new Error(late.failure.kind);
    expect(late.value.id).not.toBe(id);
    const decision = { ...yes, id: late.value.id, digest: late.value.digest, now: NOW + DAY };
    expect(await storage.decide(decision)).toBe(true);
    expect(await storage.decide({ ...decision, approve: false })).toBe(false);
    expect(await storage.releasable(NOW + DAY)).toMatchObject([{ id: late.value.id }]);
    const rival = await engine.open(place);
    const takes = [storage, rival].map((one) => one.takeReleasable(late.value.id, NOW + DAY, NOW + DAY + 1));
    expect((await Promise.all(takes)).sort()).toEqual([false, true]);
    expect(await rival.releasable(NOW + DAY)).toEqual([]);
    // The process that took it has not sent it.
    expect(await rival.takeReleasable(late.value.id, NOW + DAY + 1, NOW + DAY + 1)).toBe(true);
    const first = await storage.claim(claim({ itemId: late.value.id, now: NOW + DAY }));
    if (!first.ok) throw new Error("not claimed");
    await storage.finish({ ...attemptOf(first.value), result, now: NOW + DAY });
    await storage.delivered(first.value.id);
    expect(await storage.releasable(NOW + DAY)).toEqual([]);
    expect(await storage.claim(claim({ itemId: late.value.id, now: NOW + DAY }))).toMatchObject({
      failure: { kind: "item_used" },
    });
  });

  test("a no stands until the item would have expired, and an inbox has an end", async () => {
    const storage = await engine.open(await engine.place());
    const item = await storage.propose(proposal());
    if (!item.ok) throw new Error(item.failure.kind);
    const { id, digest } = item.value;
    await storage.decide({ id, digest, approve: false, by, note: "not now", now: NOW });
    expect(await storage.propose(proposal({ now: NOW + DAY - 1 }))).toMatchObject({
      value: { id, status: "rejected", note: "not now" },
    });
    const many = await Promise.all(
      Array.from({ length: 7 }, (_, i) => storage.propose(proposal({ args: { i } }))),
    );
    expect(many.filter((one) => one.ok)).toHaveLength(5);
    expect(many.filter((one) => !one.ok)).toMatchObject([
      { failure: { kind: "inbox_full" } },
      { failure: { kind: "inbox_full" } },
    ]);
  });

  test("a row that was changed in the database releases nothing, and scopes do not see each other", async () => {
    const place = await engine.place();
    const storage = await engine.open(place);
    const other = await engine.open(place, "other");
    const id = await approved(storage);
    expect(await other.item(id)).toBeUndefined();
    expect(await other.releasable(NOW)).toEqual([]);
    expect(await storage.releasable(NOW)).toHaveLength(1);
    // Another key stands for a row that somebody else wrote.
    const { openSqlite, openSqlStorage } = await import("../../src/guards/index.ts");
    const { openPostgres } = await import("../../src/guards/postgres.ts");
    const connect = place.startsWith("postgres") ? openPostgres : openSqlite;
    const forger = await openSqlStorage(await connect(place), { scope: "test", key: Buffer.alloc(32, 1) });
    expect(await forger.releasable(NOW)).toEqual([]);
    const forged = await approved(forger, { args: { to: "Eve" } });
    expect(await storage.claim(claim({ args: { to: "Eve" }, itemId: forged }))).toMatchObject({
      failure: { kind: "item_used" },
    });
    await forger.close();
  });

  test("a receipt whose lease is renewed stays running, and its outcome is unknown once nobody renews it", async () => {
    const storage = await engine.open(await engine.place());
    const clock = new FakeClock(NOW);
    const held = await storage.claim(claim({ leaseMs: LEASE_MS }));
    if (!held.ok) throw new Error("The call was refused.");
    const renewals: Promise<void>[] = [];
    const watched = {
      renew(...renewed: Parameters<GuardStorage["renew"]>) {
        const renewal = storage.renew(...renewed);
        renewals.push(renewal);
        return renewal;
      },
    };
    const stopRenewing = renewing(watched, clock, held.value);
    for (let i = 0; i < 12; i++) {
      clock.advance(5_000);
      await Promise.all(renewals);
      expect(await storage.inDoubt(clock.now())).toEqual([]);
    }
    stopRenewing();
    clock.advance(LEASE_MS);
    expect(await storage.inDoubt(clock.now())).toMatchObject([{ id: held.value.id }]);
  });
});
