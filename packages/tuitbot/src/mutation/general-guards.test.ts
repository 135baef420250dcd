import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const mutation = import.meta.dirname;

/** Guards that could stand before the tools of any product: they know X only through the plan and the rules they get. */
test.each([
  "account/account-guard.ts",
  "receipts/settle-leftovers.ts",
  "repeat/repeat-guard.ts",
  "budget/budget-guard.ts",
  "policy/ask-for-approval.ts",
  "receipts/receipt-guard.ts",
])("%s reaches storage through an interface, and nothing of X", (guard) => {
  const wrong = [...reachedFrom(join(mutation, guard))].flatMap((file) =>
    importsOf(file)
      .filter((from) => /kysely|@toolpact\/x-api|\/x\//.test(from))
      .map((from) => `${relative(mutation, file)} imports ${from}`),
  );
  expect(wrong).toEqual([]);
});

/** Asking, deciding, receipts, budget and limits are the contract's; tuitbot adds what X is, its words and its tables. */
test.each([
  ["../approval/consent.ts", "askPerson"],
  ["../approval/digest.ts", "itemDigest"],
  ["../approval/release.ts", "isSigned"],
  ["../approval/vote.ts", "withVote"],
  ["policy/ask-for-approval.ts", "askFirst"],
  ["policy/decisions-guard.ts", "tellDecisions"],
  ["policy/policy-guard.ts", "neverFits"],
  ["policy/limits.ts", "windowNow"],
  ["budget/budget-guard.ts", "wouldExceed"],
  ["budget/budget-guard.ts", "billed"],
  ["budget/metered-client.ts", "payForRead"],
  ["budget/ledger.ts", "overCaps"],
  ["dependencies.ts", "leftoverSettler"],
  ["repeat/repeat-guard.ts", "answerEarlier"],
  ["receipts/receipt-guard.ts", "sendBehindReceipt"],
  ["receipts/receipt-guard.ts", "rebuildAnswer"],
])("%s takes %s from the contract", (file, part) => {
  const [, names = ""] =
    /import \{([^}]*)\} from "@toolpact\/contract\/guards"/.exec(
      readFileSync(join(mutation, file), "utf8"),
    ) ?? [];
  expect(names.split(",").map((name) => name.trim().split(" as ")[0])).toContain(part);
});

/** Every file of this folder that a file imports, types included, and those that they import. */
function reachedFrom(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const from of importsOf(file)) {
    const target = join(dirname(file), from);
    if (from.startsWith(".") && !relative(mutation, target).startsWith("..")) reachedFrom(target, seen);
  }
  return seen;
}

function importsOf(file: string): readonly string[] {
  return [...readFileSync(file, "utf8").matchAll(/\bfrom "([^"]+)"/g)].map(([, from = ""]) => from);
}
