import type { JsonObject } from "@toolpact/contract";
import { nearest } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { gatesOf } from "../../config/gates.ts";
import { VERSION } from "../../config/version.ts";
import { errors } from "../../errors.ts";
import { json, jsonObject, list, text } from "../../shapes.ts";
import * as p from "../params.ts";
import { ANY_CODE, count, product } from "../product.ts";
import { findSkills, findTools, lineOf } from "./find.ts";
import { itemHelp } from "./item-help.ts";

const toolNames = z.strictObject({
  name: text,
  toolset: text,
  actions: list(text),
  startOption: text.exactOptional(),
});

const serverInfo = z.strictObject({
  server: z.strictObject({ name: text, version: text }),
  runtime: z.strictObject({ node: text, platform: text }),
  safety: z.strictObject({
    readOnly: z.boolean(),
    ALLOW_DANGEROUS_OPS: z.boolean(),
    ALLOW_EXTERNAL_TOOLS: z.boolean(),
    ALLOW_GAME_CODE: z.boolean(),
  }),
  tools: list(toolNames),
});

const candidate = z.strictObject({
  tool: text,
  toolset: text,
  action: text.exactOptional(),
  describe: text,
  score: z.number(),
  startOption: text.exactOptional(),
});

const toolHelp = toolNames.extend({
  title: text,
  description: text,
  errors: list(text),
  schema: jsonObject,
  resultSchema: jsonObject.exactOptional(),
  /** The items of its lists. */
  items: z.record(z.string(), z.strictObject({ forms: list(text), example: json })).exactOptional(),
});

