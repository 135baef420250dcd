import { DAY_MS } from "../../clock.ts";
import type { Micros } from "../money.ts";
import { isAbout, type LearnedRule } from "./learned-rule.ts";
import type { PastDecision } from "./propose-rules.ts";

/** The calls of the stored history that a rule would have decided. */
export interface RuleRehearsal {
  readonly days: number;
  /** Calls it would have decided within its limits, oldest first. */
  readonly decided: readonly number[];
  readonly micros: Micros;
  /** Those of them that the approver decided otherwise or edited. */
  readonly counterexamples: readonly number[];
}

const REHEARSED_DAYS = 30;

/** Limits count as they would have then. */
export function rehearseRule(
  {
    does,
    conditions,
    perDay,
    budgetMicros,
  }: Pick<LearnedRule, "does" | "conditions" | "perDay" | "budgetMicros">,
  history: readonly PastDecision[],
  now: number,
): RuleRehearsal {
  const matching = history
    .filter(({ facts }) => isAbout({ does, conditions }, facts))
    .toSorted((a, b) => a.at - b.at);
  const agrees = does === "allow" ? "approved" : "rejected";
  const perDays = new Map<number, number>();
  const decided: number[] = [];
  let micros = 0;
  for (const { id, at, facts } of matching) {
    if (at < now - REHEARSED_DAYS * DAY_MS || at > now) continue;
    const day = Math.floor(at / DAY_MS);
    const today = perDays.get(day) ?? 0;
    if (does === "allow" && (today >= perDay || micros + facts.micros > budgetMicros)) continue;
    perDays.set(day, today + 1);
    decided.push(id);
    micros += facts.micros;
  }
  return {
    days: REHEARSED_DAYS,
    decided,
    micros,
    // Days beyond its limits count too: the approver has decided otherwise about such a call.
    counterexamples: matching
      .filter(({ verdict }) => verdict !== agrees && verdict !== "undecided")
      .map(({ id }) => id),
  };
}
