import { BEFORE_MENTION, classAt, HANDLE, LATIN_ACCENT } from "./char-classes.ts";

export interface FoundMention {
  readonly start: number;
  readonly end: number;
  readonly handle: string;
  /** `@handle/list` names a list and mentions nobody. */
  readonly isList: boolean;
}

/** The people and lists named in a text, left to right. */
export function findMentions(text: string): FoundMention[] {
  const found: FoundMention[] = [];
  let from = 0;
  for (let at = nextSign(text, 0); at !== -1; at = nextSign(text, Math.max(at + 1, from))) {
    if (!mayStartMention(text, at, from)) continue;
    const nameEnd = handleEnd(text, at + 1);
    if (nameEnd === at + 1) continue;
    const end = listEnd(text, nameEnd);
    if (!spoilsMention(text, end)) {
      found.push({ start: at, end, handle: text.slice(at + 1, nameEnd), isList: end > nameEnd });
    }
    from = end;
  }
  return found;
}

const MAX_HANDLE = 20;
const MAX_LIST_TAIL = 24;
const DASH = 0x2d;

/** The wide sign counts as well. */
function nextSign(text: string, from: number): number {
  const plain = text.indexOf("@", from);
  const wide = text.indexOf("＠", from);
  return plain === -1 || (wide !== -1 && wide < plain) ? wide : plain;
}

function mayStartMention(text: string, at: number, from: number): boolean {
  if (at === 0 || (at > from && (classAt(text, at - 1) & BEFORE_MENTION) !== 0)) return true;
  const retweet = at - 2;
  if (retweet < from || text.slice(retweet, at).toUpperCase() !== "RT") return false;
  return retweet === 0 || (retweet > from && !/[a-zA-Z0-9_+~.-]/.test(text.charAt(retweet - 1)));
}

function handleEnd(text: string, start: number): number {
  let end = start;
  while (end < start + MAX_HANDLE && (classAt(text, end) & HANDLE) !== 0) end++;
  return end;
}

function listEnd(text: string, at: number): number {
  if (text.charAt(at) !== "/" || !/[a-zA-Z]/.test(text.charAt(at + 1))) return at;
  let end = at + 2;
  const last = end + MAX_LIST_TAIL;
  while (end < last && ((classAt(text, end) & HANDLE) !== 0 || text.charCodeAt(end) === DASH)) end++;
  return end;
}

function spoilsMention(text: string, at: number): boolean {
  const next = text.charAt(at);
  return (
    next === "@" || next === "＠" || (classAt(text, at) & LATIN_ACCENT) !== 0 || text.startsWith("://", at)
  );
}
