import type { Operation, Param } from "@toolpact/x-api/operations";
import type { BadValue } from "../problems.ts";
import { complaintAboutArray, complaintAboutNumber, complaintAboutText } from "./check-value.ts";
import type { ParamValue } from "./input.ts";

export type CheckedParams =
  | { readonly params: ReadonlyMap<string, ParamValue> }
  | { readonly bad: readonly BadValue[] };

/** Reads path and query parameters by the operation's rules; nothing unknown gets through. */
export function checkParams(
  operation: Operation,
  path: ReadonlyMap<string, string>,
  query: URLSearchParams,
): CheckedParams {
  const rules = rulesOf(operation);
  const params = new Map<string, ParamValue>();
  const bad: BadValue[] = [];
  const take = (name: string, text: string, rule: Param): void => {
    const value = readValue(text, rule);
    const complaint = complaintAbout(value, rule, name);
    if (complaint === undefined && value !== undefined) params.set(name, value);
    else
      bad.push({
        parameter: name,
        values: [text],
        message: complaint ?? `The \`${name}\` query parameter value [${text}] is not valid`,
      });
  };
  for (const [name, text] of path) {
    const rule = rules.path.get(name);
    if (rule !== undefined) take(name, text, rule);
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
    } else take(name, text, rule);
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

function complaintAbout(value: ParamValue | undefined, rule: Param, name: string): string | undefined {
  const subject = `The \`${name}\` query parameter`;
  if (value === undefined) return undefined;
  if (Array.isArray(value)) {
    const allowed = rule.items?.enum;
    const stray = allowed === undefined ? undefined : value.find((item) => !allowed.includes(item));
    if (stray !== undefined) return `${subject} value [${stray}] is not one of [${allowed?.join(",")}]`;
    return said(subject, complaintAboutArray(value, rule, ""));
  }
  if (rule.enum !== undefined && !rule.enum.some((item) => item === value)) {
    return `${subject} value [${value}] is not one of [${rule.enum.join(",")}]`;
  }
  if (typeof value === "number")
    return said(`${subject} value [${value}]`, complaintAboutNumber(value, rule, ""));
  if (typeof value === "string")
    return said(`${subject} value [${value}]`, complaintAboutText(value, rule, ""));
  return undefined;
}

function said(subject: string, complaint: string | undefined): string | undefined {
  return complaint === undefined ? undefined : `${subject} ${complaint.replace(/^[^ ]*: /, "")}`;
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
    const required = operation.params.filter((param) => param.required === true && param.in !== "header");
    rules = { path: placed("path"), query: placed("query"), required: required.map((param) => param.name) };
    compiled.set(operation, rules);
  }
  return rules;
}

const compiled = new WeakMap<Operation, Rules>();
