import { failed, type Outcome } from "@toolpact/outcome";
import type { Asks } from "./ask.ts";
import { printable } from "./bad-input.ts";
import type { Caller } from "./call.ts";
import type { Clock } from "./clock.ts";
import type { ContentBlock, Rendered } from "./envelope-format.ts";
import type { Failure } from "./errors.ts";
import { fit } from "./fit.ts";
import type { BoundStack } from "./guard-stack.ts";
import type { Json, JsonObject } from "./json.ts";
import type { EndedCall } from "./observer.ts";
import type { AnyOutcome, ParsedCall, Tool } from "./tool.ts";

export class CallState<Facts, Plan, Context> {
  readonly tool: Tool<Facts, Plan>;
  readonly stack: BoundStack<Facts, Plan, Context>;
  readonly id: string;
  readonly startedAt: number;
  private readonly beganAt: number;
  action: string | undefined;
  parsed: ParsedCall<Plan> | undefined;
  /** Raw until parsed; empty if too large to inspect. */
  input: JsonObject = {};
  bug: { readonly error: unknown } | undefined;
  limit: AnswerLimit | undefined;
  /** True if the tool changed something, even if it failed later. */
  hasActed = false;
  /** Work that continues after a guard has answered. */
  rest: Promise<AnyOutcome> | undefined;
  private context: object;
  private annotations: JsonObject = {};
  private readonly warnings: string[] = [];
  private readonly clock: Clock;

  constructor(
    tool: Tool<Facts, Plan>,
    stack: BoundStack<Facts, Plan, Context>,
    id: string,
    context: object,
    clock: Clock,
  ) {
    this.tool = tool;
    this.stack = stack;
    this.id = id;
    this.context = context;
    this.clock = clock;
    this.startedAt = clock.now();
    this.beganAt = passed(clock);
  }

  readonly annotate = (annotations: JsonObject): void => {
    this.annotations = { ...this.annotations, ...annotations };
  };

  readonly warn = (warning: string): void => {
    this.warnings.push(warning);
  };

  readonly answersBefore = (rest: Promise<AnyOutcome>): void => {
    this.rest = rest;
  };

  readonly entered = (context: object): void => {
    this.context = context;
  };

  ended(caller: Caller, outcome: AnyOutcome): EndedCall<Facts, Plan, Context, JsonObject> {
    return {
      id: this.id,
      tool: this.tool,
      action: this.action,
      effect: this.parsed?.effect,
      input: this.input,
      plan: this.parsed?.plan ?? noPlan,
      caller,
      startedAt: this.startedAt,
      elapsedMs: this.elapsedMs(),
      outcome,
      ...(this.bug !== undefined && { bug: this.bug.error }),
      // Guards of this stack added it, so its type is the product's context.
      context: this.context as Context,
      annotations: this.annotations,
      warn: this.warn,
    };
  }

  /** Throws if the answer cannot be written as JSON or made to fit. */
  render(outcome: Outcome<Json, Failure, unknown>): RenderedAnswer {
    const { envelope, content = [] } = this.rendered(outcome);
    if (envelope !== undefined && content.length > 0 && !this.tool.hasContent)
      throw new Error(`${this.tool.name} answers with content that it does not declare: set hasContent.`);
    const answer = { kind: "rendered", failed: !outcome.ok, outcome, content } as const;
    if (envelope === undefined) return { ...answer, envelope, text: undefined };
    const text = JSON.stringify(envelope);
    if (fits(text, this.maxBytes())) return { ...answer, envelope, text };
    const shorter = this.cut(outcome, envelope);
    return { ...answer, envelope: shorter, text: JSON.stringify(shorter) };
  }

  private rendered(outcome: Outcome<Json, Failure, unknown>): Rendered {
    return this.stack.format.render(outcome.ok ? outcome : failed(printableFailure(outcome.failure)), {
      call: { id: this.id, action: this.action, tool: this.tool.name },
      elapsedMs: this.elapsedMs(),
      annotations: this.annotations,
      warnings: this.warnings,
    });
  }

  private cut(outcome: Outcome<Json, Failure, unknown>, envelope: JsonObject): JsonObject {
    const fitted = fit(envelope, this.maxBytes() - CUT_NOTE_BYTES);
    if (fitted !== undefined)
      return this.stack.format.noteCut(fitted.value, {
        what: fitted.what,
        goOn: this.limit?.goOn ?? this.tool.goOn,
      });
    if (outcome.ok) throw new Error("The answer could not be made to fit.");
    // A failure keeps its code and message; only its details can be too large.
    const { details: _tooLarge, ...failure } = outcome.failure;
    return this.rendered(failed(failure)).envelope ?? {};
  }

  private maxBytes(): number {
    return this.limit?.bytes ?? this.tool.maxBytes;
  }

  private elapsedMs(): number {
    return Math.max(0, Math.round(passed(this.clock) - this.beganAt));
  }
}

function printableFailure(failure: Failure): Failure {
  const { message, suggestedFix } = failure;
  return {
    ...failure,
    message: printable(message),
    ...(suggestedFix !== undefined && { suggestedFix: printable(suggestedFix) }),
  };
}

function passed(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now();
}

/** Bytes reserved for the note about the cut. */
const CUT_NOTE_BYTES = 400;

function fits(text: string, maxBytes: number): boolean {
  // A character takes at most three bytes per UTF-16 unit, so most answers need no counting.
  return text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}

function noPlan(): undefined {}

export type Answer =
  | RenderedAnswer
  | { readonly kind: "asks"; readonly asks: Asks }
  | { readonly kind: "unknown_tool"; readonly message: string };

export interface RenderedAnswer {
  readonly kind: "rendered";
  readonly failed: boolean;
  /** The outcome it was rendered from, complete even if the envelope was cut. */
  readonly outcome: Outcome<Json, Failure, unknown>;
  readonly envelope: JsonObject | undefined;
  readonly text: string | undefined;
  readonly content: readonly ContentBlock[];
}

export interface AnswerLimit {
  readonly bytes: number;
  /** How to get the rest, if it differs from the tool's own advice. */
  readonly goOn?: string;
}
