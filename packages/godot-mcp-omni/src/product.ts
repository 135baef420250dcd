import { defineProduct, type JsonObject, type OkNotes } from "@toolpact/contract";
import type { Settings } from "./config/settings.ts";
import { errors } from "./errors.ts";
import type { Project } from "./files/project.ts";
import type { Godots } from "./godots.ts";
import { TOOLSETS } from "./toolsets.ts";

/** The other tools, for those that call or describe them. */
export interface Toolbox {
  /** The whole answer of a tool, as a client would get it. */
  readonly call: (tool: string, args: JsonObject, signal: AbortSignal) => Promise<JsonObject>;
  /** What is wrong with a call, without making it; with no arguments, whether there is such a tool. */
  readonly check: (tool: string, args?: JsonObject) => string | undefined;
  /** Whether such a call is there to change something. */
  readonly changes: (tool: string, args: JsonObject) => boolean;
  readonly describe: () => readonly DescribedTool[];
}

export interface DescribedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly toolset: string;
  readonly actions: readonly string[];
  readonly errors: readonly string[];
  /** Its input schema with one branch per action. */
  readonly schema: () => JsonObject;
}

export interface GodotServices {
  readonly project: Project;
  readonly godots: Godots;
  readonly settings: Settings;
  readonly toolbox: Toolbox;
}

/** `default` is what a client sees unless the operator asks for more; `full` is everything. */
export const product = defineProduct<GodotServices, OkNotes>()({
  errors,
  categories: TOOLSETS,
  profiles: ["default", "full"],
  services: {
    project: "E_NOT_FOUND",
    godots: "E_NOT_FOUND",
    settings: "E_INTERNAL",
    toolbox: "E_INTERNAL",
  },
});
