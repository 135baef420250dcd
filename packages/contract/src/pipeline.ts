import { randomUUID } from "node:crypto";
import { nearest } from "@toolpact/cli/nearest";
import { type Asking, type Asks, nobodyToAsk } from "./ask.ts";
import { shown } from "./bad-input.ts";
import type { Call, Caller } from "./call.ts";
import type { Catalog } from "./catalog.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { ContentBlock, Rendered, Telling } from "./dialect.ts";
import { EFFECTS } from "./effects.ts";
import type { AnyErrorSet, Failure } from "./errors.ts";
import { fit } from "./fit.ts";
import type { Json, JsonObject } from "./json.ts";
import type { SealedLane } from "./lane.ts";
import { excess } from "./limits.ts";
import { failed, type Outcome } from "./outcome.ts";
import type { Services } from "./services.ts";
import type { AnyOutcome, ParsedCall, RunTools, Tool } from "./tool.ts";
import { OutputMismatch } from "./work.ts";

interface PipelineOptions {
  readonly catalog: Catalog;
  readonly errors: AnyErrorSet;
  readonly laneOf: (tool: Tool) => SealedLane;
  readonly services: Services;
  /** Hears of every bug, with the reference that the caller was given. */
  readonly onBug: (bug: Bug) => void;
  readonly clock?: Clock;
  readonly newId?: () => string;
}

/** What was thrown where nothing should be, under the reference that the caller was given. */
export interface Bug {
  readonly reference: string;
  readonly where: string;
  readonly error: unknown;
}

interface CallRequest {
  readonly tool: string;
  readonly args: JsonObject;
  readonly caller: Caller;
  readonly signal?: AbortSignal;
  readonly ask?: Asking;
  readonly progress?: RunTools["progress"];
  readonly log?: RunTools["log"];
}

/** What a call is answered with. */
export type Answer =
  | {
      readonly kind: "told";
      readonly failed: boolean;
      readonly envelope: JsonObject | undefined;
      /** The envelope's JSON. */
      readonly text: string | undefined;
      readonly content: readonly ContentBlock[];
    }
  | { readonly kind: "asks"; readonly asks: Asks }
  | { readonly kind: "unknown_tool"; readonly message: string };

/** The one way of a call: parse, guards, run, settle, render. Every front end, MCP or command line, uses it. */
export interface Pipeline {
  readonly call: (request: CallRequest) => Promise<Answer>;
}

/**
 * Puts tools, lanes and services together.
 *
 * ```ts
 * const pipeline = createPipeline({
 *   catalog: catalog(tools),
 *   errors,
 *   laneOf: (tool) => (tool.category === "write" ? writes : reads),
 *   services: provideServices(product, { store: async () => ok(new Map()) }),
 *   onBug: ({ reference, error }) => console.error(reference, error),
 * });
 * const answer = await pipeline.call({ tool: "add_note", args: { text: "hi" }, caller: { transport: "cli" } });
 * ```
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { catalog, errors, laneOf, services, onBug } = options;
  const clock = options.clock ?? systemClock;
  const newId = options.newId ?? randomUUID;

  async function call(request: CallRequest): Promise<Answer> {
    const tool = catalog.get(request.tool);
    if (tool === undefined) return { kind: "unknown_tool", message: unknownTool(request.tool, catalog) };
    const story = new Story(tool, laneOf(tool), newId(), clock);
    try {
      const outcome = await outcomeOf(story, request);
      return outcome.ok === null ? { kind: "asks", asks: outcome } : story.tell(outcome);
    } catch (error) {
      onBug({ reference: story.id, where: tool.name, error });
      return story.tell(failed(defect(story, errors)));
    }
  }

  async function outcomeOf(story: Story, request: CallRequest): Promise<AnyOutcome> {
    const { tool } = story;
    const { action } = request.args;
    if (typeof action === "string" && tool.actions.includes(action)) story.action = action;
    const tooMuch = excess(request.args);
    const parsed =
      tooMuch === undefined ? tool.parse(request.args) : failed(`${tool.name}: the arguments ${tooMuch}.`);
    if (!parsed.ok) return failed({ code: errors.roles.badInput, message: parsed.failure });
    const work = parsed.value;
    return story.lane.through(callOf(story, work, request), (signal) => run(story, work, request, signal));
  }

  async function run(
    story: Story,
    work: ParsedCall,
    request: CallRequest,
    signal: AbortSignal,
  ): Promise<AnyOutcome> {
    const resolved = await services.resolve(story.tool.needs, signal);
    if (!resolved.ok) return resolved;
    try {
      const outcome = await work.run({
        ...resolved.value,
        signal,
        ask: request.ask ?? nobodyToAsk,
        progress: request.progress ?? nobodyListens,
        log: request.log ?? nobodyListens,
      });
      if (outcome.ok) story.hasActed = EFFECTS[work.effect].mutates;
      return outcome;
    } catch (error) {
      if (error instanceof OutputMismatch) story.hasActed = EFFECTS[work.effect].mutates;
      // A guard, such as the deadline, may have answered long ago: nobody else would hear of this.
      if (story.isTold) onBug({ reference: story.id, where: story.tool.name, error });
      throw error;
    }
  }

  return { call };
}

function callOf(story: Story, work: ParsedCall, request: CallRequest): Call<JsonObject> {
  return {
    id: story.id,
    tool: story.tool,
    action: work.action,
    effect: work.effect,
    input: work.input,
    caller: request.caller,
    startedAt: story.startedAt,
    signal: request.signal ?? neverAborted,
    annotate: story.annotate,
    warn: story.warn,
  };
}

/** What a caller hears of a bug: a reference, whether anything was done, and none of its text. */
function defect({ id, tool, hasActed }: Story, errors: AnyErrorSet): Failure {
  const what = hasActed
    ? `${tool.name} was carried out, but its answer could not be shown; do not repeat it`
    : `${tool.name} failed through a defect of this server`;
  return {
    code: errors.roles.internal,
    message: `${what}. Reference ${id}.`,
    suggestedFix: "Look the reference up in the server's log and report it.",
    fixBy: "operator",
    details: { reference: id },
  };
}

