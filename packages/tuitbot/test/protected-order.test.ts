import { protect } from "@toolpact/contract/guards";
import { expect, test } from "vitest";
import { anyGuard, codes, errors, memory, payments } from "../../contract/test/guards/payments.ts";
import { stopAll } from "../src/guards/stop/stop.ts";
import { openStore } from "../src/storage/open-store.ts";
import { newSandbox, serverOn } from "./storage/world.ts";

/** The order of a protected call, by the step that answers it. The last one is its tool. */
const ORDER = ["repeat", "stop", "budget", "approval", "run"] as const;
type Answering = (typeof ORDER)[number];
type Situation = ReadonlySet<Answering>;

/** Every combination of steps that would answer the same call. */
const SITUATIONS: readonly Situation[] = Array.from(
  { length: 2 ** (ORDER.length - 1) },
  (_, bits) => new Set<Answering>(ORDER.filter((step, index) => step === "run" || bits & (1 << index))),
);

const REASONS: Readonly<Record<string, Answering>> = {
  stopped: "stop",
  stopped_by_person: "stop",
  budget: "budget",
  waiting: "approval",
  duplicate_request: "repeat",
};

/** The step that gave an answer. */
function answeredBy(answer: object): Answering {
  const { error, data, meta } = answer as {
    readonly error?: { readonly reason: string };
    readonly data?: { readonly status?: string };
    readonly meta?: { readonly replayed?: boolean };
  };
  if (error != null) return REASONS[error.reason] ?? expect.fail(error.reason);
  if (data?.status === "queued") return "approval";
  return meta?.replayed === true ? "repeat" : "run";
}

const products: Readonly<Record<string, (situation: Situation) => Promise<object>>> = {
  async "the library"(situation) {
    const storage = await memory();
    const args = ["Ana", "k1"] as const;
    if (situation.has("repeat")) {
      await using first = await payments([anyGuard(protect({ errors, codes }))], undefined, storage);
      await first.call("pay", ...args);
    }
    const options = {
      errors,
      codes,
      stop: () => (situation.has("stop") ? "Payments are stopped." : undefined),
      budget: { price: () => 1, ...(situation.has("budget") && { usdPerCall: 0.5 }) },
      approval: { needs: () => situation.has("approval") },
    };
    await using second = await payments([anyGuard(protect(options))], undefined, storage);
    const answer = await second.call("pay", ...args);
    await storage.close();
    return answer;
  },
  async tuitbot(situation) {
    const sandbox = newSandbox();
    const opened = await openStore({ path: ":memory:" }, { now: () => sandbox.clock.now() });
    const store = opened.ok ? opened.value : expect.fail();
    const args = { text: "Good morning", idempotency_key: "k1" };
    const { session, ...first } = serverOn(store, sandbox);
    if (situation.has("repeat")) await first.call("x_post_tweet", args);
    if (situation.has("stop"))
      await stopAll(store.db, session.account, { at: 0, by: "terminal", reason: undefined });
    const second = serverOn(store, sandbox, {
      ...(situation.has("budget") && { caps: { perCall: 1 } }),
      ...(situation.has("approval") && { config: { mode: "composer" } }),
    });
    const answer = await second.call("x_post_tweet", args);
    await store.close();
    return answer;
  },
};

test.each(
  Object.entries(products).flatMap(([product, call]) =>
    SITUATIONS.map((situation) => [[...situation].join(" + "), product, situation, call] as const),
  ),
)(
  "a call of the %s to which all of %s apply is answered by the first of them",
  async (_product, _names, situation, call) => {
    const first = ORDER.find((step) => situation.has(step));
    expect(answeredBy(await call(situation))).toBe(first);
  },
);
