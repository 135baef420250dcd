import { nearest } from "@toolpact/cli/nearest";
import type * as z from "zod";

/** How many faults one answer names: the rest show once these are fixed. */
export const MOST_NAMED = 5;

/** Says in one line what is wrong with the arguments of `subject`, naming what it would take instead. */
export function describeIssues(
  subject: string,
  issues: readonly z.core.$ZodIssue[],
  allowed: readonly string[],
): string {
  return issues
    .slice(0, MOST_NAMED)
    .map((issue) => describeIssue(subject, issue, allowed))
    .join(" ");
}

function describeIssue(subject: string, issue: z.core.$ZodIssue, allowed: readonly string[]): string {
  if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
    return issue.keys
      .slice(0, MOST_NAMED)
      .map((key) => unknownParameter(subject, key, allowed))
      .join(" ");
  }
  const where = issue.path.map(String).join(".");
  const what =
    issue.code === "unrecognized_keys"
      ? `has unknown keys: ${issue.keys.slice(0, MOST_NAMED).map(quote).join(", ")}`
      : plain(issue.message);
  return where === "" ? `${subject}: ${what}.` : `${subject}: ${quote(where)}: ${what}.`;
}

export function unknownParameter(subject: string, key: string, allowed: readonly string[]): string {
  const guess = nearest(key, allowed);
  const hint = guess === undefined ? "" : ` Did you mean ${quote(guess)}?`;
  const takes = allowed.length === 0 ? "It takes no parameters." : `It takes: ${allowed.join(", ")}.`;
  return `${subject} has no parameter ${quote(key)}.${hint} ${takes}`;
}

/** A caller's own word, quoted and cut, so that an error cannot be made to carry a message. */
export function quote(word: string): string {
  const safe = word.replace(/[^\p{L}\p{N}_.\-/:@ ]/gu, "?");
  return `\`${safe.length > 60 ? `${safe.slice(0, 60)}…` : safe}\``;
}

function plain(message: string): string {
  return message.replace(/^Invalid input: /, "").replace(/\.$/, "");
}

/**
 * A message without what changes how a terminal or a page shows the text around it: control characters but tabs and
 * ends of lines, marks that turn the direction of writing, halves of a character. Messages quote what callers sent.
 */
export function printable(message: string): string {
  return message.toWellFormed().replaceAll("\r\n", "\n").replaceAll(UNPRINTABLE, "\ufffd");
}

/** Every control character but the tab and the end of a line, and the marks of direction. */
const UNPRINTABLE = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu;
