import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { ASTNode } from "@marcbachmann/cel-js";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { JsonObject } from "../json.ts";

/** The facts about a call that conditions read. */
export interface CallFacts {
  readonly args: JsonObject;
  /** The identity of the caller's token; empty without one. */
  readonly caller: string;
  /** The name that the client gives itself. */
  readonly client: string;
  readonly at: Date;
}

/** A compiled `when`. */
export interface Condition {
  readonly text: string;
  /** True if it reads who calls, which is known later than the arguments. */
  readonly readsCaller: boolean;
  /** The arguments that it reads by name. */
  readonly reads: ReadonlySet<string>;
  /** Undefined if it cannot be evaluated, such as when an argument is missing or has another type. */
  readonly holds: (facts: CallFacts) => boolean | undefined;
}

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
/** They visit every element of a list, so two of them nested would visit each pair. */
const LOOPS = new Set(["all", "exists", "exists_one", "map", "filter", "transformList", "transformMap"]);

/** Returns the compiler of conditions, which are expressions in CEL. Loaded only if a policy has some. */
export async function conditionCompiler(): Promise<(text: string) => Outcome<Condition, string>> {
  const [{ Environment }, { RE2JS }] = await Promise.all([
    import("@marcbachmann/cel-js"),
    import("re2js"),
  ]).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error("conditions need the packages @marcbachmann/cel-js and re2js: install them");
  });
  const patterns = new Map<string, { readonly test: (text: string) => boolean }>();
  const pattern = (text: string) => {
    const known = patterns.get(text) ?? RE2JS.compile(text);
    patterns.set(text, known);
    return known;
  };
  const environment = new Environment()
    .registerVariable("args", "map")
    .registerVariable("caller", "string")
    .registerVariable("client", "string")
    .registerVariable("hour", "int")
    .registerVariable("day", "string")
    .registerFunction("inside(string, string): bool", (path: string, folder: string) => inside(path, folder))
    .registerFunction("host(string): string", (url: string) => new URL(url).hostname)
    .registerFunction("fits(string, string): bool", (text: string, written: string) =>
      pattern(`^(?:${written})$`).test(text),
    );
  return (text) => {
    const checked = environment.check(text);
    if (!checked.valid) return failed(checked.error?.message ?? "it cannot be read");
    const evaluate = environment.parse(text);
    const problem = problemIn(evaluate.ast, 0) ?? patternProblem(evaluate.ast, pattern);
    if (problem !== undefined) return failed(problem);
    if (checked.type !== "bool" && checked.type !== "dyn")
      return failed(`it is a ${checked.type}, not true or false`);
    const names = namesIn(evaluate.ast);
    return ok({
      text,
      readsCaller: names.has("caller") || names.has("client"),
      reads: argumentsIn(evaluate.ast),
      holds({ args, caller, client, at }) {
        try {
          const hour = BigInt(at.getHours());
          const result: unknown = evaluate({ args, caller, client, hour, day: DAYS[at.getDay()] });
          return typeof result === "boolean" ? result : undefined;
        } catch {
          return undefined;
        }
      },
    });
  };
}

/**
 * True if the path is in the folder after links and `..` are resolved. Relative paths are in no folder, because only the
 * server knows where they begin.
 */
function inside(path: string, folder: string): boolean {
  const [of, at] = [fromHome(folder), fromHome(path)];
  if (!isAbsolute(of) || !isAbsolute(at)) return false;
  const way = relative(real(of), real(at));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function fromHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}

/** The path without links. What does not exist yet is in its folder. */
function real(path: string): string {
  const at = resolve(path);
  try {
    return realpathSync(at);
  } catch {
    return dirname(at) === at ? at : join(real(dirname(at)), basename(at));
  }
}

/** Why an expression could take long. Its text is the operator's, but the lists and texts it reads are the caller's. */
function problemIn(node: ASTNode, loops: number): string | undefined {
  const isCall = node.op === "rcall";
  const name = isCall ? node.args[0] : "";
  if (name === "matches") return "use fits(text, pattern), which takes linear time, in place of matches";
  const inner = loops + Number(isCall && LOOPS.has(name));
  if (inner > 1) return `${name} cannot be nested`;
  for (const part of partsOf(node)) {
    const found = problemIn(part, inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reads the patterns that are written in the expression: a wrong one is found when the policy is loaded. */
function patternProblem(node: ASTNode, pattern: (text: string) => unknown): string | undefined {
  if (node.op === "call" && node.args[0] === "fits") {
    const [, written] = node.args[1];
    if (written?.op === "value" && typeof written.args === "string")
      try {
        pattern(`^(?:${written.args})$`);
      } catch (error) {
        return (error as Error).message;
      }
  }
  for (const part of partsOf(node)) {
    const found = patternProblem(part, pattern);
    if (found !== undefined) return found;
  }
  return undefined;
}

function namesIn(node: ASTNode): ReadonlySet<string> {
  const own = node.op === "id" ? [node.args] : [];
  return new Set([...own, ...partsOf(node).flatMap((part) => [...namesIn(part)])]);
}

/** `args.NAME` and `args["NAME"]`. */
function argumentsIn(node: ASTNode): ReadonlySet<string> {
  const own: string[] = [];
  if (node.op === "." || node.op === "[]") {
    const [from, name] = node.args;
    const key = typeof name === "string" ? name : name.op === "value" ? name.args : undefined;
    if (from.op === "id" && from.args === "args" && typeof key === "string") own.push(key);
  }
  return new Set([...own, ...partsOf(node).flatMap((part) => [...argumentsIn(part)])]);
}

function partsOf({ args }: ASTNode): readonly ASTNode[] {
  const all: readonly unknown[] = [args].flat(3);
  return all.filter((part): part is ASTNode => typeof part === "object" && part !== null && "op" in part);
}