/** One call as its answer will tell it. */
class Story {
  action: string | undefined;
  /** The tool changed something, whatever came of the call afterwards. */
  hasActed = false;
  isTold = false;
  readonly startedAt: number;
  private extras: JsonObject = {};
  private readonly warnings: string[] = [];
  readonly tool: Tool;
  readonly lane: SealedLane;
  readonly id: string;
  private readonly clock: Clock;

  constructor(tool: Tool, lane: SealedLane, id: string, clock: Clock) {
    this.tool = tool;
    this.lane = lane;
    this.id = id;
    this.clock = clock;
    this.startedAt = clock.now();
  }

  readonly annotate = (extras: JsonObject): void => {
    this.extras = { ...this.extras, ...extras };
  };

  readonly warn = (warning: string): void => {
    this.warnings.push(warning);
  };

  /** Throws where the answer cannot be written as JSON, or cannot be made to fit. */
  tell(outcome: Outcome<Json, Failure, unknown>): Answer {
    const { envelope, content = [] } = this.render(outcome);
    const told = { kind: "told", failed: !outcome.ok, content } as const;
    this.isTold = true;
    if (envelope === undefined) return { ...told, envelope, text: undefined };
    const text = JSON.stringify(envelope);
    if (fits(text, this.tool.maxBytes)) return { ...told, envelope, text };
    const shorter = this.cut(outcome, envelope);
    return { ...told, envelope: shorter, text: JSON.stringify(shorter) };
  }

  private cut(outcome: Outcome<Json, Failure, unknown>, envelope: JsonObject): JsonObject {
    const fitted = fit(envelope, this.tool.maxBytes - CUT_NOTE_BYTES);
    if (fitted !== undefined)
      return this.lane.dialect.noteCut(fitted.value, { what: fitted.what, goOn: this.tool.goOn });
    if (outcome.ok) throw new Error("The answer could not be made to fit.");
    // A failure keeps its code and its words; what is too large about it are its details.
    const { details: _tooLarge, ...failure } = outcome.failure;
    return this.render(failed(failure)).envelope ?? {};
  }

  private render(outcome: Outcome<Json, Failure, unknown>): Rendered {
    const telling: Telling<never> = {
      call: { id: this.id, action: this.action, tool: this.tool.name },
      elapsedMs: Math.max(0, Math.round(this.clock.now() - this.startedAt)),
      // Only this lane's guards annotated, and the lane's type let them annotate only what its dialect carries.
      extras: this.extras as Partial<never>,
      warnings: this.warnings,
    };
    return this.lane.dialect.render(outcome, telling);
  }
}

/** Room kept for the words that tell what was cut. */
const CUT_NOTE_BYTES = 400;

function fits(text: string, maxBytes: number): boolean {
  // No character takes more than three bytes per UTF-16 unit, so most answers need not be counted.
  return text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}

function unknownTool(name: string, catalog: Catalog): string {
  const guess = nearest(
    name,
    catalog.tools.map((tool) => tool.name),
  );
  return `Unknown tool ${shown(name)}.${guess === undefined ? " Call tools/list for the names." : ` Did you mean ${shown(guess)}?`}`;
}

const neverAborted = new AbortController().signal;
const nobodyListens = (): void => {};
