import { randomUUID } from "node:crypto";
import { type Asking, type Asks, nobodyToAsk } from "./ask.ts";
import { shown } from "./bad-input.ts";
import type { Call, Caller } from "./call.ts";
import type { Catalog } from "./catalog.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { ContentBlock, Cut, Rendered, Telling } from "./dialect.ts";
import { EFFECTS } from "./effects.ts";
import type { AnyErrorCatalog, Failure } from "./errors.ts";
import { fit } from "./fit.ts";
import type { Json, JsonObject } from "./json.ts";
import type { SealedLane } from "./lane.ts";
import { defaultInputLimits, excess, type InputLimits } from "./limits.ts";
import { nearest } from "./nearest.ts";
import { failed, type Outcome } from "./outcome.ts";
import type { Services } from "./services.ts";
import type { AnyOutcome, ParsedCall, RunTools, Tool } from "./tool.ts";
import { OutputMismatch } from "./work.ts";

export interface PipelineOptions {
  readonly catalog: Catalog;
  readonly errors: AnyErrorCatalog;
  readonly laneOf: (tool: Tool) => SealedLane;
  readonly services: Services;
  /** Hears of every bug, with the reference that the caller was given. */
  readonly onBug: (bug: Bug) => void;
  readonly clock?: Clock;
  readonly newId?: () => string;
  readonly limits?: InputLimits;
}

export interface Bug {
  readonly reference: string;
  readonly where: string;
  readonly error: unknown;
}

export interface CallRequest {
  readonly tool: string;
  readonly args: JsonObject;
  readonly caller: Caller;
  readonly signal?: AbortSignal;
  readonly ask?: Asking;
  readonly progress?: RunTools["progress"];
  readonly log?: RunTools["log"];
}

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

export function createPipeline(options: PipelineOptions): Pipeline {
  const { catalog, errors, laneOf, services, onBug } = options;
  const clock = options.clock ?? systemClock;
  const newId = options.newId ?? randomUUID;
  const limits = options.limits ?? defaultInputLimits;

  async function call(request: CallRequest): Promise<Answer> {
    const tool = catalog.get(request.tool);
    if (tool === undefined) return { kind: "unknown_tool", message: unknownTool(request.tool, catalog) };
    const story = new Story(tool, laneOf(tool), newId(), clock);

    const tooMuch = excess(request.args, limits);
    const parsed =
      tooMuch === undefined
        ? tool.parse(request.args)
        : failed(`${tool.name}: the arguments have ${tooMuch}.`);
    if (!parsed.ok) return story.tell(failed({ code: errors.roles.badInput, message: parsed.failure }));

    const outcome = await guarded(story, parsed.value, request);
    if (outcome.ok === null) return { kind: "asks", asks: outcome };
    return story.tell(outcome, () =>
      story.bug(errors, onBug, new Error("The answer could not be made to fit.")),
    );
  }

  async function guarded(story: Story, work: ParsedCall, request: CallRequest): Promise<AnyOutcome> {
    const entering: Call<JsonObject> = {
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
    story.action = work.action;
    try {
      return await story.lane.through(entering, async (signal) => {
        const resolved = await services.resolve(story.tool.needs, signal);
        if (!resolved.ok) return resolved;
        return work.run({
          ...resolved.value,
          signal,
          ask: request.ask ?? nobodyToAsk,
          progress: request.progress ?? nobodyListens,
          log: request.log ?? nobodyListens,
        });
      });
    } catch (error) {
      const acted = error instanceof OutputMismatch && EFFECTS[work.effect].mutates;
      return story.bug(errors, onBug, error, acted);
    }
  }

  return { call };
}

/** One call as its answer will tell it. */
class Story {
  action: string | undefined;
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

  tell(outcome: Outcome<Json, Failure, unknown>, onTooLarge?: () => Outcome<Json, Failure, unknown>): Answer {
    const first = this.render(outcome, undefined);
    if (first.text === undefined || fits(first.text, this.tool.maxBytes)) return answer(outcome, first);

    const overhead =
      Buffer.byteLength(first.text) - (outcome.ok ? Buffer.byteLength(JSON.stringify(outcome.value)) : 0);
    const room = this.tool.maxBytes - overhead - CUT_NOTE_BYTES;
    const fitted = outcome.ok ? fit(outcome.value, room) : undefined;
    if (outcome.ok && fitted !== undefined) {
      const shorter = { ...outcome, value: fitted.value };
      return answer(shorter, this.render(shorter, { what: fitted.what, goOn: this.tool.goOn }));
    }
    const instead = onTooLarge?.() ?? outcome;
    return answer(instead, this.render(instead, undefined));
  }

  bug(
    errors: AnyErrorCatalog,
    onBug: (bug: Bug) => void,
    error: unknown,
    acted = false,
  ): Outcome<never, Failure> {
    onBug({ reference: this.id, where: this.tool.name, error });
    const what = acted
      ? `${this.tool.name} was carried out, but its answer could not be shown; do not repeat it`
      : `${this.tool.name} failed through a defect of this server`;
    return failed({
      code: errors.roles.internal,
      message: `${what}. Reference ${this.id}.`,
      suggestedFix: "Look the reference up in the server's log and report it.",
      fixBy: "operator",
      details: { reference: this.id },
    });
  }

  private render(
    outcome: Outcome<Json, Failure, unknown>,
    cut: Cut | undefined,
  ): Rendered & { text: string | undefined } {
    const telling: Telling<never> = {
      call: { id: this.id, action: this.action, tool: this.tool.name },
      elapsedMs: Math.max(0, Math.round(this.clock.now() - this.startedAt)),
      // Only this lane's guards annotated, and the lane's type let them annotate only what its dialect carries.
      extras: this.extras as Partial<never>,
      warnings: this.warnings,
      cut,
    };
    const rendered = this.lane.dialect.render(outcome, telling);
    return {
      ...rendered,
      text: rendered.envelope === undefined ? undefined : JSON.stringify(rendered.envelope),
    };
  }
}

/** Room kept for the words that tell what was cut. */
const CUT_NOTE_BYTES = 400;

function fits(text: string, maxBytes: number): boolean {
  // No character takes more than three bytes per UTF-16 unit, so most answers need not be counted.
  return text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}

function answer(
  outcome: Outcome<Json, Failure, unknown>,
  rendered: Rendered & { text: string | undefined },
): Answer {
  return {
    kind: "told",
    failed: !outcome.ok,
    envelope: rendered.envelope,
    text: rendered.text,
    content: rendered.content ?? [],
  };
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
