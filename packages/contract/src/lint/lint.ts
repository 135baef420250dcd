import type { JsonObject } from "../json.ts";
import type { Surface } from "../surface.ts";
import { type Cost, costOf } from "../token-cost.ts";
import { definitionFlaws } from "./definition-rules.ts";
import { schemaFlaws } from "./schema-rules.ts";

/** One thing that clients refuse (an error), or that models and people read worse for (a warning). */
export interface LintFinding {
  readonly level: "error" | "warning";
  readonly rule: string;
  /** The tool it is about; undefined for the server as a whole. */
  readonly tool?: string;
  readonly message: string;
}

/** What the rules call for, without the tool that they look at. */
export type Flaw = Omit<LintFinding, "tool">;

/** The findings about a list of tools, and its cost. */
export interface LintResult {
  readonly findings: readonly LintFinding[];
  readonly costs: readonly (Cost & { readonly tool: string })[];
  readonly total: Cost;
}

/** The part of a surface that can be linted: what any server answers to `tools/list`. */
export type LintedSurface = Pick<Surface, "tools"> & Partial<Pick<Surface, "instructions">>;

const MOST_INSTRUCTIONS = 2048;
const MOST_TOOLS = 40;
const MOST_TOKENS_OF_TOOL = 2_000;
const MOST_TOKENS = 20_000;

/**
 * Looks at definitions with the eyes of clients: names, descriptions and schemas that some of them refuse, drop or cut,
 * and what each tool costs.
 *
 * ```ts
 * const { findings } = lint(app.surface);
 * const errors = findings.filter(({ level }) => level === "error");
 * ```
 */
export function lint({ tools, instructions = "" }: LintedSurface): LintResult {
  const costs = tools.map((tool) => ({ tool: nameOf(tool), ...costOf(tool) }));
  const total = costOf(tools);
  const findings: LintFinding[] = tools.flatMap((tool, index) => [
    ...[...definitionFlaws(tool), ...schemaFlaws(tool.inputSchema)].map((flaw) => ({
      ...flaw,
      tool: nameOf(tool),
    })),
    ...costly(costs[index]),
  ]);
  return { findings: [...surfaceFlaws(tools, instructions, total), ...findings], costs, total };
}

function surfaceFlaws(tools: readonly JsonObject[], instructions: string, total: Cost): LintFinding[] {
  const names = tools.map(nameOf);
  const repeated = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  const flaws: LintFinding[] = repeated.map((tool) => ({
    level: "error",
    rule: "name-unique",
    tool,
    message: "Two tools have this name.",
  }));
  if (instructions.length > MOST_INSTRUCTIONS)
    flaws.push({
      level: "error",
      rule: "instructions-length",
      message: `The instructions have ${instructions.length} characters; clients cut them at ${MOST_INSTRUCTIONS}.`,
    });
  if (tools.length > MOST_TOOLS)
    flaws.push({
      level: "warning",
      rule: "tool-count",
      message: `There are ${tools.length} tools. Some clients load no more than ${MOST_TOOLS} at once, and VS Code takes 128; offer them in sets.`,
    });
  if (total.tokens > MOST_TOKENS)
    flaws.push({
      level: "warning",
      rule: "list-cost",
      message: `The list costs about ${total.tokens} tokens, in every conversation of a client that loads all of it.`,
    });
  return flaws;
}

function costly(cost: (Cost & { readonly tool: string }) | undefined): LintFinding[] {
  if (cost === undefined || cost.tokens <= MOST_TOKENS_OF_TOOL) return [];
  const message = `Its definition costs about ${cost.tokens} tokens; shorten descriptions or take arguments apart into tools.`;
  return [{ level: "warning", rule: "tool-cost", tool: cost.tool, message }];
}

function nameOf({ name }: JsonObject): string {
  return typeof name === "string" ? name : "(no name)";
}
