import { nearest } from "@toolpact/contract";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { ToolFacts } from "../plan.ts";

/** A tool as far as its names go. */
export interface NamedTool {
  readonly name: string;
  readonly facts?: unknown;
}

/** The one name of a tool: as it is called, or by a name that older configurations use. */
export function canonicalTool(name: string, known: readonly NamedTool[]): Outcome<string, string> {
  const found =
    known.find((tool) => tool.name === name) ??
    known.find((tool) => tool.name === `x_${name}` || olderNamesOf(tool).includes(name));
  if (found !== undefined) return ok(found.name);
  const guess = nearest(
    name,
    known.map((tool) => tool.name),
  );
  return failed(
    `names no tool: ${JSON.stringify(name)}.${guess === undefined ? "" : ` Did you mean ${guess}?`}`,
  );
}

function olderNamesOf({ facts }: NamedTool): readonly string[] {
  // The facts of this product's tools.
  return (facts as ToolFacts | undefined)?.olderNames ?? [];
}
