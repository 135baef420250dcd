import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  decisionsTold,
  type GuardStorage,
  noMoreThan,
  nothingTwice,
  openSqlite,
  openSqlStorage,
  personDecides,
  settleLeftovers,
} from "../../src/guards/index.ts";
import {
  deadline,
  defineErrors,
  defineProduct,
  EFFECTS,
  type Guard,
  guard,
  idempotency,
  type JsonObject,
  ok,
  oneStackApp,
  RecentCalls,
  type SuccessNotes,
  successEnvelope,
} from "../../src/index.ts";
import { connect, FakeClock } from "../../src/testing/index.ts";

const errors = defineErrors(
  {
    bad_input: { category: "input", retryable: false, meaning: "An argument is wrong" },
    denied: { category: "policy", retryable: false, meaning: "It may not be done, or not now" },
    too_slow: { category: "server", retryable: true, meaning: "The deadline passed" },
    bug: { category: "server", retryable: false, meaning: "A defect" },
  },
  { badInput: "bad_input", duplicate: "denied", deadline: "too_slow", internal: "bug" },
);
const product = defineProduct<{ notes: SuccessNotes; annotations: JsonObject }>()({
  errors,
  categories: ["money"],
  profiles: ["all"],
  services: {},
});

/** A guard of the product itself, which the library knows nothing about. */
const own = guard({
  name: "own",
  codes: () => ["denied"],
  run: (call, next) => (EFFECTS[call.effect].mutates ? next({ context: { own: true } }) : next()),
});

const GUARDS = {
  decisionsTold: () => decisionsTold,
  settleLeftovers: () => settleLeftovers({}),
  noMoreThan: () => noMoreThan({ price: () => 1, usdPerDay: 2 }),
  personDecides: () => personDecides({ code: "denied", needs: () => true }),
  nothingTwice: () => nothingTwice({ code: "denied" }),
  deadline: () => deadline,
  idempotency: () => idempotency,
  own: () => own,
};
type Name = keyof typeof GUARDS;

const DURABLE = ["decisionsTold", "settleLeftovers", "noMoreThan", "personDecides", "nothingTwice"] as const;
const COMPLETE: readonly Name[] = DURABLE;

const clock = new FakeClock();

function bind(names: readonly Name[], guardStorage: GuardStorage) {
  let stack = product.guardStack("payments");
  // The types of a stack say what it was made of; here that is known only when it runs.
  for (const name of names) stack = stack.use(GUARDS[name]() as unknown as Guard) as unknown as typeof stack;
  const given = { clock, guardStorage, waitingCalls: new Map(), recentCalls: new RecentCalls(1) };
  return stack.answering(successEnvelope(errors)).bind(given);
}

async function memory(): Promise<GuardStorage> {
  return openSqlStorage(await openSqlite(":memory:"), { scope: "payments", key: new Uint8Array(32).fill(1) });
}

/** An app behind these guards that counts what it did. */
async function payments(names: readonly Name[]) {
  const storage = await memory();
  const stack = bind(names, storage);
  const paid: string[] = [];
  const common = {
    category: "money",
    openWorld: true,
    profiles: ["all"],
    needs: [],
    errors: [],
    input: z.strictObject({
      to: z.string().describe("Who gets it, such as Ana"),
      idempotency_key: z.string().optional().describe("Names the call, such as k1"),
    }),
    output: z.object({}),
    async handler({ to }: { to: string }) {
      paid.push(to);
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
    description: "Look at what somebody got.",
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
      onBug: ({ error }) => expect.fail(String(error)),
    }),
  );
  return {
    paid,
    call: (tool: "pay" | "look", to: string, idempotency_key?: string) => {
      // `idempotency` has forgotten the call by then.
      clock.advance(10);
      return server.call(tool, { to, ...(idempotency_key !== undefined && { idempotency_key }) });
    },
    /** The person approves all that waits. */
    async approve() {
      for (const { id, digest } of await storage.items("waiting", clock.now()))
        await storage.decide({ id, digest, approve: true, by: "person", note: "", now: clock.now() });
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await storage.close();
    },
  };
}

