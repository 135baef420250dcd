import type { DefineAction as DefineActionOf } from "@toolpact/contract";
import { defineProduct, type OkNotes } from "@toolpact/contract/internal";
import type { Settings } from "../config/settings.ts";
import { errors, type GodotCode } from "../errors.ts";
import type { Project } from "../project/project.ts";
import type { Toolbox } from "../workflow/toolbox.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { TOOLSETS } from "./toolsets.ts";

export interface GodotServices {
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

/** `default` is what a client sees unless the operator asks for more; `full` is everything. */
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
