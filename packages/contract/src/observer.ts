import type { Caller } from "./call.ts";
import type { Effect } from "./effects.ts";
import type { JsonObject } from "./json.ts";
import type { AnyOutcome, Tool } from "./tool.ts";

/** Called for every call when it has ended: bad arguments, a guard, the tool, or a bug. */
export interface Observer<Facts = unknown, Plan = unknown, Context = object, Annotations = object> {
  readonly name: string;
  /** Awaited before the answer is rendered: it can still add a warning. */
  readonly ended: (call: EndedCall<Facts, Plan, Context, Annotations>) => Promise<void> | void;
  /** After `ended`, if a guard such as the deadline answered first: now the later guards and the tool have ended. */
  readonly endedLate?: (call: EndedCall<Facts, Plan, Context, Annotations>) => Promise<void> | void;
}

/** One call and how it ended. */
export interface EndedCall<Facts = unknown, Plan = unknown, Context = object, Annotations = object> {
  readonly id: string;
  readonly tool: Tool<Facts, Plan>;
  readonly action: string | undefined;
  /** Undefined if the arguments were invalid. */
  readonly effect: Effect | undefined;
  /** The arguments: parsed, raw if invalid, or empty if too large to inspect. */
  readonly input: JsonObject;
  /** The planned effect of the call, if its arguments fit and its tool declares a plan. */
  readonly plan: () => Plan | undefined;
  readonly caller: Caller;
  readonly startedAt: number;
  readonly elapsedMs: number;
  /** The outcome sent to the caller, or one that came too late; a bug is the product's internal failure. */
  readonly outcome: AnyOutcome;
  /** The error, if a bug ended the call. */
  readonly bug?: unknown;
  /** The context that guards had added when the call ended. */
  readonly context: Context;
  /** Metadata that guards added to the answer. */
  readonly annotations: Annotations;
  /** Adds a warning to the answer about a side problem. */
  readonly warn: (warning: string) => void;
}
