import { nearest } from "@toolpact/cli/nearest";
import type { Outcome } from "@toolpact/outcome";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { CallFacts } from "./conditions.ts";
import type { Policy, ServerPolicy } from "./policy.ts";
import { decide, matches, type Rule, type ToolRule } from "./tool-rules.ts";

/** Finds rules that cannot take effect. `listed` has the tools of each server, or why they are unknown. */
export function checkPolicy(
  { servers }: Policy,
  listed: ReadonlyMap<string, Outcome<readonly JsonObject[], string>>,
): readonly string[] {
  return servers.flatMap((server) => {
    const found = listed.get(server.name);
    if (found?.ok !== true)
      return [`${server.name}: the rules cannot be compared with its tools. ${found?.failure ?? ""}`.trim()];
    const tools = found.value.map((definition) => ({ name: String(definition.name), definition }));
    return server.entries.flatMap((entry) => entryProblems(server, entry, tools));
  });
}

interface ListedTool {
  readonly name: string;
  readonly definition: JsonObject;
}

function entryProblems(
  { name: server, toolRule }: ServerPolicy,
  entry: string,
  tools: readonly ListedTool[],
): readonly string[] {
  const matching = tools.filter(({ name }) => name === entry || matches(entry, name));
  if (matching.length === 0) {
    const guess = nearest(
      entry,
      tools.map(({ name }) => name),
    );
    const hint = guess === undefined ? "" : ` Did you mean ${JSON.stringify(guess)}?`;
    return [`${server}: ${JSON.stringify(entry)} matches no tool.${hint}`];
  }
  const own = matching.filter(({ name }) => toolRule(name).entry === entry);
  if (own.length === 0)
    return [`${server}: ${JSON.stringify(entry)} is never used: other rules apply to all tools it matches.`];
  return own.flatMap(({ name, definition }) => argumentProblems(server, name, definition, toolRule(name)));
}

/** Arguments in conditions that the tool does not declare. */
function argumentProblems(
  server: string,
  tool: string,
  { inputSchema }: JsonObject,
  { steps }: ToolRule,
): readonly string[] {
  const schema = isJsonObject(inputSchema) ? inputSchema : {};
  const declared = Object.keys(isJsonObject(schema.properties) ? schema.properties : {});
  if (declared.length === 0) return [];
  const read = new Set(steps.flatMap(({ when }) => [...(when?.reads ?? [])]));
  return [...read]
    .filter((argument) => !declared.includes(argument))
    .map((argument) => {
      const guess = nearest(argument, declared);
      const hint = guess === undefined ? "" : ` Did you mean ${JSON.stringify(guess)}?`;
      return `${server}: a condition of ${tool} reads args.${argument}, which the tool does not have.${hint}`;
    });
}

/** The rule for one call, with the reason. */
export interface Explanation {
  readonly server: string;
  readonly rule: Rule;
  /** The name or pattern of the policy; undefined for the default rule. */
  readonly entry: string | undefined;
  readonly reason: string;
}

/** Explains the rule for a call of a tool, by the name that clients see. */
export function explainCall({ servers }: Policy, tool: string, facts: CallFacts): Explanation | undefined {
  const prefixed = servers.find(({ prefix }) => prefix !== "" && tool.startsWith(prefix));
  const server = prefixed ?? servers.find(({ prefix }) => prefix === "");
  if (server === undefined) return undefined;
  const rules = server.toolRule(tool.slice(server.prefix.length));
  const { rule, because, unclear } = decide(rules, facts);
  const { entry } = rules;
  const from =
    entry === undefined ? "the default rule applies" : `the rule for ${JSON.stringify(entry)} applies`;
  const why =
    unclear !== undefined
      ? `, and ${unclear.text} cannot be evaluated for these arguments: the strictest remaining rule counts`
      : because !== undefined
        ? `, because ${because.text}`
        : rules.steps.length > 1
          ? ", because none of its conditions holds"
          : "";
  return { server: server.name, rule, entry, reason: `${from}${why}` };
}
