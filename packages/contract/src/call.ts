import type { Failed } from "@toolpact/outcome";
import type { Asking } from "./ask.ts";
import type { Effect } from "./effects.ts";
import type { AnyErrorSet, Failure } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import type { AnyOutcome, RunTools, Tool } from "./tool.ts";

/** A call, as guards see it. */
export interface Call<Facts = unknown, Plan = unknown, Annotations = never, Context = object> {
  readonly id: string;
  readonly tool: Tool<Facts, Plan>;
  readonly action: string | undefined;
  readonly effect: Effect;
  readonly input: JsonObject;
  /** The planned effect; undefined if the tool declares no plan. */
  readonly plan: () => Plan | undefined;
  readonly caller: Caller;
  readonly ask: Asking;
  /** Reports progress to a client that asked for it. `done` must grow. */
  readonly progress: RunTools["progress"];
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly context: Context;
  readonly errors: AnyErrorSet;
  readonly annotate: (annotations: Annotations) => void;
  /** Adds a warning to the answer about a side problem. */
  readonly warn: (warning: string) => void;
  /** Set by a guard that answers while `next` still runs. Observers are notified of its end later. */
  readonly answersBefore: (rest: Promise<AnyOutcome>) => void;
}

/** The caller, as far as the transport can identify it. */
export interface Caller {
  /** `cli` and `web` are used by people, in a terminal or on a page of the server. */
  readonly transport: "stdio" | "http" | "cli" | "web";
  /** The protocol era of an MCP client: from 2026-07-28 on, or older. */
  readonly era?: "legacy" | "modern";
  readonly client?: string;
  /** Workspace folders, if the client sends them with the call. */
  readonly workspaces?: readonly string[];
  /** Verified issuer, subject and OAuth client; `token` if all callers share one token; undefined without tokens. */
  readonly principal?: string;
  readonly scopes?: readonly string[];
}

/** A step around a call. It may answer instead of the tool, and sees the outcome. */
export interface Guard<
  Facts = unknown,
  Plan = unknown,
  Annotations = never,
  Dependencies = object,
  Requires = object,
  Adds = object,
  Code extends string = string,
> {
  readonly name: string;
  /** Marks the guards whose position is checked when a stack is bound. */
  readonly kind?: "protect" | "deadline";
  /** The codes it may return for this tool. */
  readonly codes: (tool: Tool<Facts, Plan>, errors: AnyErrorSet) => readonly Code[];
  readonly run: (
    call: Call<Facts, Plan, Annotations, Requires>,
    next: Next<Adds>,
    dependencies: Dependencies,
  ) => Promise<AnyOutcome>;
}

/** Runs the next guard and finally the tool, with more context. `signal` replaces theirs. */
export type Next<Adds = object> = (...more: NextArguments<Adds>) => Promise<AnyOutcome>;

type NextArguments<Adds> = object extends Adds
  ? [more?: { readonly context?: Adds; readonly signal?: AbortSignal }]
  : [more: { readonly context: Adds; readonly signal?: AbortSignal }];

/** The types of a guard, each of which may be left out. */
export interface GuardTypes {
  /** Dependencies on the process, provided once when its stack is bound. */
  readonly dependencies: object;
  readonly requires: object;
  readonly adds: object;
}

export type GuardOf<Facts, Plan, Annotations, Given extends Partial<GuardTypes>, Code extends string> = Guard<
  Facts,
  Plan,
  Annotations,
  Part<Given, "dependencies">,
  Part<Given, "requires">,
  Part<Given, "adds">,
  Code
>;

/** A guard's definition. Its failures may only use its declared codes. */
export type GuardDefinition<
  Facts,
  Plan,
  Annotations,
  Given extends Partial<GuardTypes>,
  Code extends string,
> = Omit<GuardOf<Facts, Plan, Annotations, Given, Code>, "run"> & {
  readonly run: (
    call: Call<Facts, Plan, Annotations, Part<Given, "requires">>,
    next: (...more: NextArguments<Part<Given, "adds">>) => Promise<PassedOutcome>,
    dependencies: Part<Given, "dependencies">,
  ) => Promise<GuardOutcome<Code>>;
};

/** An outcome of later guards or the tool, with any code of the product. */
export type PassedOutcome = AnyOutcome & { readonly [isPassed]: true };
declare const isPassed: unique symbol;

/** A guard's answer: a failure with one of its codes, or the outcome of `next`. */
export type GuardOutcome<Code extends string> =
  | Extract<AnyOutcome, { readonly ok: true | null }>
  | Failed<Failure<Code>>
  | PassedOutcome;

type Part<Given, Name extends keyof GuardTypes> = Given extends {
  readonly [N in Name]: infer Type extends object;
}
  ? Type
  : object;

/**
 * A guard for any product with its codes (the second type argument). A guard that uses a product's facts,
 * plans or annotations is made with `product.guard`.
 *
 * ```ts
 * const officeHours = guard<{ dependencies: { clock: Clock } }, "denied">({
 *   name: "office hours",
 *   codes: () => ["denied"],
 *   run: async (call, next, { clock }) => {
 *     if (EFFECTS[call.effect].mutates && new Date(clock.now()).getHours() < 8)
 *       return failed({ code: "denied", message: "Nothing is changed before eight." });
 *     return next();
 *   },
 * });
 * ```
 */
export function guard<Given extends Partial<GuardTypes> = object, const Code extends string = never>(
  definition: GuardDefinition<unknown, unknown, never, Given, Code>,
): GuardOf<unknown, unknown, never, Given, Code> {
  return sealed(definition);
}

/** A guard with its types erased, as stacks run it. */
export function sealed<F, P, A, Given extends Partial<GuardTypes>, Code extends string>(
  definition: GuardDefinition<F, P, A, Given, Code>,
): GuardOf<F, P, A, Given, Code> {
  // The mark on outcomes of `next` exists only in the type system.
  return definition as unknown as GuardOf<F, P, A, Given, Code>;
}
