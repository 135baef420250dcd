import type { Failed } from "@toolpact/outcome";
import type { Asking } from "./ask.ts";
import type { Effect } from "./effects.ts";
import type { AnyErrorSet, Failure } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import type { AnyOutcome, RunTools, Tool } from "./tool.ts";

/** A call as passed to guards. */
export interface Call<Facts = unknown, Plan = unknown, Annotations = never, Context = object> {
  /** Random, for logs and audit. */
  readonly id: string;
  readonly tool: Tool<Facts, Plan>;
  readonly action: string | undefined;
  readonly effect: Effect;
  /** Parsed arguments. */
  readonly input: JsonObject;
  /** The planned effect of the call; undefined if its tool declares no plan. */
  readonly plan: () => Plan | undefined;
  readonly caller: Caller;
  readonly ask: Asking;
  /** Reports progress to a client that asked for it. `done` must grow. */
  readonly progress: RunTools["progress"];
  readonly startedAt: number;
  readonly signal: AbortSignal;
  /** The context added by earlier guards. */
  readonly context: Context;
  /** The errors of the product. */
  readonly errors: AnyErrorSet;
  /** Adds to the metadata of the answer. */
  readonly annotate: (annotations: Annotations) => void;
  /** Adds a warning to the answer about a side problem. */
  readonly warn: (warning: string) => void;
  /** For a guard that answers while `next` still runs: observers are notified later how that ended. */
  readonly answersBefore: (rest: Promise<AnyOutcome>) => void;
}

/** The caller, as far as the transport can identify it. */
export interface Caller {
  /** `cli` and `web`: a person, at the terminal or at a page of the server. */
  readonly transport: "stdio" | "http" | "cli" | "web";
  /** The protocol era of an MCP client: from 2026-07-28 on, or older. */
  readonly era?: "legacy" | "modern";
  /** The name of the client, for logs. */
  readonly client?: string;
  /** The user's workspace folders, if the client sends them with the call. */
  readonly workspaces?: readonly string[];
  /**
   * The verified identity of the token: issuer, subject and OAuth client; or `token` if all callers
   * share a server's only token. Undefined if no token is required.
   */
  readonly principal?: string;
  readonly scopes?: readonly string[];
}

/** A step around a call: it may answer instead of the tool, and sees how the call ended. */
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
  /** Marks guards of this library whose position is checked when a stack is bound. */
  readonly kind?: "protect" | "deadline";
  /** The codes it may return in front of this tool. */
  readonly codes: (tool: Tool<Facts, Plan>, errors: AnyErrorSet) => readonly Code[];
  readonly run: (
    call: Call<Facts, Plan, Annotations, Requires>,
    next: Next<Adds>,
    dependencies: Dependencies,
  ) => Promise<AnyOutcome>;
}

/**
 * Continues with the next guard and finally the tool. `context` is added for them; `signal` replaces theirs,
 * for a guard that ends the call itself.
 */
export type Next<Adds = object> = (...more: NextArguments<Adds>) => Promise<AnyOutcome>;

type NextArguments<Adds> = object extends Adds
  ? [more?: { readonly context?: Adds; readonly signal?: AbortSignal }]
  : [more: { readonly context: Adds; readonly signal?: AbortSignal }];

/** The types of a guard, each of which may be left out. */
export interface GuardTypes {
  /** Dependencies on the process, provided once when its stack is bound. */
  readonly dependencies: object;
  /** The context that earlier guards must have added. */
  readonly requires: object;
  /** The context it adds for later guards and services. */
  readonly adds: object;
}

/** A guard whose types are given by name. */
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

/** An outcome of the guards and the tool after this guard. It may have any code of the product. */
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
