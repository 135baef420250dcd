import { ok } from "@toolpact/outcome";
import { expect, test } from "vitest";
import { type ProtectedSteps, runProtected } from "./protect.ts";

const ANSWERS = ["answerRepeat", "refuseStopped", "refuseEarly", "decide"] as const;

/** Returns the executed steps. Only `answering` answers, on its `nth` call. */
async function stepsUntil(answering: (typeof ANSWERS)[number] | undefined, nth = 1) {
  const ran: string[] = [];
  const answer = async (step: (typeof ANSWERS)[number]) => {
    ran.push(step);
    return step === answering && ran.filter((name) => name === step).length === nth ? ok({}) : undefined;
  };
  const steps: ProtectedSteps<"item"> = {
    resolveLeftovers: async () => void ran.push("resolveLeftovers"),
    answerRepeat: () => answer("answerRepeat"),
    refuseStopped: () => answer("refuseStopped"),
    refuseEarly: () => answer("refuseEarly"),
    async decide() {
      const outcome = await answer("decide");
      return outcome === undefined ? { kind: "allowed", allowed: "item" } : { kind: "answered", outcome };
    },
    async run(allowed) {
      ran.push(`run ${allowed}`);
      return ok({});
    },
  };
  await runProtected(steps);
  return ran;
}

const ALL = [
  "resolveLeftovers",
  "answerRepeat",
  "refuseStopped",
  "refuseEarly",
  "decide",
  "refuseStopped",
  "run item",
];

test("a protected call without an early answer passes every step in order", async () => {
  expect(await stepsUntil(undefined)).toEqual(ALL);
});

test.each(ANSWERS)("no step of a protected call runs after %s has answered", async (step) => {
  expect(await stepsUntil(step)).toEqual(ALL.slice(0, ALL.indexOf(step) + 1));
});

test("a protected call that is stopped during its approval does not run", async () => {
  expect(await stepsUntil("refuseStopped", 2)).toEqual(ALL.slice(0, -1));
});
