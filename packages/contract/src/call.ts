import type { Effect } from "./effects.ts";
import type { JsonObject } from "./json.ts";
import type { AnyOutcome, Tool } from "./tool.ts";

/** One call on its way through the guards. */
export interface Call<Extras = never> {
  /** Random, for logs and audit. */
  readonly id: string;
  readonly tool: Tool;
  readonly action: string | undefined;
  readonly effect: Effect;
  /** Arguments, parsed. */
  readonly input: JsonObject;
  readonly caller: Caller;
  readonly startedAt: number;
  readonly signal: AbortSignal;
  /** Adds to the answer's metadata what the lane's dialect allows. */
  readonly annotate: (extras: Extras) => void;
  /** Adds a line for whoever reads the answer, about something that went wrong beside the call. */
  readonly warn: (warning: string) => void;
}

/** Who calls, as far as the transport knows. */
export interface Caller {
  readonly transport: "stdio" | "http" | "cli";
  readonly client?: string;
  readonly scopes?: readonly string[];
}

/** Goes on to the next guard and, last, the tool; with another signal where the guard wants to end it itself. */
export type Next = (signal?: AbortSignal) => Promise<AnyOutcome>;

/** One step around a call: it may answer instead of the tool, and sees how the call ended. */
export interface Guard<Extras = never> {
  readonly name: string;
  /** Codes it may answer with; every tool it stands before may then answer with them. */
  readonly codes: readonly string[];
  readonly around: (call: Call<Extras>, next: Next) => Promise<AnyOutcome>;
}
