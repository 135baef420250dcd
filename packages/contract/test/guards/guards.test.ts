import { expect, test } from "vitest";
import * as z from "zod";
import { type GuardStorage, protect } from "../../src/guards/index.ts";
import { defineErrors, defineServer, ok } from "../../src/index.ts";
import { connect, FakeClock } from "../../src/testing/index.ts";
import { onBothEngines } from "./engines.ts";

const errors = defineErrors({
  lost: { category: "server", retryable: false, meaning: "No answer came" },
});

const clock = new FakeClock();

/** Payments are counted outside of the server. */
function payments(guardStorage: GuardStorage) {
  const paid: string[] = [];
  const server = defineServer({
    name: "payments",
    version: "1.0.0",
    errors,
    guardStorage: () => guardStorage,
    protect: protect({
      errors,
      codes: { retry: "busy", refused: "denied" },
      approval: { needs: ({ input }) => input.to === "Ana" },
      once: { uncertain: ["lost"] },
      budget: { price: () => 0.3, usdPerDay: 1 },
    }),
  });
  const pay = server.tool({
    name: "pay",
    description: "Pay somebody.",
    effect: "create",
    errors: ["lost"],
    input: z.strictObject({
      to: z.string().describe("Who gets it, such as Ana"),
      idempotency_key: z.string().optional().describe("Names the call, such as k1"),
    }),
    output: z.object({ payments: z.number() }),
    handler({ to }) {
      paid.push(to);
      if (to === "nobody") return errors.fail("lost", "The line is dead.");
      if (to === "bug") throw new Error("secret text");
      return ok({ payments: paid.length });
    },
  });
  const look = server.tool({
    name: "look",
    description: "Look at payments.",
    effect: "none",
    input: z.strictObject({}),
    output: z.object({ payments: z.number() }),
    handler: () => ok({ payments: paid.length }),
  });
  return { app: server.app({ tools: [pay, look], clock, onBug: () => {} }), paid };
}

onBothEngines((engine) => {
  test("any product can say: a person decides, nothing twice, no more than this", async () => {
    const storage = await engine.open(await engine.place());
    const { app, paid } = payments(storage);
    await using server = await connect(app);
    const pay = (to: string, idempotency_key?: string) =>
      server.call("pay", { to, ...(idempotency_key !== undefined && { idempotency_key }) });
    const refused = (reason: string) => ({ success: false, error: { code: "denied", reason } });

    expect(await pay("Ana")).toMatchObject(refused("waiting"));
    const [item] = await storage.items("waiting", clock.now());
    expect(item).toMatchObject({ tool: "pay", args: { to: "Ana" } });
    expect(paid).toEqual([]);
    const { id = 0, digest = "" } = item ?? {};
    await storage.decide({ id, digest, approve: true, by: "person", note: "", now: clock.now() });
    expect(await pay("Ana")).toMatchObject({ success: true, data: { payments: 1 } });
    expect(await pay("Ana")).toMatchObject(refused("waiting"));
    expect(paid).toEqual(["Ana"]);

    expect(await pay("Bo", "k1")).toMatchObject({ success: true, data: { payments: 2 } });
    expect(await pay("Bo", "k1")).toMatchObject({ success: true, data: { payments: 2 } });
    expect(await pay("Cy", "k1")).toMatchObject(refused("key_reused"));
    expect(await pay("nobody")).toMatchObject({ success: false, error: { code: "lost" } });
    expect(await pay("nobody")).toMatchObject(refused("unknown_outcome"));
    expect(paid).toEqual(["Ana", "Bo", "nobody"]);

    // Three times 0.30 of 1 USD are spent or held.
    expect(await pay("Di")).toMatchObject(refused("budget"));
    expect(await server.call("look")).toMatchObject({ data: { payments: 3 } });
    const [doubt] = await storage.inDoubt(clock.now());
    await storage.resolve(doubt?.id ?? "", { isDone: false, by: "person", note: "" }, clock.now());
    expect(await pay("bug")).toMatchObject({ error: { code: "bug" } });
    expect(await pay("bug")).toMatchObject(refused("unknown_outcome"));
    expect(paid).toEqual(["Ana", "Bo", "nobody", "bug"]);
  });
});