/** Fails if a call runs that nobody approved, an approval lets two calls run, or more is spent than allowed. */
async function expectSafe(names: readonly Name[]): Promise<void> {
  const has = (name: Name) => names.includes(name);
  const why = names.join(" → ");
  const five = [1, 2, 3, 4, 5];
  if (has("personDecides"))
    for (const tool of ["pay", "look"] as const) {
      await using the = await payments(names);
      await Promise.all(five.map(() => the.call(tool, "Ana")));
      await the.call(tool, "Ana");
      expect(the.paid, why).toEqual([]);
      await the.approve();
      await Promise.all(five.map(() => the.call(tool, "Ana")));
      await the.call(tool, "Ana");
      expect(the.paid, why).toEqual(["Ana"]);
    }
  if (has("noMoreThan")) {
    await using the = await payments(names);
    for (const to of ["Ana", "Bo", "Cy", "Di", "Ed"]) {
      await the.call("pay", to);
      await the.approve();
      if (has("personDecides")) await the.call("pay", to);
    }
    expect(the.paid, why).toEqual(["Ana", "Bo"]);
  }
  if (has("nothingTwice")) {
    await using the = await payments(names);
    await the.call("pay", "Ana", "k1");
    await the.approve();
    await Promise.all(five.map(() => the.call("pay", "Ana", "k1")));
    await the.call("pay", "Ana", "k1");
    expect(the.paid, why).toEqual(["Ana"]);
  }
}

/** Binds each of the stacks: what is refused says the right order, and what is not is safe. */
async function safeOrRefused(stacks: readonly (readonly Name[])[]) {
  const storage = await memory();
  const accepted: (readonly Name[])[] = [];
  for (const names of stacks) {
    try {
      bind(names, storage);
      accepted.push(names);
    } catch (error) {
      expect((error as Error).message, names.join(" → ")).toMatch(/"payments".*nothingTwice/s);
    }
  }
  await storage.close();
  for (const names of accepted) await expectSafe(names);
  return accepted.map((names) => names.join(" → "));
}

function permutations<T>(values: readonly T[]): readonly (readonly T[])[] {
  if (values.length === 0) return [[]];
  return values.flatMap((first) =>
    permutations(values.filter((value) => value !== first)).map((rest) => [first, ...rest]),
  );
}

function subsets<T>([first, ...rest]: readonly T[]): readonly (readonly T[])[] {
  if (first === undefined) return [[]];
  const others = subsets(rest);
  return [...others, ...others.map((subset) => [first, ...subset])];
}

/** With one more guard at each place. */
function inserted(names: readonly Name[], more: Name): readonly (readonly Name[])[] {
  return Array.from({ length: names.length + 1 }, (_, at) => names.toSpliced(at, 0, more));
}

describe("the guards that outlive the process", () => {
  const orders: readonly (readonly Name[])[] = subsets(DURABLE).flatMap(permutations);

  test("are safe in every order that can be bound, and every other order is refused", async () => {
    expect(orders).toHaveLength(326);
    const accepted = await safeOrRefused(orders);
    expect(accepted).toContain(COMPLETE.join(" → "));
    expect(accepted).toContain("noMoreThan → nothingTwice");
    expect(accepted).toContain("personDecides → nothingTwice");
    expect(accepted).toContain("nothingTwice");
    // Before reads, too, an agent may learn what was decided.
    expect(accepted).toContain("decisionsTold");
    expect(accepted).toHaveLength(34);
  }, 60_000);

  test("are refused where one stands twice, wherever that is", async () => {
    const twice = orders.flatMap((names) => names.flatMap((name) => inserted(names, name)));
    expect(await safeOrRefused(twice)).toEqual([]);
  });

  test.each<Name>(["deadline", "idempotency", "own"])("stay safe with %s at any place", async (more) => {
    const accepted = await safeOrRefused(inserted(COMPLETE, more));
    expect(accepted).toHaveLength(more === "deadline" ? COMPLETE.length : COMPLETE.length + 1);
  });

  test("are refused with a deadline behind the receipt: what it cuts off would count as not done", async () => {
    const storage = await memory();
    expect(() => bind(["nothingTwice", "deadline"], storage)).toThrow("deadline");
    await storage.close();
  });

  test.each<[readonly Name[], RegExp]>([
    [["noMoreThan", "nothingTwice", "personDecides"], /personDecides stands behind nothingTwice/],
    [["personDecides"], /personDecides needs nothingTwice behind it/],
    [["noMoreThan"], /noMoreThan needs nothingTwice behind it/],
    [["personDecides", "noMoreThan", "nothingTwice"], /noMoreThan stands behind personDecides/],
    [["nothingTwice", "nothingTwice"], /nothingTwice stands there twice/],
  ])("say what is wrong with %j, and the right order", async (names, what) => {
    const storage = await memory();
    expect(() => bind(names, storage)).toThrow(what);
    expect(() => bind(names, storage)).toThrow(
      "deadline, decisionsTold, settleLeftovers, noMoreThan, personDecides, nothingTwice",
    );
    await storage.close();
  });
});
