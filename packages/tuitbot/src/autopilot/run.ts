import { type Failure, failed, type Outcome, ok } from "@toolpact/contract";
import type { Config } from "../config/schema.ts";
import { orStorageFailure } from "../storage/storage-error.ts";
import { allLoops } from "./all-loops.ts";
import type { LoopContext, LoopEnd } from "./pass.ts";
import { dueAt, progressOf } from "./progress.ts";
import { type TickReport, tick } from "./tick.ts";

export interface RunContext extends LoopContext {
  /** Resolves after so many milliseconds, or when the signal fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onPass: (report: TickReport) => void;
  /** Called when a pass was skipped, because another process is running or the database cannot be used. */
  readonly onLeftOut: (failure: Failure) => void;
}

/** Runs passes at irregular intervals, until the signal fires or only a person can help. */
export async function run(setting: RunContext, signal: AbortSignal): Promise<Outcome<"stopped", Failure>> {
  const { config, workflow, random, pause } = setting;
  const { min_action_delay_seconds: least, max_action_delay_seconds: most } = config.limits;
  const jitter = () => (least + random() * Math.max(0, most - least)) * 1_000;
  const breaker = circuitBreaker(config.circuit_breaker);
  while (!signal.aborted) {
    const now = workflow.now();
    const passed = await tick(
      setting,
      {
        isDryRun: false,
        ignoresSchedule: false,
        isBreakerOpen: breaker.isOpen(now),
        rest: () => pause(jitter(), signal),
      },
      signal,
    );
    if (passed.ok) {
      setting.onPass(passed.value);
      const ends = [...passed.value.loops.values()];
      breaker.note(ends.flatMap(codesOf), workflow.now());
      const end = ends.flatMap(failureOf).find(({ code }) => FINAL.has(code));
      if (end !== undefined) return failed(end);
    } else setting.onLeftOut(passed.failure);
    if (!signal.aborted) await pause((await untilNext(setting)) + jitter(), signal);
  }
  return ok("stopped");
}

/** Codes that only a person can resolve. */
const FINAL: ReadonlySet<string> = new Set(["x_auth_expired", "x_not_configured", "x_account_restricted"]);

/** Limits of the pause between two passes; the maximum keeps scheduled posts on time. */
const MIN_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 60_000;

async function untilNext(setting: RunContext): Promise<number> {
  const next = await orStorageFailure(() => nextDue(setting));
  return typeof next === "number"
    ? Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, next - setting.workflow.now()))
    : MAX_PAUSE_MS;
}

async function nextDue(setting: RunContext): Promise<number> {
  const dues = await Promise.all(
    allLoops
      .filter(({ everyMs }) => everyMs(setting.config) > 0)
      .map(async ({ name, everyMs }) =>
        dueAt(await progressOf(setting, name), everyMs(setting.config), setting.workflow.now()),
      ),
  );
  return Math.min(...dues);
}

function codesOf(end: LoopEnd): readonly string[] {
  if (end.status === "completed") return end.codes;
  return failureOf(end).map(({ code }) => code);
}

function failureOf(end: LoopEnd): readonly Failure[] {
  return end.status === "failed" ? [end.failure] : [];
}

/** Pauses publishing when X refuses too often. */
export interface Breaker {
  readonly isOpen: (now: number) => boolean;
  /** Counts the refusals of a pass. */
  readonly note: (codes: readonly string[], now: number) => void;
}

/** Opens after too many refusals within a window, and then starts a new window. */
export function circuitBreaker({
  error_threshold,
  window_seconds,
  cooldown_seconds,
}: Config["circuit_breaker"]): Breaker {
  let refusals: number[] = [];
  let openUntil = Number.NEGATIVE_INFINITY;
  return {
    isOpen: (now) => now < openUntil,
    note(codes, now) {
      const since = now - window_seconds * 1_000;
      const count = codes.filter((code) => REFUSALS.has(code)).length;
      refusals = [...refusals.filter((at) => at > since), ...Array<number>(count).fill(now)];
      if (refusals.length < error_threshold) return;
      openUntil = now + cooldown_seconds * 1_000;
      refusals = [];
    },
  };
}

const REFUSALS: ReadonlySet<string> = new Set(["x_rate_limited", "x_forbidden", "x_account_restricted"]);
