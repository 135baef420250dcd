import { EFFECTS, type Tool } from "@toolpact/contract";
import { type Catalog, catalog, nearest } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result, unknownName } from "../errors.ts";
import { allTools } from "../tools/all.ts";
import { type Offered, type ProjectFacts, product, startOptionFor, TOOLSETS } from "../tools/product.ts";

interface OfferedToolsOptions {
  /** The toolsets that the operator named; otherwise the default ones. */
  readonly named: readonly string[];
  readonly isOffered: (tool: Offered) => boolean;
  readonly readOnly: boolean;
  /** Called with the currently offered tools after a toolset was enabled. */
  readonly onChange: ((isOffered: (tool: Offered) => boolean) => void) | undefined;
}

/** The tools that a server offers now: those of its start, and those of toolsets enabled since. */
export class OfferedTools {
  private readonly options: OfferedToolsOptions;
  private readonly enabled = new Set<string>();
  private tools: Catalog<ProjectFacts | undefined>;

  constructor(options: OfferedToolsOptions) {
    this.options = options;
    this.tools = this.select();
  }

  get(name: string): Tool<ProjectFacts | undefined> | undefined {
    return this.tools.get(name);
  }

  /** The start option that would offer a tool; undefined if it is offered. */
  startOption({ name, category }: Pick<Tool, "name" | "category">): string | undefined {
    return this.get(name) === undefined ? startOptionFor(category, this.options.named) : undefined;
  }

  /** Enables a toolset. Toolsets that the operator named are a limit; the default ones are not. */
  enable(toolset: string): Result<boolean, "E_NOT_FOUND" | "E_PERMISSION_DENIED"> {
    const tools = allTools.tools.filter(({ category }) => category === toolset);
    if (tools.length === 0)
      return unknownName("E_NOT_FOUND", `There is no toolset "${toolset.slice(0, 40)}".`, toolset, TOOLSETS);
    if (tools.every((tool) => this.get(tool.name) !== undefined)) return ok(false);
    const { named, readOnly } = this.options;
    const startOption = startOptionFor(toolset, named);
    if (named.length > 0)
      return errors.fail("E_PERMISSION_DENIED", `The operator chose the toolsets of this server: ${named}.`, {
        details: { startOption },
        suggestedFix: `The operator can start it with ${startOption}.`,
        fixBy: "operator",
      });
    if (readOnly && !tools.some((tool) => tool.effects.some((effect) => !EFFECTS[effect].mutates)))
      return errors.fail(
        "E_PERMISSION_DENIED",
        `This server is read-only, and everything in ${toolset} changes something.`,
        {
          details: { gate: "READ_ONLY" },
          suggestedFix: "The operator can start the server without --read-only.",
          fixBy: "operator",
        },
      );
    this.enabled.add(toolset);
    this.tools = this.select();
    this.options.onChange?.((tool) => this.offers(tool));
    return ok(true);
  }

  /** The fix for a tool that is off. */
  howToOffer({
    toolset,
    startOption,
  }: {
    readonly toolset: string;
    readonly startOption?: string | undefined;
  }): string {
    const start = `start the server with ${startOption}`;
    return this.options.named.length > 0
      ? `The operator can ${start}, or with GODOT_MCP_TOOLSETS set to these names.`
      : `Call godot_meta enable_toolset with toolset ${toolset}; or the operator can ${start}.`;
  }

  private offers(tool: Offered): boolean {
    return this.options.isOffered(tool) || this.enabled.has(tool.toolset);
  }

  private select(): Catalog<ProjectFacts | undefined> {
    return catalog(
      allTools.tools.filter(({ category, profiles }) =>
        this.offers({ toolset: category, isDefault: profiles.includes("default") }),
      ),
    );
  }
}

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

/** Replaces a tool that cannot be called. It accepts any arguments: the caller has not seen its schema. */
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

/** A name from the caller, truncated and without control characters. */
function printable(name: string): string {
  return name.replace(/[^\w.-]/g, "?").slice(0, 80);
}
