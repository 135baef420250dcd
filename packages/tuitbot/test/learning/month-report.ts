import type { Month } from "./month.ts";

/** A post that a rule let through. */
export interface LoggedRule {
  readonly rule: number;
  readonly at: string;
  readonly text: string;
}

/** The two months as the tables of docs/learned-rules.md. */
export function monthTables(before: Month, after: Month): string {
  const weeks = [0, 7, 14, 21].map((from) => [from, Math.min(from + 7, before.questions.length)] as const);
  const perDay = ({ questions }: Month, from: number, to: number) =>
    (questions.slice(from, to).reduce((sum, one) => sum + one, 0) / (to - from)).toFixed(1);
  return [
    "| days | questions a day without rules | with rules |",
    "|---|---:|---:|",
    ...[...weeks, [28, 30] as const].map(
      ([from, to]) => `| ${from + 1} to ${to} | ${perDay(before, from, to)} | ${perDay(after, from, to)} |`,
    ),
    `| all ${before.questions.length} | ${perDay(before, 0, before.questions.length)} | ${perDay(after, 0, after.questions.length)} |`,
    "",
    "| rule | state at the end | calls it decided |",
    "|---|---|---:|",
    ...after.rules
      .toReversed()
      .map(
        ({ id, says, state }) =>
          `| ${id}: ${says} | ${state} | ${[...after.byRules.map(({ rule }) => rule), ...after.denied].filter((rule) => rule === id).length} |`,
      ),
  ].join("\n");
}
