import type { Failed, Outcome, Success } from "@toolpact/outcome";
import type { Asking, Asks } from "./ask.ts";
import type { Caller } from "./call.ts";
import type { Effect, Hints } from "./effects.ts";
import type { Failure } from "./errors.ts";
import type { Json, JsonObject, JsonSchema } from "./json.ts";

/** Passed to every tool along with its arguments and the services it declared. */
export interface RunTools {
  readonly signal: AbortSignal;
  readonly ask: Asking;
  readonly caller: Caller;
  /** Reports progress to a client that asked for it. `done` must grow. */
  readonly progress: (progress: Progress) => void;
  /** Sends a log line to a client that asked for them. */
  readonly log: (level: LogLevel, message: string) => void;
}

/** How much of the work is done. */
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
  /** How people ask for it, comma-separated, beyond its name and description. */
  readonly searchWords: string;
  /** True if clients that search long lists themselves should not leave it out at first. */
  readonly isAlwaysLoaded: boolean;
  /** Hints that do not follow from the effects. */
  readonly hints: Partial<Hints>;
  readonly category: string;
  readonly profiles: readonly string[];
  readonly needs: readonly string[];
  /** Every code that the tool itself may fail with: the union over its actions. */
  readonly errors: readonly string[];
  readonly openWorld: boolean;
  readonly deadlineMs: number;
  readonly maxBytes: number;
  readonly goOn: string;
  readonly app?: string | undefined;
  /** Whether answers may have more content than the envelope, such as pictures. */
  readonly hasContent: boolean;
  readonly scopes: readonly string[];
  /** The product's facts about this tool. */
  readonly facts: Facts;
  /** One for a plain tool, one per action otherwise. */
  readonly effects: readonly Effect[];
  /** Empty for a plain tool. */
  readonly actions: readonly ToolAction[];
  readonly hasParameter: (name: string) => boolean;
  /** Returns arguments under the names of the tool's parameters, if it accepts other names too. Runs before all checks. */
  readonly readArguments?: (args: JsonObject) => JsonObject;
  /** The tool with only some of its actions. Throws where one of them does not exist. */
  readonly withActions: (names: readonly string[]) => Tool<Facts, Plan>;
  readonly inputSchema: (style: SchemaStyle) => JsonSchema;
  /** The schema of every value it answers with; undefined where its actions answer with different shapes. */
  readonly outputSchema: () => JsonSchema | undefined;
  /** `others` are parameters that somebody else takes beside the tool: a message about an unknown one names them too. */
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

/** `flat` is what clients understand; `oneOf` has one branch per action, and allows `oneOf` and the like at the root. */
export type SchemaStyle = "flat" | "oneOf";

/** Arguments that fit the schema, bound to the function that takes them. */
export interface ParsedCall<Plan = unknown> {
  readonly action: string | undefined;
  readonly effect: Effect;
  readonly input: JsonObject;
  /** The planned effect of the call; undefined if its tool declares no plan. */
  readonly plan: () => Plan | undefined;
  readonly run: (context: RunTools & object) => Promise<AnyOutcome>;
}

/** How a call of any tool may end: what guards see and may answer. */
export type AnyOutcome = Success<Json, unknown> | Failed<Failure> | Asks;
