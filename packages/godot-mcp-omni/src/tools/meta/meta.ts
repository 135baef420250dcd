import { type JsonObject, nearest } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { gatesOf } from "../../config/gates.ts";
import { VERSION } from "../../config/version.ts";
import { errors } from "../../errors.ts";
import { jsonObject, list, text } from "../../shapes.ts";
import type { DescribedTool } from "../../workflow/toolbox.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";
import { count } from "../words.ts";

const toolNames = z.strictObject({ name: text, toolset: text, actions: list(text) });

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
  action: text.exactOptional(),
  describe: text,
  score: z.number(),
});

const toolHelp = toolNames.extend({
  title: text,
  description: text,
  errors: list(text),
  schema: jsonObject,
  resultSchema: jsonObject.exactOptional(),
});

export const metaTool = product.defineActionTool({
  name: "godot_meta",
  title: "About this server",
  describe: "Find the tool for a task and the exact schema of an action.",
  category: "meta",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["settings", "toolbox"],
  errors: ["E_NOT_FOUND"],
  actions: (action) => ({
    server_info: action({
      describe: "Get version, runtime, safety settings and tools.",
      effect: "none",
      errors: [],
      input: z.strictObject({}),
      output: serverInfo,
      run: (_input, { settings, toolbox }) => {
        const tools = toolbox.describe();
        return ok(
          {
            server: { name: "godot-mcp-omni", version: VERSION },
            runtime: { node: process.version, platform: process.platform },
            safety: {
              readOnly: settings.readOnly,
              ...gatesOf(settings),
            },
            tools: tools.map(({ name, toolset, actions }) => ({ name, toolset, actions })),
          },
          { summary: `godot-mcp-omni ${VERSION} with ${tools.length} tools.` },
        );
      },
    }),
    tool_search: action({
      describe: "Find tools and actions for a task.",
      effect: "none",
      errors: [],
      input: z.strictObject({ query: z.string().describe("Words: add a node"), limit: p.limit("5") }),
      output: z.strictObject({ candidates: list(candidate) }),
      run: ({ query, limit = 5 }, { toolbox }) => {
        const candidates = search(toolbox.describe(), query).slice(0, limit);
        return ok({ candidates }, { summary: `${count(candidates.length, "candidate")}.` });
      },
    }),
    tool_help: action({
      describe: "Get the exact schema, result and errors of a tool or of one action.",
      effect: "none",
      input: z.strictObject({
        tool: z.string().describe("godot_scene"),
        toolAction: z.string().optional().describe("One action: create"),
      }),
      output: toolHelp,
      run: ({ tool, toolAction }, { toolbox }) => {
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
        const { schema, result, ...described } = found;
        const resultSchema = result(toolAction);
        return ok(
          {
            ...described,
            schema: toolAction === undefined ? schema() : branch(schema(), toolAction),
            ...(resultSchema !== undefined && { resultSchema }),
          },
          {
            summary: `${tool}${toolAction === undefined ? "" : ` ${toolAction}`}: its parameters and errors.`,
          },
        );
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

function branch(schema: JsonObject, action: string): JsonObject {
  const branches = (schema.oneOf ?? []) as readonly JsonObject[];
  return branches.find((candidate) => candidate.title === action) ?? schema;
}

/** Tools and actions by how many words of the query they have in their names and descriptions. */
function search(tools: readonly DescribedTool[], query: string): readonly z.infer<typeof candidate>[] {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1);
  const score = (name: string, text: string) =>
    words.reduce((sum, word) => {
      if (name.toLowerCase().includes(word)) return sum + 3;
      return text.toLowerCase().includes(word.replace(/s$/, "")) ? sum + 1 : sum;
    }, 0);
  return tools
    .flatMap((tool) =>
      (tool.actions.length === 0 ? [undefined] : tool.actions).map((action) => {
        const text = action === undefined ? tool.description : lineOf(tool.description, action);
        return {
          tool: tool.name,
          ...(action !== undefined && { action }),
          describe: text.slice(0, 200),
          score: score(action ?? tool.name, text) + score(tool.name, tool.title) / 2,
        };
      }),
    )
    .filter((candidate) => candidate.score > 0)
    .sort((a, b) => b.score - a.score);
}

/** An action's line of the description: `- add(scene, type): Adds a node.` */
function lineOf(description: string, action: string): string {
  return (
    description
      .split("\n")
      .find((line) => line.startsWith(`- ${action}(`))
      ?.slice(2) ?? ""
  );
}
