import type { Field, ValueRule } from "@toolpact/x-api/operations";
import { isObject } from "../json.ts";

/** The first violation, as `path: complaint`. */
function complaintAbout(value: unknown, rule: ValueRule, path: string): string | undefined {
  const flaw = valueProblem(value, rule);
  if (flaw !== undefined) return `${path}: ${flaw}`;
  if (isObject(value) && rule.fields !== undefined) {
    return fieldsProblem(value, rule.fields, rule.closed === true, path);
  }
  if (Array.isArray(value) && rule.items !== undefined) {
    for (const [i, item] of value.entries()) {
      const complaint = complaintAbout(item, rule.items, `${path}[${i}]`);
      if (complaint !== undefined) return complaint;
    }
  }
  return undefined;
}

export function fieldsProblem(
  value: Readonly<Record<string, unknown>>,
  fields: readonly Field[],
  closed: boolean,
  path: string,
): string | undefined {
  for (const name of Object.keys(value)) {
    if (closed && !fields.some((field) => field.name === name)) {
      return `${path}.${name}: is not defined in the schema and the schema does not allow additional properties`;
    }
  }
  for (const field of fields) {
    const part = value[field.name];
    if (part === undefined && field.required === true)
      return `${path}.${field.name}: is missing but it is required`;
    const complaint = part === undefined ? undefined : complaintAbout(part, field, `${path}.${field.name}`);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

/** Ignores its members. */
export function valueProblem(value: unknown, rule: ValueRule): string | undefined {
  if (!hasType(value, rule.type)) return `must be of type ${rule.type}`;
  if (rule.enum !== undefined && !rule.enum.some((allowed) => allowed === value)) {
    return `is not one of [${rule.enum.join(",")}]`;
  }
  if (typeof value === "string") return flawOfText(value, rule);
  if (typeof value === "number") return flawOfNumber(value, rule);
  return Array.isArray(value) ? flawOfList(value, rule) : undefined;
}

function flawOfText(value: string, rule: ValueRule): string | undefined {
  if (rule.pattern !== undefined && !patternOf(rule.pattern).test(value))
    return `does not match ${rule.pattern}`;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = rule;
  // Count only long texts: there are at most as many characters as UTF-16 units.
  if (value.length < minLength) return `must be at least ${minLength} characters long`;
  if (value.length > maxLength && [...value].length > maxLength)
    return `must be at most ${maxLength} characters long`;
  if (rule.format === "date-time" && !isDateTime(value))
    return "must be an ISO 8601 time such as 2026-09-01T12:00:00Z";
  return undefined;
}

function flawOfNumber(value: number, { min, max }: ValueRule): string | undefined {
  const isBelow = min !== undefined && value < min;
  const isAbove = max !== undefined && value > max;
  if (!isBelow && !isAbove) return undefined;
  if (min !== undefined && max !== undefined) return `is not between ${min} and ${max}`;
  return isBelow ? `is less than ${min}` : `is more than ${max}`;
}

function flawOfList(values: readonly unknown[], rule: ValueRule): string | undefined {
  if (rule.minItems !== undefined && values.length < rule.minItems)
    return `must have at least ${rule.minItems} items`;
  if (rule.maxItems !== undefined && values.length > rule.maxItems)
    return `must have at most ${rule.maxItems} items`;
  return rule.unique === true && new Set(values).size < values.length ? "must not repeat items" : undefined;
}

function hasType(value: unknown, type: ValueRule["type"]): boolean {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isSafeInteger(value);
    case "binary":
      return typeof value === "string";
    default:
      return typeof value === type;
  }
}

function isDateTime(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))
  );
}

function patternOf(source: string): RegExp {
  let pattern = patterns.get(source);
  if (pattern === undefined) {
    pattern = new RegExp(source, "u");
    patterns.set(source, pattern);
  }
  return pattern;
}

const patterns = new Map<string, RegExp>();
