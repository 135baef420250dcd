import type { Tool } from "@toolpact/contract";
import { nearest } from "@toolpact/contract/internal";
import * as z from "zod";
import { errors } from "../errors.ts";
import { allTools } from "../tools/all.ts";
import { type ProjectFacts, product } from "../tools/product.ts";
import type { OfferedTools } from "./offered-tools.ts";

/** Why a name cannot be called here: its tool is off, or there is none. */
export function notOffered(name: string, offered: OfferedTools) {
  const tool = allTools.get(name);
  const startOption = tool && offered.startOption(tool);
  if (tool !== undefined && startOption !== undefined)
    return errors.fail("E_UNSUPPORTED", `This server does not offer ${name} now.`, {
      suggestedFix: offered.howToOffer({ toolset: tool.category, startOption }),
      details: { startOption },
    });
  const guess = nearest(
    name,
    allTools.tools.map((candidate) => candidate.name),
  );
  return errors.fail("E_UNSUPPORTED", `There is no tool "${printable(name)}".`, {
    suggestedFix:
      guess === undefined ? "Use godot_meta tool_search to find one." : `Did you mean \`${guess}\`?`,
  });
}

/** Stands in for a tool that cannot be called, and takes any arguments: the caller has not seen its schema. */
export function refusingTool(name: string, offered: OfferedTools): Tool<ProjectFacts | undefined> {
  return product.defineTool({
    name: printable(name),
    title: "Not offered",
    description: "Says how to get the tool that was meant.",
    category: "meta",
    openWorld: false,
    profiles: ["full"],
    needs: [],
    errors: ["E_UNSUPPORTED"],
    effect: "none",
    input: z.looseObject({}),
    output: z.never(),
    handler: () => notOffered(name, offered),
  });
}

/** A caller's own word, cut and without control characters. */
function printable(name: string): string {
  return name.replace(/[^\w.-]/g, "?").slice(0, 80);
}
