import type { Failure, JsonObject, Outcome, Skill } from "@toolpact/contract";
import type { OkNotes } from "@toolpact/contract/internal";
import type { GodotCode, Result } from "../errors.ts";

/** Access to the other tools, for tools that call or describe them. */
export interface Toolbox extends ToolCalls {
  /** Every tool, including those that this server does not offer. */
  readonly describe: () => readonly DescribedTool[];
  /** Makes a read-only call; one that changes something is refused. */
  readonly read: (
    tool: string,
    args: JsonObject,
    signal: AbortSignal,
  ) => Promise<Outcome<JsonObject, Failure<GodotCode>, OkNotes>>;
  /** The functions that the project offers as tools. */
  readonly own: () => Promise<readonly OwnToolLine[]>;
  /** Guides for whole tasks. */
  readonly skills: readonly Skill[];
  /** Enables a toolset, within the operator's limits; returns whether it was off. */
  readonly enable: (toolset: string) => Result<boolean, "E_NOT_FOUND" | "E_PERMISSION_DENIED">;
  /** How to get a tool with a start option. */
  readonly howToOffer: (tool: Pick<DescribedTool, "toolset" | "startOption">) => string;
}

/** The interface of a workflow to the other tools. */
export interface ToolCalls {
  /** Calls a tool and returns its whole answer, as a client would get it. */
  readonly call: (tool: string, args: JsonObject, signal: AbortSignal) => Promise<JsonObject>;
  /** Checks a call without making it; without arguments, only whether the tool exists. */
  readonly check: (tool: string, args?: JsonObject) => string | undefined;
  /** Whether the call changes something. */
  readonly changes: (tool: string, args: JsonObject) => boolean;
}

/** A function of the project, for searches. */
export interface OwnToolLine {
  readonly tool: string;
  readonly signature: string;
  readonly description: string;
}

export interface DescribedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly toolset: string;
  readonly actions: readonly string[];
  readonly errors: readonly string[];
  /** The start option that would offer it; undefined if this server offers it. */
  readonly startOption?: string;
  /** Its input schema with one branch per action. */
  readonly schema: () => JsonObject;
  /** The schema of its results, or of one action's; undefined if actions return different shapes. */
  readonly result: (action?: string) => JsonObject | undefined;
}
