import { nearest, type Tool } from "@toolpact/contract";
import * as z from "zod";
import { errors } from "../errors.ts";
import { allTools } from "../tools/all.ts";
import { type ProjectFacts, product } from "../tools/product.ts";

type StartOption = (tool: Tool) => string | undefined;

/** Why a name cannot be called here: its tool is off, or there is none. */
export function notOffered(name: string, startOption: StartOption) {
  const tool = allTools.get(name);
  const option = tool === undefined ? undefined : startOption(tool);
  if (option !== undefined)
    return errors.fail("E_UNSUPPORTED", `This server does not offer ${name}.`, {
      suggestedFix: `The operator can start it with ${option}, or with GODOT_MCP_TOOLSETS set to these names.`,
      fixBy: "operator",
      details: { startOption: option },
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
export function refusingTool(name: string, startOption: StartOption): Tool<ProjectFacts | undefined> {
  return product.defineTool({
    name: printable(name),
    title: "Not offered",
    describe: "Says how to get the tool that was meant.",
    category: "meta",
    openWorld: false,
    profiles: ["full"],
    needs: [],
    errors: ["E_UNSUPPORTED"],
    effect: "none",
    input: z.looseObject({}),
    output: z.never(),
    run: () => notOffered(name, startOption),
  });
}

/** A caller's own word, cut and without control characters. */
function printable(name: string): string {
  return name.replace(/[^\w.-]/g, "?").slice(0, 80);
}
