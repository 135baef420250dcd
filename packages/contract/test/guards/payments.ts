import * as z from "zod";
import { type GuardStorage, openSqlite, openSqlStorage, protect } from "../../src/guards/index.ts";
import { defineErrors, type Guard, ok, type SuccessNotes } from "../../src/index.ts";
import {
  deadline,
  defineProduct,
  idempotency,
  oneStackApp,
  RecentCalls,
  successEnvelope,
} from "../../src/internal.ts";
import { connect, FakeClock } from "../../src/testing/index.ts";

export const errors = defineErrors(
  {
    bad_input: { category: "input", retryable: false, meaning: "An argument is wrong" },
    denied: { category: "policy", retryable: false, meaning: "It may not be done, or not now" },
    busy: { category: "server", retryable: true, meaning: "Try again" },
    bug: { category: "server", retryable: false, meaning: "A bug" },
  },
  { badInput: "bad_input", duplicate: "denied", deadline: "busy", internal: "bug" },
);
export const product = defineProduct<{ notes: SuccessNotes }>()({
  errors,
  categories: ["money"],
  profiles: ["all"],
  services: {},
});
export const codes = { retry: "busy", refused: "denied" } as const;

export async function memory(): Promise<GuardStorage> {
  return openSqlStorage(await openSqlite(":memory:"), {
    scope: "payments",
    key: new Uint8Array(32).fill(1),
  });
}

export type AnyGuard = Guard<unknown, unknown, never, object, object, object, never>;

export const anyGuard = (value: unknown) => value as AnyGuard;

export function bind(guards: readonly AnyGuard[], guardStorage: GuardStorage, clock = new FakeClock()) {
  let stack = product.guardStack("payments");
  for (const one of guards) stack = stack.use(one) as unknown as typeof stack;
  const given = { clock, guardStorage, recentCalls: new RecentCalls(1) };
  return (stack.answering(successEnvelope(errors)) as unknown as ReturnType<typeof anyStack>).bind(given);
}
const anyStack = () =>
  product
    .guardStack("any")
    .use(deadline)
    .use(idempotency)
    .use(protect({ errors, codes }))
    .answering(successEnvelope(errors));

/** Records payments. `act` runs after the payment. */
export async function payments(
  guards: readonly AnyGuard[],
  act: (to: string, signal: AbortSignal) => Promise<unknown> = async () => {},
  given?: GuardStorage,
) {
  const storage = given ?? (await memory());
  const clock = new FakeClock();
  const stack = bind(guards, storage, clock);
  const paid: string[] = [];
  const common = {
    category: "money",
    openWorld: true,
    profiles: ["all"],
    needs: [],
    errors: ["denied"],
    input: z.strictObject({
      to: z.string().describe("Who gets it, such as Ana"),
      idempotency_key: z.string().optional().describe("Names the call, such as k1"),
    }),
    output: z.object({}),
    async handler({ to }: { to: string }, { signal }: { signal: AbortSignal }) {
      paid.push(to);
      await act(to, signal);
      return ok({});
    },
  } as const;
  const pay = product.defineTool({
    ...common,
    name: "pay",
    title: "Pay",
    description: "Pay somebody.",
    effect: "create",
  });
  const look = product.defineTool({
    ...common,
    name: "look",
    title: "Look",
    description: "Look at the payments of somebody.",
    effect: "none",
  });
  const server = await connect(
    oneStackApp({
      name: "payments",
      version: "1.0.0",
      instructions: "",
      product,
      stack,
      services: {},
      tools: [pay, look],
      onBug: () => {},
    }),
  );
  return {
    paid,
    storage,
    clock,
    server,
    call: (tool: "pay" | "look", to: string, idempotency_key?: string) => {
      // Then `idempotency` has forgotten the call.
      clock.advance(10);
      return server.call(tool, { to, ...(idempotency_key !== undefined && { idempotency_key }) });
    },
    async approve() {
      const now = clock.now();
      for (const { id, digest } of await storage.items("waiting", now))
        await storage.decide({ id, digest, approve: true, by: "person", note: "", now });
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      if (given === undefined) await storage.close();
    },
  };
}
