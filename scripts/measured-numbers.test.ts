import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./packages.ts";

const SOURCE = "docs/performance.md";
const pages = ["*.md", "docs/*.md", "docs/decisions/*.md", "packages/*/README.md"]
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((page) => page !== SOURCE);

test("a number that the bench measured is on the performance page only: other pages link to it", () => {
  const measured = new Set(exactNumbersIn(readFileSync(join(root, SOURCE), "utf8")));
  expect(measured.size).toBeGreaterThan(50);
  const copies = pages.flatMap((page) =>
    readFileSync(join(root, page), "utf8")
      .split("\n")
      .flatMap((line, index) =>
        exactNumbersIn(line).flatMap((number) =>
          measured.has(number) ? [`${page}:${index + 1}: ${number}`] : [],
        ),
      ),
  );
  expect(copies).toEqual([]);
});

/** At least four digits and not round, as limits and counts are. */
function exactNumbersIn(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g)]
    .map(([number]) => number)
    .filter((number) => !number.endsWith("00"));
}
