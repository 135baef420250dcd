import { statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, parse, resolve, sep } from "node:path";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Json, JsonObject } from "../json.ts";
import { CONTENT, NEW, OLD } from "./call-parts.ts";
import { MAX_CONDITION } from "./tool-rules.ts";

/** The narrowest condition for calls of one tool. */
export interface NarrowCondition {
  /** An expression in CEL. */
  readonly when: string;
  /** Contents that it leaves open, such as the text of a file. */
  readonly open: readonly string[];
}

/**
 * Returns a condition that holds for all of these calls: no further arguments, paths in the same folder, addresses at the
 * same host, numbers up to the largest (with `least`, from the smallest), and otherwise the same values. Only contents can differ. Fails if no short
 * condition covers them, with the reason as a sentence.
 */
export function narrowCondition(
  calls: readonly JsonObject[],
  numbersFrom: "zero" | "least" = "zero",
): Outcome<NarrowCondition, string> {
  const names = [...new Set(calls.flatMap((args) => Object.keys(args)))].sort();
  const open = names.filter((name) => CONTENTS.has(name));
  const tests: string[] = [];
  for (const name of names) {
    const values = calls.flatMap((args) => (Object.hasOwn(args, name) ? [args[name] ?? null] : []));
    const has = `${JSON.stringify(name)} in args`;
    const isAlways = values.length === calls.length;
    const test = CONTENTS.has(name) ? undefined : valueTest(reference(name), values, numbersFrom);
    if (test === undefined && !CONTENTS.has(name))
      return failed(`${JSON.stringify(name)} has more than ${MAX_VALUES} different values.`);
    if (test !== undefined) tests.push(isAlways ? test : `(!(${has}) || ${test})`);
    else if (isAlways) tests.push(has);
  }
  tests.push(names.length === 0 ? "size(args) == 0" : `args.all(name, name in ${JSON.stringify(names)})`);
  const when = tests.join(" && ");
  return when.length > MAX_CONDITION ? failed("The arguments are too long for a rule.") : ok({ when, open });
}

export const CONTENTS: ReadonlySet<string> = new Set([...CONTENT, ...OLD, ...NEW, "edits"]);
const MAX_FOLDERS = 5;
const MAX_VALUES = 20;

function reference(name: string): string {
  return /^[a-zA-Z_]\w*$/.test(name) && name !== "in" ? `args.${name}` : `args[${JSON.stringify(name)}]`;
}

/** Undefined if there are too many different values. */
function valueTest(at: string, values: readonly Json[], numbersFrom: "zero" | "least"): string | undefined {
  if (values.every((value) => typeof value === "number"))
    return `${at} >= ${Math.min(...values, ...(numbersFrom === "zero" ? [0] : []))} && ${at} <= ${Math.max(...values)}`;
  if (values.every((value) => typeof value === "string")) {
    if (values.every(isPath)) return pathTest(at, values);
    if (values.every(isWebAddress)) {
      const hosts = values.map((value) => new URL(value).hostname);
      return oneOf(`host(${at})`, hosts);
    }
  }
  return oneOf(at, values);
}

function pathTest(at: string, paths: readonly string[]): string | undefined {
  const folders = [...new Set(paths.map((path) => folderOf(resolve(path))))].sort();
  const outer = folders.filter((one) => !folders.some((other) => other !== one && isBelow(one, other)));
  const common = outer.length > MAX_FOLDERS ? [outer.reduce(commonFolder)] : outer;
  // Everything on the machine, or of its user, is no folder that a rule can mean.
  if (common.some((folder) => folder === parse(folder).root || folder === homedir())) return oneOf(at, paths);
  const tests = common.map((folder) => `inside(${at}, ${JSON.stringify(folder)})`);
  return tests.length === 1 ? tests[0] : `(${tests.join(" || ")})`;
}

/** A folder is its own. Paths at a server elsewhere are files. */
export function folderOf(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path);
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function commonFolder(one: string, other: string): string {
  let common = one;
  while (common !== other && !isBelow(other, common) && common !== dirname(common)) common = dirname(common);
  return common;
}

function oneOf(at: string, values: readonly Json[]): string | undefined {
  const different = [...new Set(values.map((value) => JSON.stringify(value)))].sort();
  if (different.length > MAX_VALUES) return undefined;
  return different.length === 1 ? `${at} == ${different[0]}` : `${at} in [${different.join(", ")}]`;
}

export function isPath(text: string): boolean {
  return isAbsolute(text) && !/[\n\0]/.test(text);
}

export function isWebAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}
