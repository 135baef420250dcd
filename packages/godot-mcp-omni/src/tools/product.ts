import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DefineAction as DefineActionOf, Failure, Outcome } from "@toolpact/contract";
import { defineProduct, type OkNotes } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import type { Settings } from "../config/settings.ts";
import type { DriverAnswer } from "../drivers/ask.ts";
import { errors, type GodotCode, type ReplyCode, type Result, unknownName } from "../errors.ts";
import type { Driver } from "../operations/driver.ts";
import type { FileCode, Project } from "../project/project.ts";
import type { PathCode, ProjectPath } from "../project/project-path.ts";
import type { Toolbox } from "../workflow/toolbox.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** The error codes of actions, by the resources they use. */

/** A path from the caller. */
export const PATH = ["E_PERMISSION_DENIED", "E_SCHEMA_VALIDATION"] as const satisfies readonly PathCode[];

/** A folder that is listed. */
export const FOLDER = [...PATH, "E_NOT_FOUND"] as const;

export type FolderCode = (typeof FOLDER)[number];

/** A file that is read. */
export const READ = [...FOLDER, "E_UNSUPPORTED"] as const satisfies readonly FileCode[];

/** A file that is written, when its turn comes. */
export const WRITE = [...PATH, "E_INTERNAL", "E_TIMEOUT"] as const;

export type WriteCode = (typeof WRITE)[number];

/** A file that is read and then written. */
export const EDIT = [...WRITE, "E_NOT_FOUND", "E_UNSUPPORTED"] as const;

export type EditCode = (typeof EDIT)[number];

/** A running Godot, without a path from the caller. */
export const REPLY = [
  "E_INTERNAL",
  "E_NOT_CONNECTED",
  "E_NOT_FOUND",
  "E_SCHEMA_VALIDATION",
  "E_TIMEOUT",
  "E_UNSUPPORTED",
] as const satisfies readonly ReplyCode[];

/** Files and Godot. */
export const ANY_CODE = [...REPLY, "E_PERMISSION_DENIED"] as const satisfies readonly GodotCode[];

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

/**
 * Whether a tool is among the named ones: `all`, `default`, or toolsets. By default, the default toolsets, and the
 * one that calls the project's own tools, if this folder has some.
 */
export function toolsetFilter(
  named: readonly string[],
  root?: string,
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
  const ownTools = root !== undefined && existsSync(join(root, "mcp_tools")) ? ["workflow"] : [];
  const wanted = named.length === 0 ? ["default", ...ownTools] : named;
  return ok(
    ({ toolset, isDefault }) =>
      wanted.includes("all") || wanted.includes(toolset) || (isDefault && wanted.includes("default")),
  );
}

/** The option that offers a toolset in addition to those named at the start. */
export function startOptionFor(toolset: string, named: readonly string[]): string {
  return `--toolsets ${[...(named.length === 0 ? ["default"] : named), toolset].join(",")}`;
}

interface GodotServices {
  readonly project: Project;
  readonly workspace: Workspace;
  readonly settings: Settings;
  readonly toolbox: Toolbox;
}

/** Facts about the actions of a tool that works on a project. */
export interface ProjectFacts {
  /** Actions that are allowed before there is a project. */
  readonly beforeProject?: readonly string[];
  /** Actions that are allowed after project.godot was undone. */
  readonly afterUndo?: readonly string[];
}

/** `default` is the set that clients see unless the operator asks for more; `full` is everything. */
export const product = defineProduct<{
  services: GodotServices;
  notes: OkNotes;
  facts: ProjectFacts | undefined;
}>()({
  errors,
  categories: TOOLSETS,
  profiles: ["default", "full"],
  services: {
    project: "E_NOT_FOUND",
    workspace: "E_NOT_FOUND",
    settings: "E_INTERNAL",
    toolbox: "E_INTERNAL",
  },
});

/** Declares an action, for actions of one tool that are declared in several files. */
export type DefineAction<Need extends keyof GodotServices> = DefineActionOf<
  Pick<GodotServices, Need>,
  GodotCode,
  GodotCode,
  OkNotes,
  unknown
>;

export type ToolAnswer<T extends object, Code extends GodotCode = GodotCode> = Outcome<
  T,
  Failure<Code>,
  OkNotes
>;

/** The driver that answered, for the notes of an answer. */
export function executedBy({ mode, version }: Driver): NonNullable<OkNotes["execution"]> {
  return { mode, ...(version !== undefined && { godot: version }) };
}

/** Adds a summary to the answer of a driver. */
export function answerOf<T extends object, Code extends GodotCode>(
  read: Result<DriverAnswer<T>, Code>,
  summary: (value: T) => string,
): ToolAnswer<T, Code> {
  if (!read.ok) return read;
  const { value, mode, warnings } = read.value;
  return ok(value, {
    summary: summary(value),
    execution: { mode },
    ...(warnings.length > 0 && { warnings }),
  });
}

/** The notes of an edit: the driver that did it, the file it changed, and its warnings. */
export function editNotes(
  kind: string,
  { absolute, res }: Pick<ProjectPath, "absolute" | "res">,
  { driver, warnings, bytes }: { driver: Driver; warnings: readonly string[]; bytes?: number },
): Pick<OkNotes, "execution" | "files" | "warnings"> {
  return {
    execution: executedBy(driver),
    files: [{ kind, pathAbs: absolute, resPath: res, ...(bytes !== undefined && { bytes }) }],
    ...(warnings.length > 0 && { warnings }),
  };
}

/** The last lines of a run's output, for the notes of an answer. */
export function logsOf(lines: readonly string[]): Pick<OkNotes, "logs"> {
  return lines.length === 0 ? {} : { logs: lines.slice(-MAX_LOGS) };
}

const MAX_LOGS = 20;

/** `1 node`, `2 nodes` */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}
