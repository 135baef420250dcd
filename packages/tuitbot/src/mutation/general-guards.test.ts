import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const mutation = import.meta.dirname;

/** Guards that could stand before the tools of any product: they know X only through the plan and the rules they get. */
test.each([
  "account/account-guard.ts",
  "receipts/settle.ts",
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
