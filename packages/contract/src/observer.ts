import type { Caller } from "./call.ts";
import type { Effect } from "./effects.ts";
import type { JsonObject } from "./json.ts";
import type { AnyOutcome, Tool } from "./tool.ts";

/** Sees every call when it has ended, whatever ended it: bad arguments, a guard, the tool, or a bug. */
export interface Observer<Facts = unknown, Plan = unknown, Context = object, Annotations = object> {
  readonly name: string;
  /** Awaited before the answer is rendered, so that it can still add a warning. */
  readonly ended: (call: EndedCall<Facts, Plan, Context, Annotations>) => Promise<void> | void;
  /** After `ended`, where a guard such as the deadline answered first: the guards behind it and the tool have ended too. */
  readonly endedLate?: (call: EndedCall<Facts, Plan, Context, Annotations>) => Promise<void> | void;
}

/** One call and how it ended. */
export interface EndedCall<Facts = unknown, Plan = unknown, Context = object, Annotations = object> {
  readonly id: string;
  readonly tool: Tool<Facts, Plan>;
  readonly action: string | undefined;
  /** Undefined where the arguments did not fit. */
  readonly effect: Effect | undefined;
  /** The arguments: parsed, or as they came where they did not fit; empty where they were too large to look at. */
  readonly input: JsonObject;
  /** The planned effect of the call, if its arguments fit and its tool declares a plan. */
  readonly plan: () => Plan | undefined;
  readonly caller: Caller;
  readonly startedAt: number;
  readonly elapsedMs: number;
  /** The outcome that the caller gets, or that came too late; a bug is the product's internal failure. */
  readonly outcome: AnyOutcome;
  /** The error, if a bug ended the call. */
  readonly bug?: unknown;
  /** The context that guards had added when the call ended. */
  readonly context: Context;
  /** Metadata that guards added to the answer. */
  readonly annotations: Annotations;
  /** Adds a line to the answer about something that went wrong beside the call. */
  readonly warn: (warning: string) => void;
}
