import { nearest } from "@toolpact/cli/nearest";
import type * as z from "zod";
import type { JsonObject } from "./json.ts";

/** The maximum number of faults per answer: the rest appear once these are fixed. */
const MAX_NAMED = 10;

/** Describes faulty arguments in one line. Issues must come from a parse with `reportInput`. */
export function describeIssues(
  subject: string,
  issues: readonly z.core.$ZodIssue[],
  allowed: readonly string[],
): string {
  // A misspelled name explains why another parameter is missing.
  const isUnknown = ({ code }: z.core.$ZodIssue) => code === "unrecognized_keys";
  return [...issues.filter(isUnknown), ...issues.filter((issue) => !isUnknown(issue))]
    .slice(0, MAX_NAMED)
    .map((issue) => describeIssue(subject, issue, allowed))
    .join(" ");
}

function describeIssue(subject: string, issue: z.core.$ZodIssue, allowed: readonly string[]): string {
  if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
    const takes = allowed.length === 0 ? "It takes no parameters." : `It takes: ${allowed.join(", ")}.`;
    const named = issue.keys.slice(0, MAX_NAMED).map((key) => unknownParameter(subject, key, allowed));
    return [...named, takes].join(" ");
  }
  const where = issue.path.map(String).join(".");
  if (where !== "" && Object.hasOwn(issue, "input") && issue.input === undefined)
    return `${subject}: ${quote(where)} is required${issue.code === "invalid_type" ? ` (${issue.expected})` : `: ${plain(issue.message)}`}.`;
  const what =
    issue.code === "unrecognized_keys"
      ? `has unknown keys: ${issue.keys.slice(0, MAX_NAMED).map(quote).join(", ")}`
      : plain(issue.message);
  return where === "" ? `${subject}: ${what}.` : `${subject}: ${quote(where)}: ${what}.`;
}

function unknownParameter(subject: string, key: string, allowed: readonly string[]): string {
  const guess = nearest(key, allowed);
  const hint = guess === undefined ? "" : ` Did you mean ${quote(guess)}?`;
  return `${subject} has no parameter ${quote(key)}.${hint}`;
}

/** Quotes and shortens a caller's word, so an error cannot carry a message. */
export function quote(word: string): string {
  const safe = word.replace(/[^\p{L}\p{N}_.\-/:@ ]/gu, "?");
  return `\`${safe.length > 60 ? `${safe.slice(0, 60)}…` : safe}\``;
}

function plain(message: string): string {
  return message.replace(/^Invalid input: /, "").replace(/\.$/, "");
}

/** Removes control characters, direction marks and lone surrogates: messages quote callers and reach terminals. */
export function printable(message: string): string {
  return message.toWellFormed().replaceAll("\r\n", "\n").replaceAll(UNPRINTABLE, "\ufffd");
}

const UNPRINTABLE = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu;

/** Gemini CLI adds this argument to every tool offered to its model, and sends it. */
const ADDED = "wait_for_previous";

/** Removes arguments added by the client itself, unless the tool has a parameter with that name. */
export function withoutClientArguments(
  args: JsonObject,
  hasParameter: (name: string) => boolean,
): JsonObject {
  if (!Object.hasOwn(args, ADDED) || hasParameter(ADDED)) return args;
  const { [ADDED]: _, ...own } = args;
  return own;
}

const MAX_DEPTH = 32;
const MAX_VALUES = 10_000;
/** For all texts and names together. */
const MAX_CHARACTERS = 1_000_000;

/**
 * Returns the exceeded limit as the end of a sentence. Walks the hostile value without recursion, before any
 * parse.
 */
export function excess(value: unknown): string | undefined {
  let elements = 0;
  let characters = 0;
  const values: unknown[] = [value];
  const depths: number[] = [0];
  while (values.length > 0) {
    const item = values.pop();
    const depth = depths.pop() ?? 0;
    if (typeof item === "string") characters += item.length;
    else if (typeof item === "object" && item !== null) {
      if (depth >= MAX_DEPTH) return `are nested deeper than ${MAX_DEPTH} levels`;
      const members = Array.isArray(item) ? item : Object.values(item);
      elements += members.length;
      if (elements > MAX_VALUES) return `have more than ${MAX_VALUES} values`;
      if (!Array.isArray(item)) {
        // Schemas ignore this name, and assigning it changes an object's prototype.
        if (Object.hasOwn(item, "__proto__")) return "have a member with the name __proto__";
        for (const name of Object.keys(item)) characters += name.length;
      }
      for (const member of members) {
        values.push(member);
        depths.push(depth + 1);
      }
    }
    if (characters > MAX_CHARACTERS) return `have more than ${MAX_CHARACTERS} characters`;
  }
  return undefined;
}
