import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { type Cost, costOf, type Surface } from "../surface.ts";

/** Clients reject an error; models and people misread a warning. */
export interface LintFinding {
  readonly level: "error" | "warning";
  readonly rule: string;
  /** Undefined for the server as a whole. */
  readonly tool?: string;
  readonly message: string;
}

export type Flaw = Omit<LintFinding, "tool">;

/** Findings about a tool list, and its cost. */
export interface LintResult {
  readonly findings: readonly LintFinding[];
  readonly costs: readonly (Cost & { readonly tool: string })[];
  readonly total: Cost;
}

/** Any answer to `tools/list`. */
export type LintedSurface = Pick<Surface, "tools"> & Partial<Pick<Surface, "instructions">>;

const MAX_INSTRUCTIONS = 2048;
const MAX_TOOLS = 40;
const MAX_TOKENS_OF_TOOL = 2_000;
const MAX_TOKENS = 20_000;

/**
 * Checks definitions for client problems: names, descriptions and schemas that some of them reject, drop or cut,
 * and each tool's cost.
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
  if (instructions.length > MAX_INSTRUCTIONS)
    flaws.push({
      level: "error",
      rule: "instructions-length",
      message: `The instructions have ${instructions.length} characters; clients cut them at ${MAX_INSTRUCTIONS}.`,
    });
  if (tools.length > MAX_TOOLS)
    flaws.push({
      level: "warning",
      rule: "tool-count",
      message: `There are ${tools.length} tools. Some clients load no more than ${MAX_TOOLS} at once, and VS Code takes 128; offer them in sets.`,
    });
  if (total.tokens > MAX_TOKENS)
    flaws.push({
      level: "warning",
      rule: "list-cost",
      message: `The list costs about ${total.tokens} tokens, in every conversation of a client that loads all of it.`,
    });
  return flaws;
}

function costly(cost: (Cost & { readonly tool: string }) | undefined): LintFinding[] {
  if (cost === undefined || cost.tokens <= MAX_TOKENS_OF_TOOL) return [];
  const message = `Its definition costs about ${cost.tokens} tokens; shorten descriptions or take arguments apart into tools.`;
  return [{ level: "warning", rule: "tool-cost", tool: cost.tool, message }];
}

function nameOf({ name }: JsonObject): string {
  return typeof name === "string" ? name : "(no name)";
}

/** Anthropic and Copilot reject other characters. Clients add the server's name as a prefix, so names are shorter. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_DESCRIPTION = 2048;
const LEAST_DESCRIPTION = 10;
/** Words before the verb delay a model that looks for the action. */
const NOT_A_VERB = /^(?:a|an|the|this|that|these|it|its|all|one|tool|allows|used|returns?)\b/i;

function definitionFlaws({ name, description, title, annotations }: JsonObject): Flaw[] {
  const flaws: Flaw[] = [];
  const error = (rule: string, message: string) => flaws.push({ level: "error", rule, message });
  const warning = (rule: string, message: string) => flaws.push({ level: "warning", rule, message });

  if (typeof name !== "string" || !NAME.test(name))
    error("name", "Clients take names of 1 to 64 letters, digits, `_` and `-`.");
  const text = typeof description === "string" ? description.trim() : "";
  if (text === "") error("description", "It has no description: a model cannot know when to use it.");
  else if (text.length < LEAST_DESCRIPTION)
    warning("description", "Say what it does, what it answers, and when to use it.");
  else if (NOT_A_VERB.test(text))
    warning("description-verb", `Begin with the verb of what it does, not with “${text.split(" ", 1)[0]}”.`);
  if (text.length > MAX_DESCRIPTION)
    warning(
      "description-length",
      `The description has ${text.length} characters; clients may cut it at ${MAX_DESCRIPTION}.`,
    );
  if (typeof title !== "string" || title.trim() === "")
    warning("title", "It has no title, which clients show to people.");

  const hints = (annotations ?? {}) as JsonObject;
  if (Object.keys(hints).length === 0)
    warning(
      "hints",
      "It has no hints: clients then take it for one that destroys, and ask the person every time.",
    );
  if (hints.readOnlyHint === true && hints.destructiveHint === true)
    error("hints", "It says that it only reads, and that it destroys.");
  return flaws;
}

