import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import type { Answer } from "../../src/call-state.ts";
import { openSqlite, openSqlStorage, type ProtectedCall, protect } from "../../src/guards/index.ts";
import { releaseApproved } from "../../src/guards/release-approved.ts";
import { defineErrors, ok, type SuccessNotes } from "../../src/index.ts";
import {
  catalog,
  createPipeline,
  defineProduct,
  provideServices,
  successEnvelope,
} from "../../src/internal.ts";
import { FakeClock } from "../../src/testing/index.ts";

const errors = defineErrors(
  {
    bad_input: { category: "input", retryable: false, meaning: "An argument is wrong" },
    denied: { category: "policy", retryable: false, meaning: "It may not be done, or not now" },
    busy: { category: "server", retryable: true, meaning: "Try again" },
    bug: { category: "server", retryable: false, meaning: "A bug" },
  },
  { badInput: "bad_input", duplicate: "denied", deadline: "busy", internal: "bug" },
);
interface Release {
  readonly releasedItem?: number;
}
const product = defineProduct<{ notes: SuccessNotes; context: Release & ProtectedCall }>()({
  errors,
  categories: ["money"],
  profiles: ["all"],
  services: {},
});
const releasedItem = ({ context }: { readonly context: Release }) => context.releasedItem;

/** A process that pays, with a pipeline and a loop for approved calls. */
async function payer(path: string, clock: FakeClock, paid: string[]) {
  const storage = await openSqlStorage(await openSqlite(path), {
    scope: "payments",
    key: new Uint8Array(32).fill(1),
  });
  onTestFinished(() => storage.close());
  const pay = product.defineTool({
    name: "pay",
    title: "Pay",
    description: "Pay somebody.",
    category: "money",
    openWorld: true,
    profiles: ["all"],
    needs: [],
    errors: [],
    effect: "create",
    input: z.strictObject({ to: z.string().describe("Who gets it, such as Ana") }),
    output: z.object({ to: z.string() }),
    handler({ to }) {
      paid.push(to);
      return ok({ to });
    },
  });
  const stack = product
    .guardStack("payments")
    .use(
      protect({
        errors,
        codes: { retry: "busy", refused: "denied" },
        once: { isDelivered: (call) => releasedItem(call) === undefined },
        approval: { released: releasedItem },
      }),
    )
    .answering(successEnvelope(errors))
    .bind({ clock, guardStorage: storage });
  const pipeline = createPipeline({
    product,
    catalog: catalog([pay]),
    stackFor: () => stack,
    services: provideServices(product, {}),
    onBug: ({ error }) => {
      throw error;
    },
    clock,
  });
  const released: { readonly id: number; readonly answer: Answer }[] = [];
  /** Starts the loop, whose list of items passes through `listed`. */
  const release = (listed: () => Promise<void> = async () => {}) =>
    releaseApproved({
      pipeline,
      storage: {
        ...storage,
        async releasable(now) {
          const items = await storage.releasable(now);
          await listed();
          return items;
        },
      },
      clock,
      callOf: ({ id, tool, args }) => ({
        tool,
        args,
        caller: { transport: "web" },
        context: { releasedItem: id },
      }),
      onReleased: ({ id }, answer) => void released.push({ id, answer }),
      onError: (error) => {
        throw error;
      },
    });
  const ask = async (to: string) => {
    const answer = await pipeline.call({ tool: "pay", args: { to }, caller: { transport: "stdio" } });
    return answer.kind === "rendered" ? answer.outcome : undefined;
  };
  const approve = async () => {
    const [item] = await storage.items("waiting", clock.now());
    if (item === undefined) throw new Error("Nothing waits.");
    const { id, digest } = item;
    await storage.decide({ id, digest, approve: true, by: "person", note: "", now: clock.now() });
    return id;
  };
  return { pipeline, storage, released, release, ask, approve };
}

test("an approved call whose caller has gone is made once, and the next equal call gets its answer", async () => {
  const clock = new FakeClock();
  const paid: string[] = [];
  const { pipeline, released, release, ask, approve } = await payer(":memory:", clock, paid);

  expect(await ask("Ana")).toMatchObject({ failure: { code: "denied", reason: "waiting" } });
  expect(await ask("Bo")).toMatchObject({ failure: { code: "denied", reason: "waiting" } });
  const id = await approve();
  const stop = release();
  await vi.waitFor(() => {
    clock.advance(1_000);
    expect(released).toMatchObject([{ id }]);
  });
  stop();
  expect(paid).toEqual(["Ana"]);
  expect(await ask("Ana")).toMatchObject({ ok: true, value: { to: "Ana" } });
  // That answer was delivered, so the same call is a new one.
  expect(await ask("Ana")).toMatchObject({ failure: { reason: "waiting" } });

  // Used items, and items nobody approved, release nothing.
  for (const used of [id, id + 1]) {
    const again = { tool: "pay", args: { to: "Cy" }, caller: { transport: "web" } as const };
    const answer = await pipeline.call({ ...again, context: { releasedItem: used } });
    expect(answer).toMatchObject({ outcome: { failure: { code: "busy", reason: "item_used" } } });
  }
  expect(paid).toEqual(["Ana"]);
});

test("of several processes that find an approved call at the same time, one makes it, and none reports a failure", async () => {
  const folder = mkdtempSync(join(tmpdir(), "release-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clock = new FakeClock();
  const paid: string[] = [];
  const open = () => payer(join(folder, "guards.db"), clock, paid);
  const payers = [await open(), await open(), await open()] as const;
  await payers[0].ask("Ana");
  const id = await payers[0].approve();
  const rounds = payers.map(() => 0);
  const allHaveListed = Promise.withResolvers<void>();
  for (const [index, { release }] of payers.entries()) {
    const stop = release(() => {
      rounds[index] = (rounds[index] ?? 0) + 1;
      if (!rounds.includes(0)) allHaveListed.resolve();
      return allHaveListed.promise;
    });
    onTestFinished(stop);
  }
  // The second round of each begins when its first has ended.
  await vi.waitFor(() => {
    clock.advance(1_000);
    expect(Math.min(...rounds)).toBeGreaterThan(1);
  });
  const released = payers.flatMap((one) => one.released);
  expect(released).toMatchObject([{ id, answer: { outcome: { ok: true } } }]);
  expect(paid).toEqual(["Ana"]);
});
