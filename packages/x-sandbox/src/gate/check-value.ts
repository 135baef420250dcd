import type { Field, ValueRule } from "@toolpact/x-api/operations";
import { isObject } from "../json.ts";

/** What is wrong with a JSON value, as `path: complaint`; undefined when it obeys the rule. */
export function complaintAbout(value: unknown, rule: ValueRule, path: string): string | undefined {
  if (!hasType(value, rule.type)) return `${path}: must be of type ${rule.type}`;
  if (rule.enum !== undefined && !rule.enum.some((allowed) => allowed === value)) {
    return `${path}: must be one of [${rule.enum.join(", ")}]`;
  }
  if (typeof value === "string") return complaintAboutText(value, rule, path);
  if (typeof value === "number") return complaintAboutNumber(value, rule, path);
  if (Array.isArray(value)) return complaintAboutArray(value, rule, path);
  if (isObject(value) && rule.fields !== undefined)
    return complaintAboutObject(value, rule.fields, rule.closed === true, path);
  return undefined;
}

export function complaintAboutObject(
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
    if (part === undefined) {
      if (field.required === true) return `${path}.${field.name}: is missing but it is required`;
      continue;
    }
    const complaint = complaintAbout(part, field, `${path}.${field.name}`);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

export function complaintAboutText(value: string, rule: ValueRule, path: string): string | undefined {
  if (rule.pattern !== undefined && !patternOf(rule.pattern).test(value))
    return `${path}: does not match ${rule.pattern}`;
  const length = [...value].length;
  if (rule.minLength !== undefined && length < rule.minLength)
    return `${path}: must be at least ${rule.minLength} characters long`;
  if (rule.maxLength !== undefined && length > rule.maxLength)
    return `${path}: must be at most ${rule.maxLength} characters long`;
  if (rule.format === "date-time" && !isDateTime(value))
    return `${path}: must be an ISO 8601 time such as 2026-09-01T12:00:00Z`;
  return undefined;
}

export function complaintAboutNumber(value: number, rule: ValueRule, path: string): string | undefined {
  if (rule.min !== undefined && rule.max !== undefined && (value < rule.min || value > rule.max)) {
    return `${path}: is not between ${rule.min} and ${rule.max}`;
  }
  if (rule.min !== undefined && value < rule.min) return `${path}: is less than ${rule.min}`;
  if (rule.max !== undefined && value > rule.max) return `${path}: is more than ${rule.max}`;
  return undefined;
}

export function complaintAboutArray(
  values: readonly unknown[],
  rule: ValueRule,
  path: string,
): string | undefined {
  if (rule.minItems !== undefined && values.length < rule.minItems)
    return `${path}: must have at least ${rule.minItems} items`;
  if (rule.maxItems !== undefined && values.length > rule.maxItems)
    return `${path}: must have at most ${rule.maxItems} items`;
  if (rule.unique === true && new Set(values).size < values.length) return `${path}: must not repeat items`;
  for (const [i, value] of values.entries()) {
    const complaint =
      rule.items === undefined ? undefined : complaintAbout(value, rule.items, `${path}[${i}]`);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
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
