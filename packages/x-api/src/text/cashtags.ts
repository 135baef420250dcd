import { AFTER_CASHTAG, BEFORE_CASHTAG, classAt } from "./char-classes.ts";

export interface FoundCashtag {
  readonly start: number;
  readonly end: number;
  readonly symbol: string;
}

/** The cashtags in a text, left to right: `$ABC`, `$BRK.B`. */
export function findCashtags(text: string): FoundCashtag[] {
  const found: FoundCashtag[] = [];
  for (let at = text.indexOf("$"); at !== -1; at = text.indexOf("$", at + 1)) {
    if (at > 0 && (classAt(text, at - 1) & BEFORE_CASHTAG) === 0) continue;
    const end = symbolEnd(text, at + 1);
    if (end !== -1) found.push({ start: at, end, symbol: text.slice(at + 1, end) });
  }
  return found;
}

const MAX_SYMBOL = 6;
const MAX_SUFFIX = 2;

/** -1 when it is none. A suffix that does not end well is left to the sentence: `$ABC.def`. */
function symbolEnd(text: string, start: number): number {
  const end = lettersEnd(text, start, MAX_SYMBOL);
  if (end === start) return -1;
  const joint = text.charAt(end);
  if (joint === "." || joint === "_") {
    const suffixEnd = lettersEnd(text, end + 1, MAX_SUFFIX);
    if (suffixEnd > end + 1 && endsSymbol(text, suffixEnd)) return suffixEnd;
  }
  return endsSymbol(text, end) ? end : -1;
}

function lettersEnd(text: string, start: number, most: number): number {
  let end = start;
  while (end < start + most && /[a-zA-Z]/.test(text.charAt(end))) end++;
  return end;
}

function endsSymbol(text: string, at: number): boolean {
  return at >= text.length || (classAt(text, at) & AFTER_CASHTAG) !== 0;
}
