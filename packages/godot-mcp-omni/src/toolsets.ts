import type { Catalog, Failure } from "@toolpact/contract";
import { type Outcome, ok } from "@toolpact/contract/outcome";
import { errors } from "./errors.ts";
import { unknown } from "./files/node-names.ts";
import { TOOLSETS } from "./product.ts";

/** The tools that `--toolsets` names: `all`, `default`, or toolsets; the default ones unless any is named. */
export function chosenTools(
  tools: Catalog,
  toolsets: readonly string[],
): Outcome<Catalog, Failure<"E_SCHEMA_VALIDATION">> {
  if (toolsets.length === 0) return ok(tools.select({ profile: "default" }));
  const names = new Set<string>();
  for (const name of toolsets) {
    if (name === "all") for (const known of TOOLSETS) names.add(known);
    else if (name === "default")
      for (const tool of tools.select({ profile: "default" }).tools) names.add(tool.category);
    else if (TOOLSETS.some((known) => known === name)) names.add(name);
    else
      return unknown(
        "E_SCHEMA_VALIDATION",
        `There is no toolset "${name.slice(0, 40)}": ${["default", "all", ...TOOLSETS].join(", ")}.`,
        name,
        ["default", "all", ...TOOLSETS],
      );
  }
  if (names.size === 0) return errors.fail("E_SCHEMA_VALIDATION", "No toolset is named.");
  return ok(tools.select({ toolsets: [...names] }));
}
