import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
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

test("an approved call whose caller has gone is made once, and the next equal call gets its answer", async () => {
  const storage = await openSqlStorage(await openSqlite(":memory:"), {
    scope: "payments",
    key: new Uint8Array(32).fill(1),
  });
  onTestFinished(() => storage.close());
  const clock = new FakeClock();
  const paid: string[] = [];
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
  const released: number[] = [];
  const stop = releaseApproved({
    pipeline,
    storage,
    clock,
    callOf: ({ id, tool, args }) => ({
      tool,
      args,
      caller: { transport: "web" },
      context: { releasedItem: id },
    }),
    onReleased: ({ id }) => released.push(id),
    onError: (error) => {
      throw error;
    },
  });
  const ask = async (to: string) => {
    const answer = await pipeline.call({ tool: "pay", args: { to }, caller: { transport: "stdio" } });
    return answer.kind === "rendered" ? answer.outcome : undefined;
  };

  expect(await ask("Ana")).toMatchObject({ failure: { code: "denied", reason: "waiting" } });
  expect(await ask("Bo")).toMatchObject({ failure: { code: "denied", reason: "waiting" } });
  const [item] = await storage.items("waiting", clock.now());
  if (item === undefined) throw new Error("Nothing waits.");
  const { id, digest } = item;
  await storage.decide({ id, digest, approve: true, by: "person", note: "", now: clock.now() });
  await vi.waitFor(() => {
    clock.advance(1_000);
    expect(released).toEqual([id]);
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
