import { expect, test } from "vitest";
import { type GuardStorage, type ProtectOptions, protect } from "../../src/guards/index.ts";
import type { JsonObject } from "../../src/index.ts";
import { onBothEngines } from "./engines.ts";
import { anyGuard, codes, errors, payments } from "./payments.ts";

type Options = Partial<ProtectOptions<typeof errors>>;

const guarded = (options: Options, storage: GuardStorage) =>
  payments([anyGuard(protect({ errors, codes, ...options }))], undefined, storage);

/** Copies the used item under the next id. */
const COLUMNS =
  "scope, args_digest, tool, args, digest, status, reason, client, principal, created_at, expires_at, held_until, decided_at, decided_by, note, decision_digest, people_needed, votes, context";
const COPY = `insert into guard_items (${COLUMNS}) select ${COLUMNS} from guard_items`;

const NFC = "Zo\u00eb";
const NFD = "Zoe\u0308";

onBothEngines(({ place, open, tamper }) => {
  /** The state the approver saw, and its change before the call. */
  const changes: Readonly<Record<string, (rows: Map<string, JsonObject>) => void>> = {
    "a changed row": (rows) => rows.set("Ana", { account: "DE99", cents: 100 }),
    "a row with one more member": (rows) => rows.set("Ana", { account: "DE01", cents: 100, fee: 1 }),
    "a row whose number became text": (rows) => rows.set("Ana", { account: "DE01", cents: "100" }),
    "a deleted row": (rows) => rows.delete("Ana"),
  };
  test.each(Object.entries(changes))("an approval does not hold for %s", async (_, change) => {
    const rows = new Map<string, JsonObject>([["Ana", { account: "DE01", cents: 100 }]]);
    const binds = ({ input }: { input: JsonObject }) => ({ row: rows.get(String(input.to)) ?? null });
    await using the = await guarded({ approval: { binds } }, await open(await place()));
    await the.call("pay", "Ana");
    await the.approve();
    change(rows);
    expect(await the.call("pay", "Ana")).toMatchObject({ error: { reason: "changed_since_approval" } });
    expect(await the.call("pay", "Ana")).toMatchObject({ error: { reason: "waiting" } });
    expect(the.paid).toEqual([]);
  });

  test("an approval holds for a row whose members come in another order", async () => {
    let row: JsonObject = { account: "DE01", cents: 100 };
    await using the = await guarded({ approval: { binds: () => ({ row }) } }, await open(await place()));
    await the.call("pay", "Ana");
    await the.approve();
    row = { cents: 100, account: "DE01" };
    expect(await the.call("pay", "Ana")).toMatchObject({ success: true });
    expect(the.paid).toEqual(["Ana"]);
  });

  test("an approval by one person does not hold once two are needed", async () => {
    let needed = 1;
    const approval = { people: () => needed };
    await using the = await guarded({ approval }, await open(await place()));
    await the.call("pay", "Ana");
    await the.approve();
    needed = 2;
    expect(await the.call("pay", "Ana")).toMatchObject({ error: { reason: "changed_since_approval" } });
    expect(the.paid).toEqual([]);
  });

  test("an approval does not hold for a call that the operator has stopped since", async () => {
    let why: string | undefined;
    await using the = await guarded({ stop: () => why, approval: {} }, await open(await place()));
    await the.call("pay", "Ana");
    await the.approve();
    why = "Payments are stopped.";
    expect(await the.call("pay", "Ana")).toMatchObject({ error: { reason: "stopped" } });
    expect(the.paid).toEqual([]);
  });

  test("an approval does not hold for a price or a limit that has become too much since", async () => {
    let price = 1;
    const budget = { price: () => price, usdPerDay: 2 };
    await using the = await guarded({ budget, approval: {} }, await open(await place()));
    await the.call("pay", "Ana");
    await the.approve();
    price = 3;
    expect(await the.call("pay", "Ana")).toMatchObject({ error: { reason: "budget" } });
    expect(the.paid).toEqual([]);
  });

  test.each([
    ["the same text in another normalization", NFC, NFD],
    ["a trailing space", "Ana", "Ana "],
    ["a letter that looks the same", "Ana", "\u0410na"],
    ["an invisible character", "Ana", "A\u200bna"],
  ])("an approval of one argument does not hold for %s", async (_, approved, other) => {
    await using the = await guarded({ approval: {} }, await open(await place()));
    await the.call("pay", approved);
    await the.approve();
    expect(await the.call("pay", other)).toMatchObject({ error: { reason: "waiting" } });
    expect(the.paid).toEqual([]);
    expect(await the.call("pay", approved)).toMatchObject({ success: true });
    expect(the.paid).toEqual([approved]);
  });

  const call = { tool: "pay", args: { to: "Ana", cents: 100 }, principal: "agent" };
  const now = 1_000_000;
  const propose = async (storage: GuardStorage, context?: JsonObject) => {
    const proposal = { ...call, context, reason: "", heldUntil: 0, expiresAt: now + 60_000, now };
    const proposed = await storage.propose(proposal);
    const { id, digest } = proposed.ok ? proposed.value : expect.fail();
    expect(await storage.decide({ id, digest, approve: true, by: "person", note: "", now })).toBe(true);
    return id;
  };
  const claim = {
    ...call,
    receiptId: "r1",
    needs: { costMicros: 0, caps: {}, limits: [] },
    sameCallMs: 0,
    leaseMs: 20_000,
    now,
  };

  test.each([
    ["arguments", { args: { to: "Mallory", cents: 100 } }],
    ["tool", { tool: "withdraw" }],
    ["caller", { principal: "mallory" }],
    ["caller without a name", { principal: undefined }],
  ])("a receipt is not given for an approval of another call: other %s", async (_, other) => {
    const storage = await open(await place());
    const itemId = await propose(storage);
    const refused = await storage.claim({ ...claim, ...other, itemId });
    expect(refused).toMatchObject({ ok: false, failure: { kind: "item_used" } });
    expect(await storage.claim({ ...claim, itemId })).toMatchObject({ ok: true });
  });

  test("a receipt is given for an approval of the same arguments in another order", async () => {
    const storage = await open(await place());
    const itemId = await propose(storage);
    expect(await storage.claim({ ...claim, args: { cents: 100, to: "Ana" }, itemId })).toMatchObject({
      ok: true,
    });
  });

  test("of ten receipts at once for one approval, one is given", async () => {
    const at = await place();
    const storages = [await open(at), await open(at)];
    const itemId = await propose(await open(at));
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        storages[index % 2]?.claim({ ...claim, key: `k${index}`, receiptId: `r${index}`, itemId }),
      ),
    );
    expect(claims.filter((claimed) => claimed?.ok)).toHaveLength(1);
  });

  test("a receipt is not given for an approval that was for another state", async () => {
    const storage = await open(await place());
    const itemId = await propose(storage, { version: 1 });
    for (const context of [{ version: 2 }, undefined]) {
      const refused = await storage.claim({ ...claim, itemId, context });
      expect(refused).toMatchObject({ ok: false });
    }
    expect(await storage.claim({ ...claim, itemId, context: { version: 1 } })).toMatchObject({
      ok: false,
      // Withdrawn with the first attempt.
      failure: { kind: "item_used" },
    });
  });

  test.each([
    ["approves an item", "update guard_items set status = 'approved', decided_by = 'person'"],
    ["changes the arguments of an item", `update guard_items set args = '{"to":"Mallory","cents":100}'`],
    ["changes the state that an item was approved for", `update guard_items set context = '{"version":2}'`],
    ["copies an approval to another item", COPY],
    ["takes an item for themselves", "update guard_items set principal = 'mallory'"],
    ["prolongs an approval", "update guard_items set expires_at = expires_at + 86400000"],
  ])("somebody at the database who %s without the key gets no receipt", async (what, statement) => {
    const at = await place();
    const storage = await open(at);
    let itemId: number;
    if (what === "approves an item") {
      const proposal = { ...call, reason: "", heldUntil: 0, expiresAt: now + 60_000, now };
      const proposed = await storage.propose(proposal);
      itemId = proposed.ok ? proposed.value.id : expect.fail();
    } else itemId = await propose(storage, { version: 1 });
    await tamper(at, statement);
    if (statement === COPY)
      expect(
        await storage.claim({ ...claim, receiptId: "r0", key: "k0", itemId, context: { version: 1 } }),
      ).toMatchObject({
        ok: true,
      });
    for (const [id, context, principal, args] of [
      [itemId, { version: 1 }, "agent", call.args],
      [itemId + 1, { version: 1 }, "agent", call.args],
      [itemId, { version: 2 }, "agent", call.args],
      [itemId, { version: 1 }, "mallory", call.args],
      [itemId, { version: 1 }, "agent", { to: "Mallory", cents: 100 }],
      [itemId, undefined, "agent", call.args],
    ] as const)
      expect(
        await storage.claim({ ...claim, key: "k1", principal, args, itemId: id, context }),
        JSON.stringify([id - itemId, context, principal, args]),
      ).toMatchObject({ ok: false });
    expect(await storage.releasable(now)).toEqual([]);
  });
});
