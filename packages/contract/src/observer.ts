import type { Caller } from "./call.ts";
import type { Effect } from "./effects.ts";
import type { JsonObject } from "./json.ts";
import type { AnyOutcome, Tool } from "./tool.ts";

/** Called at the end of every call, even a rejected one. */
export interface Observer<Facts = unknown, Plan = unknown, Context = object, Annotations = object> {
  readonly name: string;
  /** Awaited before rendering: it can still add a warning. */
  readonly ended: (call: EndedCall<Facts, Plan, Context, Annotations>) => Promise<void> | void;
  /** Called later if a guard such as the deadline answered first. */
  readonly endedLate?: (call: EndedCall<Facts, Plan, Context, Annotations>) => Promise<void> | void;
}

/** One call and how it ended. */
export interface EndedCall<Facts = unknown, Plan = unknown, Context = object, Annotations = object> {
  readonly id: string;
  readonly tool: Tool<Facts, Plan>;
  readonly action: string | undefined;
  /** Undefined for invalid arguments. */
  readonly effect: Effect | undefined;
  /** Parsed; raw if invalid; empty if too large to inspect. */
  readonly input: JsonObject;
  /** Undefined for invalid arguments or tools without a plan. */
  readonly plan: () => Plan | undefined;
  readonly caller: Caller;
  readonly startedAt: number;
  readonly elapsedMs: number;
  /** As sent, or too late; a bug is the product's internal failure. */
  readonly outcome: AnyOutcome;
  readonly bug?: unknown;
  /** Added by guards before the end. */
  readonly context: Context;
  readonly annotations: Annotations;
  readonly warn: (warning: string) => void;
}
