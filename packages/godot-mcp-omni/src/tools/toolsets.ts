import { ok } from "@toolpact/outcome";
import { type Result, unknownName } from "../errors.ts";

/** The toolsets that exist, each a tool. */
export const TOOLSETS = [
  "workspace",
  "scene",
  "inspector",
  "asset",
  "code",
  "project",
  "docs",
  "diagnostics",
  "batch",
  "meta",
  "editor",
  "log",
  "workflow",
  "test",
  "export",
  "recording",
  "game",
  "understand",
  "content",
] as const;

export interface Offered {
  readonly toolset: string;
  readonly isDefault: boolean;
}

/** Whether a tool is among those named: `all`, `default`, or toolsets; the default ones unless any is named. */
export function toolsetFilter(
  named: readonly string[],
): Result<(tool: Offered) => boolean, "E_SCHEMA_VALIDATION"> {
  const known: readonly string[] = ["default", "all", ...TOOLSETS];
  const stray = named.find((name) => !known.includes(name));
  if (stray !== undefined)
    return unknownName(
      "E_SCHEMA_VALIDATION",
      `There is no toolset "${stray.slice(0, 40)}": ${known.join(", ")}.`,
      stray,
      known,
    );
  const wanted = named.length === 0 ? ["default"] : named;
  return ok(
    ({ toolset, isDefault }) =>
      wanted.includes("all") || wanted.includes(toolset) || (isDefault && wanted.includes("default")),
  );
}

/** The option that offers a toolset beside those that were named at the start. */
export function startOptionFor(toolset: string, named: readonly string[]): string {
  return `--toolsets ${[...(named.length === 0 ? ["default"] : named), toolset].join(",")}`;
}
