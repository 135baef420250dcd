import type { Json, JsonObject } from "@toolpact/contract";
import { canonicalJson } from "@toolpact/contract/internal";
import { matchInTime } from "../formats/regular-expression.ts";
import { valueAt } from "./references.ts";
import type { Expectation } from "./schema.ts";

/** Why an answer is not what was expected, or undefined. */
export function unmet(answer: JsonObject, expectation: Expectation): string | undefined {
  const { path, equals, contains, matches, exists, atLeast, atMost } = expectation;
  const value = valueAt(answer, path);
  const is = `${path} is ${format(value)}`;
  if (exists !== undefined)
    return (value !== undefined) === exists ? undefined : `${path} is ${exists ? "not there" : "there"}`;
  if (equals !== undefined)
    return canonicalJson(value ?? null) === canonicalJson(equals)
      ? undefined
      : `${is}, not ${format(equals)}`;
  if (contains !== undefined)
    return holds(value, contains) ? undefined : `${is} and does not contain ${format(contains)}`;
  if (matches !== undefined) {
    const pattern = safePattern(matches);
    if (typeof value !== "string" || pattern === undefined) return `${is} and does not match ${matches}`;
    const isMatch = matchInTime<boolean>("pattern.test(value)", { pattern, value });
    if (isMatch === undefined) return `${is}: matching ${matches} takes too long`;
    return isMatch ? undefined : `${is} and does not match ${matches}`;
  }
  const number = Array.isArray(value) ? value.length : value;
  if (typeof number !== "number") return `${is}, which is no number`;
  if (atLeast !== undefined)
    return number >= atLeast ? undefined : `${path} is ${number}, less than ${atLeast}`;
  if (atMost !== undefined) return number <= atMost ? undefined : `${path} is ${number}, more than ${atMost}`;
  return undefined;
}

function holds(value: Json | undefined, part: Json): boolean {
  if (typeof value === "string") return typeof part === "string" && value.includes(part);
  if (Array.isArray(value)) return value.some((item) => canonicalJson(item) === canonicalJson(part));
  return false;
}

function safePattern(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "u");
  } catch {
    // An invalid pattern matches nothing; the report shows it.
    return undefined;
  }
}

function format(value: Json | undefined): string {
  if (value === undefined) return "not there";
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
