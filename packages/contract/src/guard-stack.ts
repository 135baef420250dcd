import type { Outcome } from "@toolpact/outcome";
import type { Call, Guard, Next } from "./call.ts";
import type { EnvelopeFormat, RenderContext, Rendered } from "./envelope-format.ts";
import type { AnyErrorSet, Failure } from "./errors.ts";
import type { Json, JsonObject, JsonSchema } from "./json.ts";
import type { AnyOutcome, Tool } from "./tool.ts";

/**
 * The guards in front of a tool, in order. A constant that lists everything that can happen to a call. A guard that
 * requires context no earlier guard adds does not compile.
 *
 * ```ts
 * const writes = product
 *   .guardStack("writes")
 *   .use(deadline)
 *   .use(idempotency)
 *   .answering(successEnvelope(errors));
 * const bound = writes.bind({ clock: systemClock, recentCalls: new RecentCalls() });
 * ```
 */
export interface GuardStack<
  Facts,
  Plan,
  Annotations extends JsonObject,
  Notes,
  Dependencies,
  Context extends object,
  Code extends string = string,
> extends StackDescription<Facts, Plan> {
  readonly use: <D, Adds extends object>(
    guard: Guard<Facts, Plan, Annotations, D, Context, Adds, Code>,
  ) => GuardStack<Facts, Plan, Annotations, Notes, Dependencies & D, Context & Adds, Code>;
  /** Completes the stack with an envelope format. */
  readonly answering: <D = object>(
    format: FormatOrMaker<Annotations, Notes, D>,
  ) => CompleteStack<Facts, Plan, Dependencies & D, Context>;
}

type FormatOrMaker<Annotations, Notes, Dependencies> =
  | EnvelopeFormat<Annotations, Notes>
  | ((dependencies: Dependencies) => EnvelopeFormat<Annotations, Notes>);

interface StackDescription<Facts, Plan> {
  readonly name: string;
  readonly guards: readonly string[];
  /** Every code its guards may return in front of this tool. */
  readonly codesFor: (tool: Tool<Facts, Plan>) => readonly string[];
}

/** A stack that only needs its dependencies. */
export interface CompleteStack<Facts, Plan, Dependencies, Context> extends StackDescription<Facts, Plan> {
  /** Binds the guards to their dependencies, once. Throws if a deadline or a second `protect` is after `protect`. */
  readonly bind: (
    ...dependencies: object extends Dependencies ? [] | [Dependencies] : [Dependencies]
  ) => BoundStack<Facts, Plan, Context>;
}

/** A stack in a running process, with its types erased. */
export interface BoundStack<Facts = unknown, Plan = unknown, Context = object>
  extends StackDescription<Facts, Plan> {
  /** `entered` is called with each new context. */
  readonly run: (
    call: Call<Facts, Plan, JsonObject>,
    execute: (context: Context, signal: AbortSignal) => Promise<AnyOutcome>,
    entered: (context: object) => void,
  ) => Promise<AnyOutcome>;
  readonly format: SealedFormat;
}

export interface SealedFormat {
  readonly render: (outcome: Outcome<Json, Failure, unknown>, context: RenderContext<JsonObject>) => Rendered;
  readonly noteCut: EnvelopeFormat["noteCut"];
  readonly outputSchema: (value: JsonSchema) => JsonSchema;
}

export function emptyStack<Facts, Plan, Annotations extends JsonObject, Notes>(
  name: string,
  errors: AnyErrorSet,
): GuardStack<Facts, Plan, Annotations, Notes, object, object> {
  return stackOf({ name, errors, guards: [], bind: () => (call, execute) => execute(call) });
}

type Runner<Facts, Plan, Annotations, Context> = (
  call: Call<Facts, Plan, Annotations>,
  execute: (call: Call<Facts, Plan, Annotations, Context>) => Promise<AnyOutcome>,
  entered: (context: object) => void,
) => Promise<AnyOutcome>;

interface StackParts<Facts, Plan, Annotations, Dependencies, Context> {
  readonly name: string;
  readonly errors: AnyErrorSet;
  readonly guards: readonly Pick<
    Guard<Facts, Plan, Annotations, never, never, never>,
    "name" | "codes" | "kind"
  >[];
  readonly bind: (dependencies: Dependencies) => Runner<Facts, Plan, Annotations, Context>;
}