export const metaTool = product.defineActionTool({
  name: "godot_meta",
  title: "About this server",
  description: "Find the tool for a task and the exact schema of an action.",
  category: "meta",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["settings", "toolbox"],
  errors: ANY_CODE,
  hasContent: true,
  deadlineMs: 120_000,
  goOn: "Name one action with toolAction.",
  actions: (action) => ({
    server_info: action({
      description: "Get version, runtime, safety settings and tools.",
      effect: "none",
      errors: [],
      input: z.strictObject({}),
      output: serverInfo,
      handler: (_input, { settings, toolbox }) => {
        const tools = toolbox.describe();
        return ok(
          {
            server: { name: "godot-mcp-omni", version: VERSION },
            runtime: { node: process.version, platform: process.platform },
            safety: {
              readOnly: settings.readOnly,
              ...gatesOf(settings),
            },
            tools: tools.map(({ name, toolset, actions, startOption }) => ({
              name,
              toolset,
              actions,
              ...(startOption !== undefined && { startOption }),
            })),
          },
          {
            summary: `godot-mcp-omni ${VERSION} offers ${tools.filter(isOffered).length} of ${count(tools.length, "tool")}.`,
          },
        );
      },
    }),
    tool_search: action({
      description: "Find tools, actions and skills for a task.",
      effect: "none",
      errors: [],
      input: z.strictObject({ query: z.string().describe("Words: add a node"), limit: p.limit("5") }),
      output: z.strictObject({
        candidates: list(candidate),
        skills: list(z.strictObject({ name: text, describe: text })).exactOptional(),
      }),
      handler: async ({ query, limit = 5 }, { toolbox }) => {
        const candidates = findTools(toolbox.describe(), query, await toolbox.own()).slice(0, limit);
        const skills = findSkills(toolbox.skills, query);
        const guide = skills[0] === undefined ? "" : ` Read the guide with skill ${skills[0].name}.`;
        return ok(
          { candidates, ...(skills.length > 0 && { skills }) },
          {
            summary: `${count(candidates.length, "candidate")}.${guide}${
              candidates.every(isOffered)
                ? ""
                : ` Some are off: ${candidates.flatMap((found) => (isOffered(found) ? [] : [toolbox.howToOffer(found)]))[0]}`
            }`,
          },
        );
      },
    }),
    read: action({
      description: "Make a call of any tool that only reads.",
      effect: "none",
      input: z.strictObject({
        tool: z.string().describe("godot_scene"),
        args: p.anyObject.describe('{"action": "status"}'),
      }),
      output: z.looseObject({}).describe("The result of that call"),
      handler: ({ tool, args }, { toolbox, signal }) => toolbox.read(tool, p.asObject(args) ?? {}, signal),
    }),
    enable_toolset: action({
      description: "Switch on a toolset.",
      // Nothing in the project changes, and permissions stay as they are.
      effect: "none",
      errors: ["E_NOT_FOUND", "E_PERMISSION_DENIED"],
      input: z.strictObject({ toolset: z.string().describe("test") }),
      output: z.strictObject({ toolset: text, tools: list(text) }),
      handler: ({ toolset }, { toolbox }) => {
        const found = toolbox.describe().filter((tool) => tool.toolset === toolset);
        const enabled = toolbox.enable(toolset);
        if (!enabled.ok) return enabled;
        const tools = found.map(({ name }) => name);
        return ok(
          { toolset, tools },
          {
            summary: enabled.value
              ? `${tools.join(", ")} is in the tool list now. A client that does not show it needs a server started with ${found[0]?.startOption}.`
              : `${tools.join(", ")} was offered already.`,
          },
        );
      },
    }),
    tool_help: action({
      description: "Get the exact schema, result and errors of a tool or action.",
      effect: "none",
      errors: ["E_NOT_FOUND"],
      input: z.strictObject({
        tool: z.string().describe("godot_scene"),
        toolAction: z.string().optional().describe("One action: create"),
      }),
      output: toolHelp,
      handler: ({ tool, toolAction }, { toolbox }) => {
        const tools = toolbox.describe();
        const found = tools.find((candidate) => candidate.name === tool);
        if (found === undefined)
          return unknownName(
            `There is no tool "${tool.slice(0, 80)}".`,
            tool,
            tools.map(({ name }) => name),
          );
        if (toolAction !== undefined && !found.actions.includes(toolAction))
          return unknownName(
            `${tool} has no action "${toolAction.slice(0, 80)}".`,
            toolAction,
            found.actions,
          );
        const { schema, result, ...whole } = found;
        const resultSchema = result(toolAction);
        const shown = toolAction === undefined ? schema() : branch(schema(), toolAction);
        const items = itemHelp(tool, Object.keys(shown.properties ?? {}));
        return ok(
          {
            ...(toolAction === undefined ? whole : only(whole, toolAction)),
            schema: shown,
            ...(Object.keys(items).length > 0 && { items }),
            ...(resultSchema !== undefined && { resultSchema }),
          },
          {
            summary: `${tool}${toolAction === undefined ? "" : ` ${toolAction}`}: its parameters and errors.${
              isOffered(found) ? "" : ` It is off. ${toolbox.howToOffer(found)}`
            }`,
          },
        );
      },
    }),
    skill: action({
      description: "Read a guide for a whole task, step by step.",
      effect: "none",
      errors: ["E_NOT_FOUND"],
      input: z.strictObject({ name: z.string().describe("make-a-platformer") }),
      output: z.strictObject({ name: text, text }),
      handler: ({ name }, { toolbox }) => {
        const found = toolbox.skills.find((skill) => skill.name === name);
        if (found === undefined)
          return unknownName(
            `There is no skill "${name.slice(0, 80)}".`,
            name,
            toolbox.skills.map((skill) => skill.name),
          );
        return ok({ name, text: found.text }, { summary: `The guide ${name}.` });
      },
    }),
  }),
});

function unknownName(message: string, name: string, known: readonly string[]) {
  const guess = nearest(name, known);
  return errors.fail("E_NOT_FOUND", message, {
    details: { known },
    ...(guess !== undefined && { suggestedFix: `Did you mean ${guess}?` }),
  });
}

/** A tool as its one action describes it. */
function only<T extends { readonly description: string }>(tool: T, action: string): T {
  return { ...tool, actions: [action], description: lineOf(tool.description, action) };
}

function branch(schema: JsonObject, action: string): JsonObject {
  const branches = (schema.oneOf ?? []) as readonly JsonObject[];
  return branches.find((candidate) => candidate.title === action) ?? schema;
}

function isOffered({ startOption }: { readonly startOption?: string }): boolean {
  return startOption === undefined;
}
