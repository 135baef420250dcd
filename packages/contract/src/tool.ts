import type { Failed, Outcome, Success } from "@toolpact/outcome";
import type { Asking, Asks } from "./ask.ts";
import type { Caller } from "./call.ts";
import type { Effect, Hints } from "./effects.ts";
import type { Failure } from "./errors.ts";
import type { Json, JsonObject, JsonSchema } from "./json.ts";

/** Passed to every tool along with its arguments and services. */
export interface RunTools {
  readonly signal: AbortSignal;
  readonly ask: Asking;
  readonly caller: Caller;
  /** Reports progress to a client that asked for it. `done` must grow. */
  readonly progress: (progress: Progress) => void;
  /** Sends a log line to a client that asked for them. */
  readonly log: (level: LogLevel, message: string) => void;
}

/** The progress of the work. */
export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

type LogLevel = "debug" | "info" | "warning" | "error";

/** A declared tool as the pipeline, the manifest and the wire see it. */
export interface Tool<Facts = unknown, Plan = unknown> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Search phrases, comma-separated, in addition to name and description. */
  readonly searchWords: string;
  /** True if clients with their own tool search should always load it. */
  readonly isAlwaysLoaded: boolean;
  /** Hints that do not follow from the effects. */
  readonly hints: Partial<Hints>;
  readonly category: string;
  readonly profiles: readonly string[];
  readonly needs: readonly string[];
  /** Every code the tool itself may fail with: the union over its actions. */
  readonly errors: readonly string[];
  readonly openWorld: boolean;
  readonly deadlineMs: number;
  readonly maxBytes: number;
  readonly goOn: string;
  readonly app?: string | undefined;
  /** True if answers may have more content than the envelope, such as pictures. */
  readonly hasContent: boolean;
  readonly scopes: readonly string[];
  /** The product's facts about this tool. */
  readonly facts: Facts;
  /** One for a plain tool, one per action otherwise. */
  readonly effects: readonly Effect[];
  /** Empty for a plain tool. */
  readonly actions: readonly ToolAction[];
  readonly hasParameter: (name: string) => boolean;
  /** Renames arguments, if the tool accepts other names too. Runs before all checks. */
  readonly readArguments?: (args: JsonObject) => JsonObject;
  /** The tool with only some of its actions. Throws for an unknown one. */
  readonly withActions: (names: readonly string[]) => Tool<Facts, Plan>;
  readonly inputSchema: (style: SchemaStyle) => JsonSchema;
  /** The schema of all its values; undefined if its actions return different shapes. */
  readonly outputSchema: () => JsonSchema | undefined;
  /** `others` are parameters handled outside the tool: a message about an unknown one lists them too. */
  readonly parse: (args: JsonObject, others?: readonly string[]) => Outcome<ParsedCall<Plan>, string>;
}

/** One action of a tool, as lists and the manifest show it. */
export interface ToolAction {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  /** The codes that this action may fail with. */
  readonly errors: readonly string[];
}

/** All clients support `flat`; `oneOf` has one branch per action, and allows combinators at the root. */
export type SchemaStyle = "flat" | "oneOf";

/** Valid arguments, bound to the handler. */
export interface ParsedCall<Plan = unknown> {
  readonly action: string | undefined;
  readonly effect: Effect;
  readonly input: JsonObject;
  /** The planned effect of the call; undefined if its tool declares no plan. */
  readonly plan: () => Plan | undefined;
  readonly run: (context: RunTools & object) => Promise<AnyOutcome>;
}

/** How a call of any tool may end, as guards see and return it. */
export type AnyOutcome = Success<Json, unknown> | Failed<Failure> | Asks;
