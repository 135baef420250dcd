import { ok } from "@toolpact/contract";
import { rankByWords } from "@toolpact/contract/internal";
import * as z from "zod";
import type { TuitbotTool } from "../../guards/call/tool-facts.ts";
import { writeUp } from "../../profiles.ts";
import { defineTool } from "../product.ts";

const FOUND_AT_MOST = 5;

export const findTools = defineTool({
  name: "find_tools",
  title: "Find tools",
  description:
    "Find tools that the list may not show, by task or category; switch_on puts them into the list. Every tool found can be called.",
  category: "meta",
  openWorld: false,
  // Nothing outside the list changes, and every guard stands before each tool as before.
  effect: "none",
  profiles: writeUp,
  errors: [],
  deadlineMs: Number.POSITIVE_INFINITY,
  needs: ["server"],
  input: z.strictObject({
    query: z.string().min(1).max(200).describe("Words, such as mute somebody"),
    switch_on: z.boolean().default(false).describe("true: into the list from now on"),
  }),
  output: z.object({
    tools: z.array(
      z.object({
        name: z.string(),
        category: z.string(),
        description: z.string(),
        is_listed: z.boolean(),
        input_schema: z.record(z.string(), z.unknown()),
      }),
    ),
    categories: z.array(z.string()).optional().describe("Where nothing was found"),
  }),
  handler: ({ query, switch_on }, { server: { tools, toolList } }) => {
    const found = search(tools, query);
    if (switch_on) toolList?.switchOn(found.map(({ name }) => name));
    return ok({
      tools: found.map((tool) => ({
        name: tool.name,
        category: tool.category,
        description: tool.description,
        is_listed: toolList?.isListed(tool.name) ?? true,
        input_schema: tool.inputSchema("flat"),
      })),
      ...(found.length === 0 && {
        categories: [...new Set(tools.map(({ category }) => category))].sort(),
      }),
    });
  },
});

/** A category by its name is found as a whole. */
function search(tools: readonly TuitbotTool[], query: string): readonly TuitbotTool[] {
  const ofCategory = tools.filter(({ category }) => category === query.trim());
  if (ofCategory.length > 0) return ofCategory;
  const entries = tools.map((item) => ({
    item,
    parts: [
      {
        name: `${item.name} ${item.title} ${item.category}`,
        text: [item.description, ...(item.facts.searchWords ?? [])].join(" "),
      },
    ],
  }));
  return rankByWords(entries, query)
    .slice(0, FOUND_AT_MOST)
    .map(({ item }) => item);
}
