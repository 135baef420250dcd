import { AFTER_CASHTAG, BEFORE_CASHTAG, classAt } from "./char-classes.ts";
import type { CashtagRange } from "./entities.ts";
import { isAsciiLetter, type Units, unitAt, unitsOf } from "./units.ts";

/** The cashtags in a text, left to right: `$ABC`, `$BRK.B`. */
export function findCashtags(text: string): readonly CashtagRange[] {
  const found: CashtagRange[] = [];
  const units = unitsOf(text);
  for (let at = text.indexOf("$"); at !== -1; at = text.indexOf("$", at + 1)) {
    if (at > 0 && (classAt(units, at - 1) & BEFORE_CASHTAG) === 0) continue;
    const end = symbolEnd(units, at + 1);
    if (end !== -1) found.push({ start: at, end, symbol: text.slice(at + 1, end) });
  }
  return found;
}

const MAX_SYMBOL = 6;
const MAX_SUFFIX = 2;
const DOT = 0x2e;
const UNDERSCORE = 0x5f;

/** -1 when it is none. A suffix that does not end well is left to the sentence: `$ABC.def`. */
function symbolEnd(units: Units, start: number): number {
  const end = lettersEnd(units, start, MAX_SYMBOL);
  if (end === start) return -1;
  const joint = unitAt(units, end);
  if (joint === DOT || joint === UNDERSCORE) {
    const suffixEnd = lettersEnd(units, end + 1, MAX_SUFFIX);
    if (suffixEnd > end + 1 && endsSymbol(units, suffixEnd)) return suffixEnd;
  }
  return endsSymbol(units, end) ? end : -1;
}

function lettersEnd(units: Units, start: number, most: number): number {
  let end = start;
  while (end < start + most && isAsciiLetter(unitAt(units, end))) end++;
  return end;
}

function endsSymbol(units: Units, at: number): boolean {
  return (classAt(units, at) & AFTER_CASHTAG) !== 0;
}
