import type { Clock, Json, JsonObject } from "@toolpact/contract";
import { canonicalJson } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result } from "../errors.ts";
import { matchInTime } from "../formats/regular-expression.ts";
import { count, json, list, maybe, text } from "../shapes.ts";
import { waitForEvent } from "../wait-for-event.ts";
import { filledIn, referencesIn, type Scope, valueAt } from "./references.ts";
import type { Expectation, Step, Workflow } from "./schema.ts";
import type { ToolCalls } from "./toolbox.ts";

export interface RunOptions {
  readonly toolbox: ToolCalls;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly variables?: JsonObject | undefined;
  readonly onStep?: (report: StepReport, index: number) => void;
}

export const stepReport = z.strictObject({
  id: text,
  title: text,
  tool: text,
  status: z.enum(["passed", "failed", "skipped"]),
  attempts: count,
  summary: text,
  /** Why it failed: its error, or unmet expectations. */
  problems: list(text),
  code: maybe,
  result: json.exactOptional(),
});

export const runReport = z.strictObject({ passed: z.boolean(), steps: list(stepReport) });

export type StepReport = z.infer<typeof stepReport>;
export type RunReport = z.infer<typeof runReport>;

const WORKFLOW_TOOL = "godot_workflow";

/** Checks a workflow without running it. */
export function checkWorkflow(
  workflow: Workflow,
  toolbox: ToolCalls,
  variables: JsonObject = {},
): Result<void, "E_SCHEMA_VALIDATION"> {
  const known = new Set<string>();
  const problems = strangers(workflow, variables);
  for (const step of workflow.steps) {
    if (step.tool === WORKFLOW_TOOL) problems.push(`${step.id}: a workflow cannot run another`);
    const references = referencesIn(step.args);
    for (const reference of [...references, ...referencesIn(expectedOf(step))]) {
      const [kind, name = ""] = reference.trim().split(".");
      if (kind === "steps" && !known.has(name))
        problems.push(`${step.id}: \${${reference}} names no earlier step`);
      if (kind !== "steps" && kind !== "vars")
        problems.push(`${step.id}: \${${reference}} is neither vars nor steps`);
    }
    // Arguments from other steps are known only after those have run.
    const problem = references.length === 0 ? toolbox.check(step.tool, step.args) : toolbox.check(step.tool);
    if (problem !== undefined && step.expectOk) problems.push(`${step.id}: ${problem}`);
    known.add(step.id);
  }
  if (problems.length === 0) return ok(undefined);
  return errors.fail("E_SCHEMA_VALIDATION", `The workflow cannot run: ${problems[0]}.`, {
    details: { problems },
  });
}

/** A variable that is neither used nor listed is a typo. */
function strangers(workflow: Workflow, variables: JsonObject): string[] {
  const used = workflow.steps.flatMap((step) => [
    ...referencesIn(step.args),
    ...referencesIn(expectedOf(step)),
  ]);
  const names = new Set([
    ...Object.keys(workflow.variables),
    ...used.flatMap((reference) => /^\s*vars\.([^.\s]+)/.exec(reference)?.[1] ?? []),
  ]);
  return Object.keys(variables)
    .filter((name) => !names.has(name))
    .map((name) => `it has no variable ${name.slice(0, 80)}`);
}

function expectedOf({ expect }: Step): Json {
  // Expectations are JSON; their interface only lacks an index signature.
  return expect as unknown as Json;
}

/** Runs the steps in order. Stops at the first that fails, unless it sets continueOnError. */
export async function runWorkflow(workflow: Workflow, options: RunOptions): Promise<RunReport> {
  const scope = {
    vars: { ...workflow.variables, ...options.variables },
    steps: {} as Record<string, JsonObject>,
  };
  const reports: StepReport[] = [];
  let stopped = false;
  for (const [index, step] of workflow.steps.entries()) {
    const report = stopped || options.signal.aborted ? skipped(step) : await runStep(step, scope, options);
    reports.push(report);
    options.onStep?.(report, index);
    if (report.status === "failed" && !step.continueOnError) stopped = true;
  }
  return { passed: reports.every((report) => report.status === "passed"), steps: reports };
}

async function runStep(
  step: Step,
  scope: Scope & { steps: Record<string, JsonObject> },
  options: RunOptions,
): Promise<StepReport> {
  const args = filledIn(step.args, scope);
  if (!args.ok)
    return report(step, "failed", 0, args.failure.message, [args.failure.message], args.failure.code);
  const expected = filledIn(expectedOf(step), scope);
  if (!expected.ok)
    return report(
      step,
      "failed",
      0,
      expected.failure.message,
      [expected.failure.message],
      expected.failure.code,
    );
  // Filling in references keeps a list of expectations one.
  const expectations = expected.value as unknown as readonly Expectation[];
  for (let attempt = 1; ; attempt++) {
    // Filling in references keeps an object an object.
    const answer = await call(step, args.value as JsonObject, options);
    scope.steps[step.id] = answer;
    const error = errorOf(answer);
    const isSafe = !options.toolbox.changes(step.tool, args.value as JsonObject) || isUndone(error);
    if (error?.retryable && isSafe && attempt <= step.retries && !options.signal.aborted) {
      await pause(step.retryDelayMs, options);
      continue;
    }
    const summary = error?.message ?? String(answer.summary ?? "");
    const problems = [
      ...(answer.ok === step.expectOk ? [] : [step.expectOk ? summary : "it was meant to fail and did not"]),
      ...expectations.flatMap((expectation) => unmet(answer, expectation) ?? []),
    ];
    const status = problems.length === 0 ? "passed" : "failed";
    return report(step, status, attempt, summary, problems, error?.code, answer.result as Json | undefined);
  }
}