/** Anthropic rejects requests with other argument names. */
const ARGUMENT = /^[a-zA-Z0-9_.-]{1,64}$/;
const MAX_DEPTH = 8;

function schemaFlaws(schema: Json | undefined): Flaw[] {
  if (!isJsonObject(schema) || schema.type !== "object")
    return [
      {
        level: "error",
        rule: "schema-root",
        message: "The input schema is not of type object: Claude Code then drops every tool of the server.",
      },
    ];
  const flaws: Flaw[] = [];
  const composed = ["oneOf", "anyOf", "allOf", "not"].filter((word) => word in schema);
  if (composed.length > 0)
    flaws.push({
      level: "error",
      rule: "schema-root",
      message: `The root of the input schema has ${composed.join(" and ")}: Claude Code drops the tool.`,
    });
  if (!isJsonObject(schema.properties))
    flaws.push({
      level: "error",
      rule: "schema-properties",
      message: "The input schema has no properties: some clients refuse it. Write `properties: {}` for none.",
    });
  if (schema.additionalProperties !== false)
    flaws.push({
      level: "warning",
      rule: "schema-open",
      message: "The input schema accepts unknown arguments, so a misspelled one goes unnoticed.",
    });
  for (const [name, part] of membersOf(schema.properties)) {
    if (!ARGUMENT.test(name))
      flaws.push({
        level: "error",
        rule: "argument-name",
        message: `The argument ${JSON.stringify(name)} has a name that clients refuse: 1 to 64 letters, digits, \`_\`, \`.\` and \`-\`.`,
      });
    if (isJsonObject(part) && typeof part.description !== "string" && !("$ref" in part))
      flaws.push({
        level: "warning",
        rule: "argument-description",
        message: `The argument ${name} has no description.`,
      });
    flaws.push(...partFlaws(part, name, 1));
  }
  for (const [name, part] of membersOf(schema.$defs)) flaws.push(...partFlaws(part, `$defs.${name}`, 1));
  return flaws;
}

function partFlaws(schema: Json | undefined, at: string, depth: number): Flaw[] {
  const flaw = (level: Flaw["level"], rule: string, message: string): Flaw => ({ level, rule, message });
  if (depth > MAX_DEPTH)
    return [flaw("warning", "schema-depth", `${at} is nested deeper than ${MAX_DEPTH} levels.`)];
  if (!isJsonObject(schema))
    return [
      flaw("error", "schema-boolean", `${at} has the schema ${JSON.stringify(schema)}: give it a type.`),
    ];
  const flaws: Flaw[] = [];
  const { $ref, type, prefixItems, items } = schema;
  if (typeof $ref === "string" && !$ref.startsWith("#"))
    flaws.push(flaw("error", "schema-ref", `${at} refers to ${$ref}, which no client fetches.`));
  else if ($ref !== undefined)
    flaws.push(flaw("warning", "schema-ref", `${at} has a $ref, which some clients do not follow.`));
  if (Array.isArray(prefixItems) || items === false)
    flaws.push(flaw("error", "schema-tuple", `${at} is a tuple, which clients refuse: use an object.`));
  if (Array.isArray(type))
    flaws.push(flaw("warning", "schema-union", `${at} has several types; clients that know one drop it.`));
  if (!["type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"].some((word) => word in schema))
    flaws.push(flaw("warning", "schema-untyped", `${at} has no type; some clients send text for it.`));
  const inner: readonly (readonly [string, Json | undefined])[] = [
    ...membersOf(schema.properties).map(([name, part]) => [`${at}.${name}`, part] as const),
    ...(isJsonObject(items) ? [[`${at}[]`, items] as const] : []),
    ...(isJsonObject(schema.additionalProperties) && Object.keys(schema.additionalProperties).length > 0
      ? [[`${at}.*`, schema.additionalProperties] as const]
      : []),
    ...["anyOf", "oneOf", "allOf"].flatMap((word) => {
      const parts = schema[word];
      return Array.isArray(parts) ? (parts as readonly Json[]).map((part) => [at, part] as const) : [];
    }),
  ];
  return [...flaws, ...inner.flatMap(([name, part]) => partFlaws(part, name, depth + 1))];
}

function membersOf(value: Json | undefined): [string, Json | undefined][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
