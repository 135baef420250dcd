import { expect, test } from "vitest";
import { type GuardStorage, type ProtectOptions, protect } from "../../src/guards/index.ts";
import { EFFECTS, guard, once } from "../../src/index.ts";
import { deadline, idempotency } from "../../src/internal.ts";
import { onBothEngines } from "./engines.ts";
import { type AnyGuard, anyGuard, bind, codes, errors, payments } from "./payments.ts";

/** Each part as strict as its test needs it. */
const PARTS = {
  approval: { approval: { needs: () => true } },
  once: { once: {} },
  budget: { budget: { price: () => 1, usdPerDay: 2 } },
  limits: { limits: () => [{ max: 2, periodMs: 60_000 }] },
} satisfies Record<string, Partial<ProtectOptions<typeof errors>>>;
type Part = keyof typeof PARTS;

const own = guard({
  name: "own",
  codes: () => ["denied"],
  run: (call, next) => (EFFECTS[call.effect].mutates ? next({ context: { own: true } }) : next()),
});
const OTHERS = { deadline, idempotency, own };
type Other = keyof typeof OTHERS;

const FIVE = ["Ana", "Bo", "Cy", "Di", "Ed"];

/** Fails if a call runs without approval, twice on one, or over budget or limits. */
async function expectSafe(
  parts: readonly Part[],
  guards: readonly AnyGuard[],
  open: () => Promise<GuardStorage>,
): Promise<void> {
  const why = [...parts, "|", ...guards.map(({ name }) => name)].join(" ");
  const hasApproval = parts.includes("approval");
  if (hasApproval)
    for (const tool of ["pay", "look"] as const) {
      await using the = await payments(guards, undefined, await open());
      await Promise.all(FIVE.map(() => the.call(tool, "Ana")));
      await the.call(tool, "Ana");
      expect(the.paid, why).toEqual([]);
      await the.approve();
      await Promise.all(FIVE.map(() => the.call(tool, "Ana")));
      await the.call(tool, "Ana");
      expect(the.paid, why).toEqual(["Ana"]);
    }
  if (parts.includes("budget") || parts.includes("limits")) {
    await using the = await payments(guards, undefined, await open());
    for (const to of FIVE) {
      await the.call("pay", to);
      await the.approve();
      if (hasApproval) await the.call("pay", to);
    }
    expect(the.paid, why).toEqual(["Ana", "Bo"]);
  }
  await using the = await payments(guards, undefined, await open());
  await the.call("pay", "Ana", "k1");
  await the.approve();
  await Promise.all(FIVE.map(() => the.call("pay", "Ana", "k1")));
  await the.call("pay", "Ana", "k1");
  expect(the.paid, why).toEqual(["Ana"]);
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

const guardOf = (parts: readonly Part[]) =>
  anyGuard(protect<typeof errors>(Object.assign({ errors, codes }, ...parts.map((part) => PARTS[part]))));

onBothEngines(({ place, open, close }) => {
  // One database, with an empty scope for each.
  const placeOf = once(place);
  let scopes = 0;

  async function withStorages(run: (openNew: () => Promise<GuardStorage>) => Promise<void>): Promise<void> {
    const opened: GuardStorage[] = [];
    await run(async () => {
      const storage = await open(await placeOf(), `scope ${++scopes}`);
      opened.push(storage);
      return storage;
    });
    await Promise.all(opened.map(close));
  }

  test("protect keeps its promises for every subset of its parts, in any order they are written", async () => {
    const written = subsets<Part>(["approval", "once", "budget", "limits"]).flatMap(permutations);
    expect(written).toHaveLength(65);
    for (const parts of written)
      await withStorages((openNew) => expectSafe(parts, [guardOf(parts)], openNew));
  }, 600_000);

  test("protect keeps its promises among other guards in every order that can be bound", async () => {
    const all: readonly Part[] = ["approval", "once", "budget", "limits"];
    const orders = subsets<Other>(["deadline", "idempotency", "own"]).flatMap((others) =>
      permutations<Other | "protect">(["protect", ...others]),
    );
    const storage = await open(await placeOf());
    let accepted = 0;
    for (const names of orders) {
      const guards = names.map((name) => (name === "protect" ? guardOf(all) : anyGuard(OTHERS[name])));
      const isWrong = names.indexOf("deadline") > names.indexOf("protect");
      if (isWrong) expect(() => bind(guards, storage), names.join(" → ")).toThrow("`deadline` is after");
      else {
        accepted += 1;
        await withStorages((openNew) => expectSafe(all, guards, openNew));
      }
    }
    expect([orders.length, accepted]).toEqual([49, 30]);
  }, 600_000);
});
