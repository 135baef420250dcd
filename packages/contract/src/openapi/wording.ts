import { printable } from "../bad-input.ts";

const MAX_NAME = 64;

/** One line, cut at a word: documents contain pages of Markdown. */
export function cut(text: string, most: number): string {
  const line = printable(text).replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const kept = line.slice(0, most);
  return `${kept.slice(0, Math.max(kept.lastIndexOf(" "), most / 2)).toWellFormed()}…`;
}

/** `getUserByID` is `get_user_by_id`. Empty if no character is valid. */
export function snakeCase(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
}

/** Reserves a name, numbered if taken. */
export function unique(name: string, taken: Set<string>): string {
  let free = name.slice(0, MAX_NAME);
  for (let number = 2; taken.has(free); number++) {
    const suffix = `_${number}`;
    free = `${name.slice(0, MAX_NAME - suffix.length)}${suffix}`;
  }
  taken.add(free);
  return free;
}