/** A step that times out is canceled and then awaited, because its outcome must be known. */
async function call(
  step: Step,
  args: JsonObject,
  { toolbox, clock, signal }: RunOptions,
): Promise<JsonObject> {
  if (step.timeoutMs === undefined) return toolbox.call(step.tool, args, signal);
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  let isLate = false;
  const stop = clock.after(step.timeoutMs, () => {
    isLate = true;
    controller.abort(new DOMException("The step's time is up.", "TimeoutError"));
  });
  try {
    const answer = await toolbox.call(step.tool, args, controller.signal);
    const error = errorOf(answer);
    return isLate && error?.retryable ? tooLate(step, isUndone(error)) : answer;
  } finally {
    stop();
    signal.removeEventListener("abort", abort);
  }
}

function tooLate({ tool, timeoutMs }: Step, aborted: boolean): JsonObject {
  const message = `${tool} did not answer within ${timeoutMs} ms.`;
  const error = {
    code: "E_TIMEOUT",
    message,
    retryable: errors.rows.E_TIMEOUT.retryable,
    details: { aborted },
  };
  return { ok: false, summary: message, result: null, error };
}

interface StepError {
  readonly code: string;
  readonly message?: string;
  readonly retryable: boolean;
  readonly details?: JsonObject;
}

function errorOf(answer: JsonObject): StepError | undefined {
  // Every failure of this server has this shape.
  return answer.ok === true ? undefined : ((answer.error ?? undefined) as StepError | undefined);
}

/** Whether a failure means that nothing was done, rather than an unknown outcome. */
function isUndone(error: StepError | undefined): boolean {
  if (error?.code === "E_TIMEOUT") return error.details?.aborted === true;
  return error?.details?.outcome !== "unknown";
}

function pause(ms: number, { clock, signal }: RunOptions): Promise<void> {
  return waitForEvent<void>(
    { clock, timeoutMs: ms, signal },
    () => {},
    () => [],
  );
}

function skipped(step: Step): StepReport {
  return report(step, "skipped", 0, "A step before it failed.", []);
}

function report(
  { id, title, tool }: Step,
  status: StepReport["status"],
  attempts: number,
  summary: string,
  problems: readonly string[],
  code?: string,
  result?: Json,
): StepReport {
  return {
    id,
    title,
    tool,
    status,
    attempts,
    summary,
    problems,
    ...(code !== undefined && { code }),
    ...(result !== undefined && { result }),
  };
}

/** Why an answer does not meet the expectation, or undefined. */
function unmet(answer: JsonObject, expectation: Expectation): string | undefined {
  const { path, equals, contains, matches, exists, atLeast, atMost } = expectation;
  const value = valueAt(answer, path);
  const is = `${path} is ${format(value)}`;
  if (exists !== undefined)
    return (value !== undefined) === exists ? undefined : `${path} is ${exists ? "not there" : "there"}`;
  if (equals !== undefined)
    return canonicalJson(value ?? null) === canonicalJson(equals)
      ? undefined
      : `${is}, not ${format(equals)}`;
  if (contains !== undefined)
    return holds(value, contains) ? undefined : `${is} and does not contain ${format(contains)}`;
  if (matches !== undefined) {
    const pattern = safePattern(matches);
    if (typeof value !== "string" || pattern === undefined) return `${is} and does not match ${matches}`;
    const isMatch = matchInTime<boolean>("pattern.test(value)", { pattern, value });
    if (isMatch === undefined) return `${is}: matching ${matches} takes too long`;
    return isMatch ? undefined : `${is} and does not match ${matches}`;
  }
  const number = Array.isArray(value) ? value.length : value;
  if (typeof number !== "number") return `${is}, which is no number`;
  if (atLeast !== undefined)
    return number >= atLeast ? undefined : `${path} is ${number}, less than ${atLeast}`;
  if (atMost !== undefined) return number <= atMost ? undefined : `${path} is ${number}, more than ${atMost}`;
  return undefined;
}

function holds(value: Json | undefined, part: Json): boolean {
  if (typeof value === "string") return typeof part === "string" && value.includes(part);
  if (Array.isArray(value)) return value.some((item) => canonicalJson(item) === canonicalJson(part));
  return false;
}

function safePattern(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "u");
  } catch {
    // An invalid pattern matches nothing; the report shows it.
    return undefined;
  }
}

function format(value: Json | undefined): string {
  if (value === undefined) return "not there";
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
