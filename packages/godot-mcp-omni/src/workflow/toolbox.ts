import type { JsonObject } from "@toolpact/contract";

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
