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
  /** `done` must grow. */
  readonly progress: (progress: Progress) => void;
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
  /** Comma-separated, in addition to name and description. */
  readonly searchWords: string;
  /** For clients with their own tool search. */
  readonly isAlwaysLoaded: boolean;
  /** Those that do not follow from the effects. */
  readonly hints: Partial<Hints>;
  readonly category: string;
  readonly profiles: readonly string[];
  readonly needs: readonly string[];
  /** The union over its actions. */
  readonly errors: readonly string[];
  readonly openWorld: boolean;
  readonly deadlineMs: number;
  readonly maxBytes: number;
  readonly goOn: string;
  readonly app?: string | undefined;
  /** True if answers may have pictures or similar. */
  readonly hasContent: boolean;
  readonly scopes: readonly string[];
  readonly facts: Facts;
  /** One for a plain tool, one per action otherwise. */
  readonly effects: readonly Effect[];
  /** Empty for a plain tool. */
  readonly actions: readonly ToolAction[];
  readonly hasParameter: (name: string) => boolean;
  /** Renames arguments, before all checks. */
  readonly readArguments?: (args: JsonObject) => JsonObject;
  /** With some of its actions. Throws for an unknown one. */
  readonly withActions: (names: readonly string[]) => Tool<Facts, Plan>;
  readonly inputSchema: (style: SchemaStyle) => JsonSchema;
  /** Undefined if actions return different shapes. */
  readonly outputSchema: () => JsonSchema | undefined;
  /** `others` are parameters handled outside the tool, for messages about unknown ones. */
  readonly parse: (args: JsonObject, others?: readonly string[]) => Outcome<ParsedCall<Plan>, string>;
}

/** As in lists and the manifest. */
export interface ToolAction {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly errors: readonly string[];
}

/** All clients support `flat`; `oneOf` has one branch per action. */
export type SchemaStyle = "flat" | "oneOf";

export interface ParsedCall<Plan = unknown> {
  readonly action: string | undefined;
  readonly effect: Effect;
  readonly input: JsonObject;
  /** Undefined if the tool declares no plan. */
  readonly plan: () => Plan | undefined;
  readonly run: (context: RunTools & object) => Promise<AnyOutcome>;
}

/** How any call may end. */
export type AnyOutcome = Success<Json, unknown> | Failed<Failure> | Asks;
