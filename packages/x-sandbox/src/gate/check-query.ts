import type { Operation, Param } from "@toolpact/x-api/operations";
import { valueProblem } from "../http/check-value.ts";
import type { ParamValue } from "../http/input.ts";
import type { BadValue } from "../http/problems.ts";

export type CheckedParams =
  | { readonly params: ReadonlyMap<string, ParamValue> }
  | { readonly bad: readonly BadValue[] };

/** Rejects unknown parameters. */
export function checkParams(
  operation: Operation,
  path: ReadonlyMap<string, string>,
  query: URLSearchParams,
): CheckedParams {
  const rules = rulesOf(operation);
  const params = new Map<string, ParamValue>();
  const bad: BadValue[] = [];
  const take = (text: string, rule: Param): void => {
    const value = readValue(text, rule);
    const message = complaintAbout(value, text, rule);
    if (message !== undefined) bad.push({ parameter: rule.name, values: [text], message });
    else if (value !== undefined) params.set(rule.name, value);
  };
  for (const [name, text] of path) {
    const rule = rules.path.get(name);
    if (rule !== undefined) take(text, rule);
  }
  for (const [name, text] of query) {
    const rule = rules.query.get(name);
    if (rule === undefined) {
      const known = [...rules.query.keys()].join(",");
      bad.push({
        parameter: name,
        values: [text],
        message: `The query parameter [${name}] is not one of [${known}]`,
      });
    } else if (params.has(name)) {
      bad.push({
        parameter: name,
        values: query.getAll(name),
        message: `The query parameter [${name}] must be given once`,
      });
    } else take(text, rule);
  }
  for (const name of rules.required) {
    if (!params.has(name) && !query.has(name)) {
      bad.push({ parameter: name, values: [], message: `The \`${name}\` query parameter can not be empty` });
    }
  }
  return bad.length === 0 ? { params } : { bad };
}

function readValue(text: string, rule: Param): ParamValue | undefined {
  switch (rule.type) {
    case "integer":
    case "number":
      return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "array":
      return text.split(",");
    default:
      return text;
  }
}

function complaintAbout(value: ParamValue | undefined, text: string, rule: Param): string | undefined {
  const subject = `The \`${rule.name}\` query parameter`;
  if (value === undefined) return `${subject} value [${text}] is not valid`;
  const flaw = valueProblem(value, rule);
  if (flaw !== undefined)
    return Array.isArray(value) ? `${subject} ${flaw}` : `${subject} value [${text}] ${flaw}`;
  if (!Array.isArray(value) || rule.items === undefined) return undefined;
  for (const item of value) {
    const itemFlaw = valueProblem(item, rule.items);
    if (itemFlaw !== undefined) return `${subject} value [${item}] ${itemFlaw}`;
  }
  return undefined;
}

interface Rules {
  readonly path: ReadonlyMap<string, Param>;
  readonly query: ReadonlyMap<string, Param>;
  readonly required: readonly string[];
}

function rulesOf(operation: Operation): Rules {
  let rules = compiled.get(operation);
  if (rules === undefined) {
    const placed = (place: Param["in"]): Map<string, Param> =>
      new Map(operation.params.filter((param) => param.in === place).map((param) => [param.name, param]));
    const required = operation.params.filter((param) => param.required === true && param.in === "query");
    rules = { path: placed("path"), query: placed("query"), required: required.map((param) => param.name) };
    compiled.set(operation, rules);
  }
  return rules;
}

const compiled = new WeakMap<Operation, Rules>();
