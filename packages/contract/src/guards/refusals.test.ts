import { describe, expect, test } from "vitest";
import { defineErrors } from "../errors.ts";
import { checkCodes, codeFor, codesFor, refuse } from "./refusal-codes.ts";
import { describeRefusal, REFUSAL_ROLES, type Refusal } from "./refusals.ts";

const errors = defineErrors(
  {
    bad_input: { category: "input", retryable: false, meaning: "An argument is wrong" },
    denied: { category: "policy", retryable: false, meaning: "It may not be done" },
    busy: { category: "server", retryable: true, meaning: "Try again" },
    bug: { category: "server", retryable: false, meaning: "A bug" },
  },
  { badInput: "bad_input", duplicate: "denied", deadline: "busy", internal: "bug" },
);
const codes = { retry: "busy", refused: "denied" } as const;
const now = Date.UTC(2026, 8, 15);
const receipt = { id: "r1", attempt: 1, steps: [] };
const item = { id: 7, note: undefined, peopleNeeded: 1, approvedBy: [], expiresAt: 9_000 };

/** One of each kind, and both kinds of unknown outcome. */
const REFUSALS = [
  { kind: "waiting", item },
  { kind: "rejected", item: { id: 7, note: "too expensive" } },
  { kind: "expired", item },
  { kind: "changed_since_approval", item },
  { kind: "inbox_full" },
  { kind: "stopped", why: "The operator has paused payments." },
  { kind: "running", receipt, until: now + 5_000 },
  { kind: "just_done", receipt, until: now + 5_000 },
  { kind: "key_reused", receipt },
  { kind: "in_doubt", receipt, resolved: undefined },
  { kind: "in_doubt", receipt, resolved: { state: "unknown", retryAt: now + 60_000 } },
  { kind: "answer_lost", receipt },
  { kind: "continued_elsewhere", receipt, by: "r2" },
  { kind: "taken_over", receipt },
  { kind: "item_used" },
  { kind: "limit", limit: { max: 5, periodMs: 60_000 }, resetsAt: now + 30_000 },
  { kind: "budget", cap: "day", capMicros: 2_000_000, neededMicros: 1_000_000, resetsAt: undefined },
] as const satisfies readonly Refusal[];

test("every reason has an example here", () => {
  const reasons = REFUSALS.map((refusal) => describeRefusal(refusal, { tool: "pay", now }).reason);
  expect(new Set(reasons)).toEqual(new Set(Object.keys(REFUSAL_ROLES)));
});

describe.each(REFUSALS.map((refusal) => [describeRefusal(refusal, { tool: "pay", now }).reason, refusal]))(
  "a call refused as %s",
  (_, refusal) => {
    test("gives advice that matches its code", () => {
      const { failure } = refuse(refusal as Refusal, { tool: "pay", now }, codes);
      const { retryable } = errors.rows[failure.code as "busy"];
      expect(failure.retryAfterMs !== undefined).toBe(retryable);
      // Only a retryable failure advises to repeat the call without a decision first.
      const repeats = /Make the same call again/.test(failure.suggestedFix ?? "");
      expect(repeats && failure.fixBy === "agent").toBe(retryable);
    });
  },
);

test("a code outside the set, or one that contradicts its role, is rejected by types and when it is bound", () => {
  const typed = (given: Parameters<typeof check>[0]) => () => check(given);
  const check = (given: import("./refusal-codes.ts").RefusalCodes<typeof errors>) =>
    checkCodes(errors, given);
  expect(typed(codes)).not.toThrow();
  // @ts-expect-error the call may be made again, and `denied` is not retryable
  expect(typed({ retry: "denied", refused: "denied" })).toThrow("denied for retry");
  // @ts-expect-error it must not be repeated, and `busy` is retryable
  expect(typed({ ...codes, rejected: "busy" })).toThrow("busy for rejected");
  // @ts-expect-error no such code
  expect(typed({ ...codes, budget: "broke" })).toThrow("broke for budget is not one");
});

test("a product names few codes, and may choose one for each role or reason", () => {
  expect(codeFor(codes, "limit")).toBe("busy");
  expect(codeFor(codes, "unknownOutcome")).toBe("denied");
  expect(codeFor({ ...codes, unknownOutcome: "bug" }, "unknownOutcome")).toBe("bug");
  const finer = { ...codes, needsApproval: "bug", inbox_full: "bad_input" };
  expect(codeFor(finer, "needsApproval", "waiting")).toBe("bug");
  expect(codeFor(finer, "needsApproval", "inbox_full")).toBe("bad_input");
  expect(codesFor(finer, ["retry", "needsApproval"])).toEqual(["busy", "bug", "bad_input"]);
});

test("a product may replace only the words of an answer", () => {
  const { failure } = refuse({ kind: "inbox_full" }, { tool: "pay", now }, codes, ({ reason }) => ({
    message: `Ours: ${reason}`,
  }));
  expect(failure).toMatchObject({ code: "denied", reason: "inbox_full", message: "Ours: inbox_full" });
});
