import type * as z from "zod";
import type { Asking, Asks } from "./ask.ts";
import type { Effect } from "./effects.ts";
import type { Failure } from "./errors.ts";
import type { Json, JsonObject, JsonSchema } from "./json.ts";
import type { Failed, Outcome, Success } from "./outcome.ts";

/** What every tool is given beside its arguments and the services it declared. */
export interface RunTools {
  readonly signal: AbortSignal;
  readonly ask: Asking;
  /** Tells a client that wants to know how far the work is. `done` must grow. */
  readonly progress: (progress: Progress) => void;
  /** Sends a log line to a client that asked for them. */
  readonly log: (level: LogLevel, message: string) => void;
}

/** How far the work is. */
export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

type LogLevel = "debug" | "info" | "warning" | "error";

/** The part of a declaration that tools with and without actions share. */
export interface ToolHead<Category extends string, Profile extends string, Need, Code> {
  /** 1–64 of `[a-z0-9_]`: clients prefix it and several refuse more. */
  readonly name: string;
  readonly title: string;
  /** What it does, when to use it, what to call next. */
  readonly describe: string;
  readonly category: Category;
  readonly openWorld: boolean;
  readonly profiles: readonly Profile[];
  readonly needs: readonly Need[];
  /** The codes `run` may fail with; it cannot fail with any other. */
  readonly errors: readonly Code[];
  readonly deadlineMs?: number;
  /** Most bytes of an answer; the rest is cut, and the answer says how to go on. */
  readonly maxBytes?: number;
  /** How to get what was cut, for example "Call again with `cursor`." */
  readonly goOn?: string;
  /** OAuth scopes a remote caller needs. */
  readonly scopes?: readonly string[];
}

/** A head in which nothing is left open. */
export interface SettledHead extends Required<Omit<ToolHead<string, string, string, string>, "describe">> {
  readonly description: string;
}

/** What is done, and with what: a plain tool has one of these, others one per action. */
export interface Work<Services, Code extends string, Notes, I extends z.ZodObject, O extends z.ZodType> {
  readonly effect: Effect;
  /** A strict object: an argument that is not declared is an error. */
  readonly input: I;
  readonly output: O;
  readonly run: (
    input: z.output<I>,
    context: Services & RunTools,
  ) => Awaitable<RunOutcome<z.input<O>, NoInfer<Code>, Notes>>;
}

export type RunOutcome<T, Code extends string, Notes> = Outcome<T, Failure<Code>, Notes> | Asks;

type Awaitable<T> = T | Promise<T>;

/** A declared tool as the pipeline, the manifest and the wire see it. */
export interface Tool extends SettledHead {
  /** One for a plain tool, one per action otherwise. */
  readonly effects: readonly Effect[];
  readonly actions: readonly string[];
  readonly inputSchema: (style: SchemaStyle) => JsonSchema;
  readonly outputSchema: () => JsonSchema;
  readonly parse: (args: JsonObject) => Outcome<ParsedCall, string>;
}

/** `flat` is what clients understand; `oneOf` spells out each action, and lets a root say `oneOf` and its like. */
export type SchemaStyle = "flat" | "oneOf";

/** Arguments that fit, bound to the work they ask for. */
export interface ParsedCall {
  readonly action: string | undefined;
  readonly effect: Effect;
  readonly input: JsonObject;
  readonly run: (context: RunTools & object) => Promise<AnyOutcome>;
}

/** What a call of any tool comes to: what guards see and may answer. */
export type AnyOutcome = Success<Json, unknown> | Failed<Failure> | Asks;
