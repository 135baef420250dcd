import { type Failure, failed, type Outcome, ok } from "@toolpact/contract";
import { orStorageFailure } from "../storage/storage-failure.ts";
import { allLoops } from "./all-loops.ts";
import { circuitBreaker } from "./breaker.ts";
import type { LoopEnd, LoopSetting } from "./pass.ts";
import { dueAt, progressOf } from "./progress.ts";
import { type TickReport, tick } from "./tick.ts";

export interface RunSetting extends LoopSetting {
  /** Resolves after so many milliseconds, or when the signal fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onPass: (report: TickReport) => void;
  /** Somebody else is at work, or the database is not to be had, so a pass was left out. */
  readonly onLeftOut: (failure: Failure) => void;
}

/** Passes one after the other, at times that do not look like a clock, until the signal fires or nobody is signed in. */
export async function run(setting: RunSetting, signal: AbortSignal): Promise<Outcome<"stopped", Failure>> {
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

/** Nothing helps but a person. */
const FINAL: ReadonlySet<string> = new Set(["x_auth_expired", "x_not_configured", "x_account_restricted"]);

/** Never in a hurry, and never so long that a scheduled post waits for it. */
const SHORTEST_MS = 5_000;
const LONGEST_MS = 60_000;

async function untilNext(setting: RunSetting): Promise<number> {
  const next = await orStorageFailure(() => nextDue(setting));
  return typeof next === "number"
    ? Math.min(LONGEST_MS, Math.max(SHORTEST_MS, next - setting.workflow.now()))
    : LONGEST_MS;
}

async function nextDue(setting: RunSetting): Promise<number> {
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
