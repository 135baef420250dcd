import { type JsonObject, ok } from "@toolpact/contract";
import type { Access } from "@toolpact/x-api";
import * as z from "zod";
import { actionOf, type TuitbotTool } from "../../guards/call/tool-facts.ts";
import { writeUp } from "../../profiles.ts";
import { refusedByX } from "../../x/toolkit/preflight.ts";
import { defineTool } from "../product.ts";
import { guideSearch, toolSearch } from "../tool-search.ts";

const MAX_FOUND = 5;
/** With the envelope. */
const MAX_BYTES = 1_500;
const ENVELOPE_BYTES = 250;
const MAX_LINE = 130;

const FIND_TOOLS = "find_tools";

export const findTools = defineTool({
  name: FIND_TOOLS,
  title: "Find tools",
  description:
    'Find a tool by what you want to do ("add people to a list"), by category or by exact name. Use it for anything the list does not show, such as mute, block, lists, messages, ads or Spaces.',
  category: "meta",
  isAlwaysLoaded: true,
  openWorld: false,
  // Only the list changes; each tool keeps its guards.
  effect: "none",
  profiles: writeUp,
  errors: [],
  deadlineMs: Number.POSITIVE_INFINITY,
  needs: ["server"],
  input: z.strictObject({
    query: z.string().min(1).max(200).describe("A task in English, German or Spanish, a category or a name"),
    switch_on: z.boolean().default(true).describe("false: leave the list of tools as it is"),
  }),
  output: z.object({
    tools: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        arguments: z.string().optional().describe("Optional ones have a question mark"),
        input_schema: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
    more: z.number().optional().describe("Further tools of the category"),
    not_possible: z.array(z.object({ name: z.string(), why: z.string() })).optional(),
    guides: z
      .array(z.object({ name: z.string(), description: z.string(), text: z.string().optional() }))
      .optional()
      .describe("Skills and prompts for the task; an exact name returns the text of a skill"),
    categories: z.array(z.string()).optional().describe("If nothing was found"),
  }),
  handler: async ({ query, switch_on }, { server }) => {
    const { tools, access, toolList } = server;
    const guides = server.guides?.() ?? [];
    const others = tools.filter(({ name }) => name !== FIND_TOOLS);
    const name = nameOf(query);
    const found = search(others, query);
    const possible = found.filter((tool) => whyNot(tool, access) === undefined);
    const isCategory = found.length > 0 && found.every(({ category }) => sameWord(category, name));
    const best = isCategory ? possible : possible.slice(0, MAX_FOUND);
    const notPossible = found.slice(0, 3).flatMap((tool) => {
      const why = whyNot(tool, access);
      return why === undefined ? [] : [{ name: tool.name, why }];
    });
    const guide = guides.find((one) => nameOf(one.name) === name);
    const near = guide === undefined ? guideSearch(guides)(query).slice(0, 2) : [];
    const rest = {
      ...(notPossible.length > 0 && { not_possible: notPossible }),
      ...(guide !== undefined && { guides: [guide] }),
      ...(near.length > 0 && {
        guides: near.map(({ name, description }) => ({ name, description: firstLine(description, 90) })),
      }),
      ...(found.length === 0 &&
        guide === undefined && { categories: [...new Set(others.map(({ category }) => category))].sort() }),
    };
    // A guide's text comes whole.
    const left = MAX_BYTES - ENVELOPE_BYTES - (guide === undefined ? bytesOf(rest) : 0);
    const shown =
      best.length === 1 ? best.map(wholeTool) : fitting(best.map(isCategory ? toolName : toolLine), left);
    if (switch_on) await toolList?.switchOn(shown.map((tool) => tool.name));
    return ok({
      tools: shown,
      ...(shown.length < best.length && { more: best.length - shown.length }),
      ...rest,
    });
  },
});

/** An exact tool or category name finds only that. */
function search(tools: readonly TuitbotTool[], query: string): readonly TuitbotTool[] {
  const name = nameOf(query);
  const named = tools.find((tool) => tool.name === name || tool.name === `x_${name}`);
  if (named !== undefined) return [named];
  const found = toolSearch(tools)(query);
  const ofCategory = tools.filter(({ category }) => sameWord(category, name));
  if (ofCategory.length === 0) return found;
  return [
    ...found.filter((tool) => ofCategory.includes(tool)),
    ...ofCategory.filter((tool) => !found.includes(tool)),
  ];
}

/** "Direct messages" and "direct-message" are direct_message. */
function nameOf(query: string): string {
  return query
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
}

function sameWord(category: string, name: string): boolean {
  return name === category || name === `${category}s` || `${name}s` === category;
}

/** Why it fails with any arguments. */
function whyNot({ facts, description }: TuitbotTool, access: Access): string | undefined {
  const action = actionOf(facts);
  const refused = action && refusedByX(action, access);
  if (refused !== undefined) return refused.failure.message.replace(/ Nothing was sent\.$/, "");
  return facts.alwaysFails ? description : undefined;
}

function toolName({ name, title }: TuitbotTool) {
  return { name, description: title };
}

function toolLine(tool: TuitbotTool) {
  return {
    name: tool.name,
    description: firstLine(tool.description, MAX_LINE),
    arguments: argumentsOf(tool.inputSchema("flat")),
  };
}

function wholeTool(tool: TuitbotTool) {
  return { name: tool.name, description: tool.description, input_schema: tool.inputSchema("flat") };
}

function argumentsOf({ properties = {}, required = [] }: JsonObject): string {
  // An object's properties are an object, the required ones a list.
  const needed = required as readonly string[];
  return Object.keys(properties as JsonObject)
    .map((name) => (needed.includes(name) ? name : `${name}?`))
    .join(", ");
}

/** Whole sentences, or the beginning of the first. */
function firstLine(text: string, most: number): string {
  const sentences = text.match(/[^.]+\.(?: |$)/g) ?? [text];
  let line = "";
  for (const sentence of sentences) {
    if (line.length + sentence.trimEnd().length > most) break;
    line += sentence;
  }
  return line === "" ? `${text.slice(0, most - 1)}…` : line.trimEnd();
}

function fitting<T>(entries: readonly T[], maxBytes: number): T[] {
  let bytes = 0;
  return entries.filter((entry) => {
    bytes += bytesOf(entry) + 1;
    return bytes <= maxBytes;
  });
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
