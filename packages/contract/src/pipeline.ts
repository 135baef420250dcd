import { randomUUID } from "node:crypto";
import { nearest } from "@toolpact/cli/nearest";
import { type Failed, failed, type Outcome, ok } from "@toolpact/outcome";
import { type Asking, noElicitation } from "./ask.ts";
import { excess, printable, quote, withoutClientArguments } from "./bad-input.ts";
import type { Call, Caller } from "./call.ts";
import { type Answer, type AnswerLimit, CallState } from "./call-state.ts";
import { type Clock, systemClock } from "./clock.ts";
import { OutputMismatch } from "./declaration.ts";
import { EFFECTS } from "./effects.ts";
import type { AnyErrorSet, Failure } from "./errors.ts";
import type { BoundStack } from "./guard-stack.ts";
import type { JsonObject } from "./json.ts";
import type { EndedCall, Observer } from "./observer.ts";
import type { Catalog, Product, ProductTypes, Services } from "./product.ts";
import type { AnyOutcome, ParsedCall, RunTools, Tool } from "./tool.ts";

interface PipelineOptions<T extends ProductTypes, E extends AnyErrorSet, C extends string, P extends string>
  extends PipelineParts<T["facts"], T["plan"], Partial<T["context"]>> {
  readonly product: Product<T, E, C, P>;
}

interface PipelineParts<Facts, Plan, Context> {
  /** Read for each call, because the tools may change. */
  readonly catalog: Pick<Catalog<Facts, Plan>, "tools" | "get">;
  readonly stackFor: (tool: Tool<Facts, Plan>) => BoundStack<Facts, Plan, Context>;
  readonly services: Services<Context>;
  readonly observers?: readonly Observer<Facts, Plan, Context, JsonObject>[];
  /** Called with every bug. */
  readonly onBug: (bug: Bug) => void;
  readonly clock?: Clock;
  readonly newId?: () => string;
  /** Undefined for the tool's own limit. `args` are without the defaults in `input`. */
  readonly answerLimit?: (call: LimitedCall<Facts, Plan>) => AnswerLimit | undefined;
  /** About an unknown tool; default: the nearest name, or `tools/list`. */
  readonly unknownTool?: (name: string, nearest: string | undefined) => string | undefined;
}

/** An answer's limit may depend on these. */
export interface LimitedCall<Facts, Plan> extends Pick<ParsedCall<Plan>, "effect" | "input"> {
  readonly tool: Tool<Facts, Plan>;
  readonly args: JsonObject;
}

/** An unexpected error, with its reference for the caller. */
export interface Bug {
  readonly reference: string;
  readonly where: string;
  readonly error: unknown;
}

export interface CallRequest<Context = object> {
  readonly tool: string;
  readonly args: JsonObject;
  readonly caller: Caller;
  readonly context?: Context;
  readonly signal?: AbortSignal;
  readonly ask?: Asking;
  readonly progress?: RunTools["progress"];
  readonly log?: RunTools["log"];
}

/** The only path to a tool, for every front end: parse, guards, services, run, observers, render. */
export interface Pipeline<Context = object> {
  readonly call: (request: CallRequest<Context>) => Promise<Answer>;
}

/**
 * Combines tools, guard stacks, services and observers.
 *
 * ```ts
 * const pipeline = createPipeline({
 *   product,
 *   catalog: catalog(tools),
 *   stackFor: (tool) => (tool.category === "write" ? writes : reads),
 *   services: provideServices(product, { store: () => ok({ notes: new Map() }) }),
 *   observers: [audit({ write: (record) => console.error(JSON.stringify(record)) })],
 *   onBug: ({ reference, error }) => console.error(reference, error),
 * });
 * const answer = await pipeline.call({ tool: "add_note", args: { text: "hi" }, caller: { transport: "cli" } });
 * ```
 */
export function createPipeline<
  T extends ProductTypes,
  E extends AnyErrorSet,
  C extends string,
  P extends string,
