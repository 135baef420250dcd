import { isJsonObject } from "@toolpact/outcome";
import type { Field, ValueRule } from "./operations/index.ts";

/** Without the value itself. */
export interface Fault {
  readonly at: string;
  readonly message: string;
}

/** `at` is the value's path. */
export type Check = (value: unknown, at: string) => Fault | undefined;

/** `wire` values may be text; `json` values must have their JSON type. */
export function checkFor(rule: ValueRule, place: "wire" | "json"): Check {
  const known = cache[place].get(rule);
  if (known) return known;
  const check = make(rule, place);
  cache[place].set(rule, check);
  return check;
}

/** Operations share rules. */
const cache = { wire: new WeakMap<ValueRule, Check>(), json: new WeakMap<ValueRule, Check>() };

function make(rule: ValueRule, place: "wire" | "json"): Check {
  switch (rule.type) {
    case "string":
      return stringCheck(rule);
    case "integer":
    case "number":
      return numberCheck(rule, place);
    case "boolean":
      return (value, at) =>
        typeof value === "boolean" || (place === "wire" && (value === "true" || value === "false"))
          ? undefined
          : { at, message: `${at} must be true or false` };
    case "array":
      return arrayCheck(rule, place);
    case "object":
      return objectCheck(rule);
    case "binary":
      return (value, at) =>
        value instanceof Uint8Array || typeof value === "string"
          ? undefined
          : { at, message: `${at} must be bytes or Base64 text` };
  }
}

function stringCheck(rule: ValueRule): Check {
  const pattern = rule.pattern === undefined ? undefined : new RegExp(rule.pattern);
  const allowed = rule.enum && new Set<unknown>(rule.enum);
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = rule;
  const isDateTime = rule.format === "date-time";
  return (value, at) => {
    if (typeof value !== "string") return { at, message: `${at} must be text` };
    if (allowed && !allowed.has(value))
      return { at, message: `${at} must be one of: ${[...allowed].join(", ")}` };
    if (value.length < minLength) return { at, message: `${at} must have at least ${minLength} characters` };
    if (value.length > maxLength && [...value].length > maxLength)
      return { at, message: `${at} must have at most ${maxLength} characters` };
    if (pattern && !pattern.test(value)) return { at, message: `${at} must match ${pattern.source}` };
    if (isDateTime && !dateTime.test(value))
      return { at, message: `${at} must be a time like 2026-01-31T12:00:00Z` };
    return undefined;
  };
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function numberCheck(rule: ValueRule, place: "wire" | "json"): Check {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = rule;
  const isRight = rule.type === "integer" ? Number.isSafeInteger : Number.isFinite;
  return (value, at) => {
    const number = place === "wire" && typeof value === "string" && value !== "" ? Number(value) : value;
    if (typeof number !== "number" || !isRight(number))
      return { at, message: `${at} must be ${rule.type === "integer" ? "a whole number" : "a number"}` };
    if (number < min) return { at, message: `${at} must be at least ${min}` };
    if (number > max) return { at, message: `${at} must be at most ${max}` };
    return undefined;
  };
}

function arrayCheck(rule: ValueRule, place: "wire" | "json"): Check {
  const item = rule.items && checkFor(rule.items, place);
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = rule;
  return (value, at) => {
    const list: unknown = place === "wire" && typeof value === "string" ? value.split(",") : value;
    if (!Array.isArray(list)) return { at, message: `${at} must be a list` };
    if (list.length < minItems) return { at, message: `${at} must have at least ${minItems} entries` };
    if (list.length > maxItems) return { at, message: `${at} must have at most ${maxItems} entries` };
    if (rule.unique && new Set(list).size !== list.length)
      return { at, message: `${at} must not repeat an entry` };
    if (item)
      for (const [i, entry] of list.entries()) {
        const fault = item(entry, place === "wire" ? at : `${at}[${i}]`);
        if (fault) return fault;
      }
    return undefined;
  };
}

function objectCheck(rule: ValueRule): Check {
  if (rule.fields === undefined)
    return (value, at) => (isJsonObject(value) ? undefined : { at, message: `${at} must be an object` });
  const fields = fieldsCheck(rule.fields, rule.closed === true);
  return (value, at) =>
    isJsonObject(value) ? fields(value, `${at}.`) : { at, message: `${at} must be an object` };
}

/** `prefix` goes before each name. */
export function fieldsCheck(
  fields: readonly Field[],
  isClosed: boolean,
): (value: Readonly<Record<string, unknown>>, prefix: string) => Fault | undefined {
  const checks = new Map(fields.map((field) => [field.name, checkFor(field, "json")]));
  const required = fields.filter((field) => field.required).map((field) => field.name);
  return (value, prefix) => {
    for (const name in value) {
      const entry = value[name];
      if (entry === undefined) continue;
      const check = checks.get(name);
      const at = `${prefix}${name}`;
      if (check === undefined && isClosed)
        return {
          at,
          message: `${at} is not a field X takes here; it takes ${[...checks.keys()].join(", ")}`,
        };
      const fault = check?.(entry, at);
      if (fault) return fault;
    }
    for (const name of required)
      if (value[name] === undefined)
        return { at: `${prefix}${name}`, message: `${prefix}${name} is missing` };
    return undefined;
  };
}
