import { nearest } from "@toolpact/contract/internal";
import type * as z from "zod";
import { configKeys } from "./keys.ts";

export interface ConfigProblem {
  /** Or variable; empty for the whole file. */
  readonly key: string;
  /** Follows the key: `must be …`. Without the value, which may be a secret. */
  readonly message: string;
}

export function problemLine({ key, message }: ConfigProblem): string {
  return key === "" ? message : `${key} ${message}`;
}

/** `setBy` names a key's environment variable. */
export function problemsOf(
  issues: readonly z.core.$ZodIssue[],
  setBy: (key: string) => string | undefined,
): readonly ConfigProblem[] {
  return issues.flatMap((issue) => {
    const at = issue.path.map(String);
    if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey([...at, key]));
    const key = at.join(".");
    const variable = setBy(at.slice(0, 2).join("."));
    return {
      key,
      message: `${complaint(issue)}${variable === undefined ? "" : ` (set by ${variable})`}.`,
    };
  });
}

function complaint(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${NAMES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return issue.origin === "string" ? "must not be empty" : `must be ${String(issue.minimum)} or more`;
    case "too_big":
      return `must be ${String(issue.maximum)} or less`;
    default:
      return /^(is|must) /.test(issue.message) ? issue.message : `is invalid: ${issue.message}`;
  }
}

const NAMES: Readonly<Record<string, string>> = {
  string: "a text",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "a table",
  record: "a table",
};

function unknownKey(path: readonly string[]): ConfigProblem {
  const name = path.join(".");
  const guess = nearestKey(path);
  return { key: name, message: `is not a setting.${guess === undefined ? "" : ` Did you mean ${guess}?`}` };
}

/** In this section, elsewhere, or a similar section. */
function nearestKey(path: readonly string[]): string | undefined {
  const keys = configKeys();
  const [section = "", key] = path.length === 1 ? ["", path[0] ?? ""] : path;
  const siblings = keys.filter((candidate) => candidate.section === section);
  const sibling = nearest(
    key ?? "",
    siblings.map((candidate) => candidate.key),
  );
  if (sibling !== undefined) return siblings.find((candidate) => candidate.key === sibling)?.name;
  return (
    keys.find((candidate) => candidate.key === key)?.name ??
    nearest(
      key ?? "",
      [...new Set(keys.map((candidate) => candidate.section))].filter((name) => name !== ""),
    )
  );
}