>({ product, ...parts }: PipelineOptions<T, E, C, P>): Pipeline<Partial<T["context"]>> {
  return pipelineOf(product.errors, parts);
}

function pipelineOf<Facts, Plan, Context>(
  errors: AnyErrorSet,
  options: PipelineParts<Facts, Plan, Context>,
): Pipeline<Context> {
  const { catalog, stackFor, services, observers = [], onBug } = options;
  const clock = options.clock ?? systemClock;
  const newId = options.newId ?? randomUUID;
  type State = CallState<Facts, Plan, Context>;
  warmUp(catalog.tools[0], options);

  async function call(asked: CallRequest<Context>): Promise<Answer> {
    const tool = catalog.get(asked.tool);
    if (tool === undefined) {
      const guess = nearestTool(asked.tool, catalog.tools);
      const hint =
        options.unknownTool?.(asked.tool, guess) ??
        (guess === undefined ? "Call tools/list for the names." : `Did you mean ${quote(guess)}?`);
      return { kind: "unknown_tool", message: `Unknown tool ${quote(asked.tool)}. ${hint}` };
    }
    const own = withoutClientArguments(asked.args, tool.hasParameter);
    const request = { ...asked, args: tool.readArguments?.(own) ?? own };
    const state: State = new CallState(tool, stackFor(tool), newId(), request.context ?? NO_CONTEXT, clock);
    const outcome = closed(state, await outcomeOf(state, request));
    // Most observers are synchronous, and cost the call no turn of the event loop.
    const observing = observe("ended", state, request, outcome);
    if (observing !== undefined) await observing;
    if (state.rest !== undefined) void observeLate(state, request, state.rest);
    if (outcome.ok === null) return { kind: "asks", asks: outcome };
    try {
      return state.render(outcome);
    } catch (error) {
      return state.render(failedThrough(state, error));
    }
  }

  async function outcomeOf(state: State, request: CallRequest<Context>): Promise<AnyOutcome> {
    const { tool } = state;
    const { action } = request.args;
    try {
      // Echoes an unknown action too, for the caller and the log.
      if (typeof action === "string" && tool.actions.length > 0)
        state.action = printable(action.slice(0, MAX_ACTION_LENGTH));
      const tooMuch = excess(request.args);
      if (tooMuch !== undefined) return badInput(`${tool.name}: the arguments ${tooMuch}.`);
      state.input = request.args;
      const parsed = tool.parse(request.args);
      if (!parsed.ok) return badInput(parsed.failure);
      state.input = parsed.value.input;
      state.parsed = parsed.value;
      const { effect, input } = parsed.value;
      state.limit = options.answerLimit?.({ tool, effect, input, args: request.args });
      return await state.stack.run(
        callOf(state, parsed.value, request),
        (context, signal) => run(state, parsed.value, request, context, signal),
        state.entered,
      );
    } catch (error) {
      state.bug = { error };
      return failedThrough(state, error);
    }
  }

  async function run(
    state: State,
    work: ParsedCall<Plan>,
    request: CallRequest<Context>,
    context: Context,
    signal: AbortSignal,
  ): Promise<AnyOutcome> {
    const { needs } = state.tool;
    const resolved = needs.length === 0 ? NO_SERVICES : await services.resolve(needs, context, signal);
    if (!resolved.ok) return resolved;
    try {
      const outcome = await work.run({
        ...resolved.value,
        signal,
        caller: request.caller,
        ask: request.ask ?? noElicitation,
        progress: request.progress ?? ignore,
        log: request.log ?? ignore,
      });
      if (outcome.ok) state.hasActed = EFFECTS[work.effect].mutates;
      return outcome;
    } catch (error) {
      if (error instanceof OutputMismatch) state.hasActed = EFFECTS[work.effect].mutates;
      throw error;
    }
  }

  async function observeLate(state: State, request: CallRequest<Context>, rest: Promise<AnyOutcome>) {
    const outcome = await rest.catch((error) => {
      state.bug = { error };
      return failedThrough(state, error);
    });
    await observe("endedLate", state, request, outcome);
  }

  /** Undefined if all are done synchronously. */
  function observe(
    event: "ended" | "endedLate",
    state: State,
    request: CallRequest<Context>,
    outcome: AnyOutcome,
  ): Promise<void> | undefined {
    if (observers.length === 0) return undefined;
    const ended = state.ended(request.caller, outcome);
    let waiting: Promise<void> | undefined;
    for (const observer of observers) {
      const notify = () => notified(observer.name, observer[event], ended);
      waiting = waiting === undefined ? notify() : waiting.then(notify);
    }
    return waiting;
  }

  function notified(
    name: string,
    notify: Observer<Facts, Plan, Context, JsonObject>["endedLate"],
    call: EndedCall<Facts, Plan, Context, JsonObject>,
  ): Promise<void> | undefined {
    const report = (error: unknown) =>
      onBug({ reference: call.id, where: `${call.tool.name}, observer ${name}`, error });
    try {
      const observed = notify?.(call);
      return observed instanceof Promise ? observed.catch(report) : undefined;
    } catch (error) {
      report(error);
      return undefined;
    }
  }

  function callOf(
    state: State,
    work: ParsedCall<Plan>,
    request: CallRequest<Context>,
  ): Call<Facts, Plan, JsonObject> {
    return {
      id: state.id,
      tool: state.tool,
      action: work.action,
      effect: work.effect,
      input: work.input,
      plan: work.plan,
      caller: request.caller,
      ask: request.ask ?? noElicitation,
      progress: request.progress ?? ignore,
      startedAt: state.startedAt,
      signal: request.signal ?? neverAborted,
      context: request.context ?? NO_CONTEXT,
      errors,
      annotate: state.annotate,
      warn: state.warn,
      answersBefore: state.answersBefore,
    };
  }

  /** A code outside the product's set is a bug in the guard that returned it. */
  function closed(state: State, outcome: AnyOutcome): AnyOutcome {
    if (outcome.ok !== false || Object.hasOwn(errors.rows, outcome.failure.code)) return outcome;
    const error = new Error(`The code ${outcome.failure.code} is not one of the product's errors.`);
    state.bug = { error };
    return failedThrough(state, error);
  }

  function badInput(message: string): AnyOutcome {
    return failed({ code: errors.roles.badInput, message });
  }

  /** A reference, and whether anything was changed, without the error's text. */
  function failedThrough({ id, tool, hasActed }: State, error: unknown): Failed<Failure> {
    onBug({ reference: id, where: tool.name, error });
    const what = hasActed
      ? `${tool.name} was carried out, but its answer could not be shown; do not repeat it`
      : `${tool.name} failed because of a bug in this server`;
    return failed({
      code: errors.roles.internal,
      message: `${what}. Reference ${id}.`,
      suggestedFix: "Look the reference up in the server's log and report it.",
      fixBy: "operator",
      details: { reference: id },
    });
  }

  return { call };
}

/** Node loads its clock and random source, and zod compiles parsers, on first use. */
function warmUp(
  tool: { readonly parse: (args: JsonObject) => unknown } | undefined,
  { clock, newId }: { readonly clock?: Clock | undefined; readonly newId?: unknown },
): void {
  if (clock === undefined) performance.now();
  if (newId === undefined) randomUUID();
  tool?.parse({});
}

/** No destructive tool, because a caller may follow without thinking. */
function nearestTool(name: string, tools: Catalog["tools"]): string | undefined {
  const harmless = tools.filter(({ effects }) => !effects.some((effect) => EFFECTS[effect].destructive));
  const names = harmless.map((tool) => tool.name);
  // Such as `add_note_now`.
  const longest = names
    .filter((known) => name.startsWith(`${known}_`))
    .sort((a, b) => b.length - a.length)[0];
  return longest ?? nearest(name, names);
}

const MAX_ACTION_LENGTH = 80;
const neverAborted = new AbortController().signal;
const NO_CONTEXT = {};
const NO_SERVICES: Outcome<object, Failure> = ok({});
const ignore = (): void => {};
