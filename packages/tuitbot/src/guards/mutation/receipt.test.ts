import { type Failure, failed, ok } from "@toolpact/contract";
import type { Journal, JournalRequest } from "@toolpact/contract/guards";
import { expect, test } from "vitest";
import { fullCatalog } from "../../server/catalog.ts";
import { StorageError, troubleOf } from "../../storage/storage-error.ts";
import type { Account, PlannedMutation } from "../call/call-context.ts";
import type { AccountReceipts } from "../receipts/receipt.ts";
import { type ReceiptCall, type ReceiptDependencies, runMutation } from "./receipt.ts";

const request: JournalRequest = { operation: "createPosts", method: "POST", target: "/2/tweets" };

/** Counts the requests. The storage has only what this needs. */
async function run(beginStep: AccountReceipts["beginStep"], monotonic = () => 0) {
  let sent = 0;
  const receipts = {
    account: "1",
    claim: async () => ok({ id: "r1", attempt: 1, steps: [] }),
    beginStep,
    endStep: async () => true,
    troubleOf,
    finish: async () => ({ state: sent > 0 ? "confirmed" : "failed", stepsDone: sent }),
  } as Partial<AccountReceipts> as AccountReceipts;
  const planned: PlannedMutation = {
    mutation: {
      repeat: "day",
      requests: [{ operation: "createPosts", micros: 15_000 }],
      expectedSteps: 1,
      surcharge: undefined,
      rollback: () => ({ reversible: false }),
    },
    identity: { claim: "c", argsDigest: "a", hasKey: false, hasOwnKey: false },
    release: undefined,
    record: {
      decision: "allow",
      ruleId: undefined,
      approvalId: undefined,
      receiptId: undefined,
      estimated: 15_000,
      paid: undefined,
    },
  };
  const call = {
    id: "c1",
    tool: fullCatalog.get("x_post_tweet") ?? expect.fail(),
    input: { text: "Hello" },
    effect: "create",
    caller: { transport: "stdio" },
    signal: new AbortController().signal,
    startedAt: 0,
    context: { account: { account: "1", receipts } as unknown as Account },
    annotate: () => {},
    warn: () => {},
  } as unknown as ReceiptCall["call"];
  const send = async (journal: Pick<Journal, "beforeSend">) => {
    const permit = await journal.beforeSend(request);
    if (!permit.ok) return failed<Failure>({ code: "x_forbidden", message: permit.failure.message });
    sent += 1;
    if (permit.value.recorded === undefined)
      await permit.value.afterAnswer?.({ state: "confirmed", status: 201, text: "{}" });
    return ok("done");
  };
  const mutation = { call, planned, limits: [], answers: undefined, bill: undefined };
  const dependencies = {
    rules: {
      isPreparation: () => false,
      continues: () => undefined,
      stored: ({ target, bodyText }: JournalRequest) => ({ target, body_json: bodyText ?? null }),
      effectOf: () => ({ makes: null }),
    },
    isRepetition: () => false,
    onDone: async () => {},
    caps: {},
    leaseMs: 45_000,
    lateEffectMs: 300_000,
    xTime: { now: () => 0, earliest: () => 0, monotonic },
    now: () => 0,
  } as unknown as ReceiptDependencies;
  const outcome = await runMutation(mutation, dependencies, send);
  return { outcome, sent, record: planned.record };
}

test("a call with a receipt sends its request, and its price is known", async () => {
  const { outcome, sent, record } = await run(async () => undefined);
  expect([outcome, sent]).toMatchObject([{ ok: true }, 1]);
  expect(record).toMatchObject({ receiptId: "r1", paid: 15_000 });
});

test("a call whose receipt was taken over sends nothing, and says so", async () => {
  const { outcome, sent } = await run(async () => "taken_over");
  expect([outcome, sent]).toMatchObject([
    { ok: false, failure: { code: "x_network_error", reason: "duplicate_request", retryAfterMs: 0 } },
    0,
  ]);
});

test("a call whose thread another call continued sends nothing, and names the other", async () => {
  const { outcome, sent } = await run(async () => ({ continuedBy: "r2" }));
  expect([outcome, sent]).toMatchObject([{ ok: false, failure: { details: { continued_by: "r2" } } }, 0]);
});

test("a process that was stopped between writing a request down and sending it sends nothing", async () => {
  let passed = 0;
  const { outcome, sent } = await run(
    async () => {
      passed = 60_000;
      return undefined;
    },
    () => passed,
  );
  expect([outcome, sent]).toMatchObject([
    { ok: false, failure: { message: expect.stringMatching(/stopped/) } },
    0,
  ]);
});

test("a request that cannot be written down is not sent", async () => {
  const { outcome, sent } = await run(async () => {
    throw new StorageError("busy", "The database is busy.");
  });
  expect([outcome, sent]).toMatchObject([{ ok: false, failure: { code: "db_error" } }, 0]);
});