function stackOf<Facts, Plan, Annotations extends JsonObject, Notes, Dependencies, Context extends object>(
  parts: StackParts<Facts, Plan, Annotations, Dependencies, Context>,
): GuardStack<Facts, Plan, Annotations, Notes, Dependencies, Context> {
  const { name, errors, guards } = parts;
  const description: StackDescription<Facts, Plan> = {
    name,
    guards: guards.map((guard) => guard.name),
    codesFor: (tool) => [...new Set(guards.flatMap((guard) => knownCodes(guard, tool, errors)))],
  };
  return {
    ...description,
    use: (guard) =>
      stackOf({
        name,
        errors,
        guards: [...guards, guard],
        bind: (given) => behind(parts.bind(given), guard, given),
      }),
    answering: <D>(format: FormatOrMaker<Annotations, Notes, D>) => ({
      ...description,
      bind(...given: readonly (Dependencies & D)[]) {
        checkOrder(
          name,
          guards.map((guard) => guard.kind),
        );
        const dependencies = (given[0] ?? {}) as Dependencies & D;
        const run = parts.bind(dependencies);
        return {
          ...description,
          run: (call, execute, entered) =>
            run(call, ({ context, signal }) => execute(context, signal), entered),
          format: sealed(typeof format === "function" ? format(dependencies) : format),
        };
      },
    }),
  };
}

function knownCodes<Facts, Plan>(
  guard: Pick<Guard<Facts, Plan>, "name" | "codes">,
  tool: Tool<Facts, Plan>,
  errors: AnyErrorSet,
): readonly string[] {
  const codes = guard.codes(tool, errors);
  const unknown = codes.find((code) => !Object.hasOwn(errors.rows, code));
  if (unknown === undefined) return codes;
  throw new Error(`The guard ${guard.name} has the code ${unknown}, which is not in the server's errors.`);
}

/** The types reject these stacks too, unless values have unknown types. */
function checkOrder(stack: string, kinds: readonly Guard["kind"][]): void {
  const after = kinds.indexOf("protect") + 1;
  const wrong = after === 0 ? undefined : kinds.slice(after).find((kind) => kind !== undefined);
  if (wrong === undefined) return;
  const why =
    wrong === "protect"
      ? "`protect` is there twice. Use one, with all parts"
      : "`deadline` is after `protect`: a call that it ends would count as not done. Put it in front";
  throw new Error(`The stack ${JSON.stringify(stack)} cannot be bound: ${why}.`);
}

function behind<Facts, Plan, Annotations, Context extends object, Dependencies, Adds extends object>(
  before: Runner<Facts, Plan, Annotations, Context>,
  guard: Guard<Facts, Plan, Annotations, Dependencies, Context, Adds>,
  dependencies: Dependencies,
): Runner<Facts, Plan, Annotations, Context & Adds> {
  return (call, execute, entered) =>
    before(
      call,
      (reached) => {
        const next: Next<Adds> = (...[more]) => execute(extended(reached, more, entered));
        return guard.run(reached, next, dependencies);
      },
      entered,
    );
}

function extended<Facts, Plan, Annotations, Context extends object, Adds extends object>(
  call: Call<Facts, Plan, Annotations, Context>,
  more: { readonly context?: Adds; readonly signal?: AbortSignal } | undefined,
  entered: (context: object) => void,
): Call<Facts, Plan, Annotations, Context & Adds> {
  const { signal = call.signal } = more ?? {};
  // Allowed only if the type requires no member.
  if (more?.context === undefined)
    return (signal === call.signal ? call : { ...call, signal }) as Call<
      Facts,
      Plan,
      Annotations,
      Context & Adds
    >;
  const context = { ...call.context, ...more.context };
  entered(context);
  return { ...call, context, signal };
}

function sealed<Annotations, Notes>(format: EnvelopeFormat<Annotations, Notes>): SealedFormat {
  return {
    ...format,
    // Only this stack's guards annotate, and only the product's tools have notes: both types were checked.
    render: (outcome, context) =>
      format.render(outcome as Outcome<Json, Failure, Notes>, context as RenderContext<Annotations>),
  };
}
