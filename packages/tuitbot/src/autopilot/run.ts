import { randomUUID } from "node:crypto";
import { type Failure, failed, type Outcome, ok } from "@toolpact/contract";
import { MINUTE_MS } from "@toolpact/contract/internal";
import type { Config } from "../config/schema.ts";
import { RUNNER_LEASE } from "../drafts/runner.ts";
import { orStorageFailure } from "../storage/storage-error.ts";
import { nextActive } from "./active-hours.ts";
import { allLoops } from "./all-loops.ts";
import { keepRenewing, type Lease, RENEWALS, takeLease } from "./lease.ts";
import { type LoopContext, type LoopEnd, type LoopName, leaseMsOf } from "./pass.ts";
import { dueAt, progressOf } from "./progress.ts";
import { type TickReport, tick } from "./tick.ts";

export interface RunContext extends LoopContext {
  /** Default all. */
  readonly among?: readonly LoopName[] | undefined;
  /** Milliseconds, or until the signal. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called as each loop ends. */
  readonly onLoop?: ((name: LoopName, end: LoopEnd) => void) | undefined;
  readonly onPass: (report: TickReport) => void;
  /** Called after too many refusals; nothing is published until then. */
  readonly onBreakerOpen?: ((until: number) => void) | undefined;
  /** Another process runs, or the database cannot be used. */
  readonly onLeftOut: (failure: Failure) => void;
}

/**
 * At irregular intervals, until the signal or a failure that only a person can fix. One runner per account
 * works; others wait to take over.
 */
export async function run(setting: RunContext, signal: AbortSignal): Promise<Outcome<"stopped", Failure>> {
  const { workflow, pause, onLeftOut } = setting;
  const lifeMs = leaseMsOf(setting);
  const request = { name: RUNNER_LEASE, holder: randomUUID(), now: workflow.now, lifeMs };
  let said: string | undefined;
  while (!signal.aborted) {
    const taken = await orStorageFailure(async () => ok(await takeLease(setting, request)));
    if (taken.ok && !("takenUntil" in taken.value)) {
      said = undefined;
      const ended = await runWith(taken.value, setting, signal);
      if (ended !== "lost") return ended;
      continue;
    }
    const why = taken.ok ? WAITING : taken.failure;
    // A lasting reason is reported once.
    if (why.message !== said) onLeftOut(why);
    said = why.message;
    await pause(lifeMs / RENEWALS, signal);
  }
  return ok("stopped");
}

const WAITING: Failure = {
  code: "validation_error",
  message: "Another runner works for this account. This one waits, and takes over when that one ends.",
};

async function runWith(
  lease: Lease,
  setting: RunContext,
  signal: AbortSignal,
): Promise<Outcome<"stopped", Failure> | "lost"> {
  const lost = new AbortController();
  const stopRenewing = keepRenewing(lease, setting.workflow.after, leaseMsOf(setting), () => lost.abort());
  try {
    const ended = await repeat(lease, setting, signal, lost.signal);
    return lost.signal.aborted && !signal.aborted ? "lost" : ended;
  } finally {
    await stopRenewing();
    await orStorageFailure(async () => ok(await lease.release()));
  }
}

async function repeat(
  lease: Lease,
  setting: RunContext,
  signal: AbortSignal,
  lost: AbortSignal,
): Promise<Outcome<"stopped", Failure>> {
  const { config, workflow, random, pause } = setting;
  const { min_action_delay_seconds: least, max_action_delay_seconds: most } = config.limits;
  const jitter = () => (least + random() * Math.max(0, most - least)) * 1_000;
  const breaker = circuitBreaker(config.circuit_breaker);
  const stopped = AbortSignal.any([signal, lost]);
  while (!stopped.aborted) {
    const now = workflow.now();
    const passed = await tick(
      setting,
      {
        isDryRun: false,
        ignoresSchedule: false,
        among: setting.among,
        isBreakerOpen: breaker.isOpen(now),
        rest: () => pause(jitter(), stopped),
        onLoop: setting.onLoop,
      },
      stopped,
    );
    if (passed.ok) {
      setting.onPass(passed.value);
      const ends = [...passed.value.loops.values()];
      const until = breaker.note(ends.flatMap(codesOf), workflow.now());
      if (until !== undefined) setting.onBreakerOpen?.(until);
      const end = ends.flatMap(failureOf).find(({ code }) => FINAL.has(code));
      if (end !== undefined) return failed(end);
    } else if (passed.failure.retryAfterMs === undefined) setting.onLeftOut(passed.failure);
    // A dead runner's lease ends with its own.
    const isHeld = !passed.ok && passed.failure.retryAfterMs !== undefined;
    if (isHeld)
      await pause(Math.max(HELD_MS, Math.min(passed.failure.retryAfterMs ?? 0, MAX_PAUSE_MS)), stopped);
    else if (!stopped.aborted) await pause(await untilNext(setting, jitter()), stopped);
    // Timers may have stopped while the machine slept.
    await orStorageFailure(async () => ok(await lease.renew()));
  }
  return ok("stopped");
}

/** Only a person can fix these. */
const FINAL: ReadonlySet<string> = new Set(["x_auth_expired", "x_not_configured", "x_account_restricted"]);

/** Pauses between passes; the maximum keeps scheduled posts on time. */
const MIN_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = MINUTE_MS;
const HELD_MS = 250;

/** Irregular, except to resolve an interrupted post, which sends nothing. */
async function untilNext(setting: RunContext, jitter: number): Promise<number> {
  const { now } = setting.workflow;
  const next = await orStorageFailure(async () => ({
    due: await nextDue(setting),
    interrupted: await nextInterrupted(setting),
  }));
  if ("failure" in next) return MAX_PAUSE_MS + jitter;
  const pause = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, next.due - now())) + jitter;
  return Math.min(pause, Math.max(MIN_PAUSE_MS, next.interrupted - now()));
}

/** When an interrupted post can be resolved. */
async function nextInterrupted({ store, account }: RunContext): Promise<number> {
  const first = await store.db
    .selectFrom("scheduled_posts")
    .select("lease_until")
    .where("account", "=", account)
    .where("status", "=", "publishing")
    .orderBy("lease_until")
    .limit(1)
    .executeTakeFirst();
  return first?.lease_until ?? Number.POSITIVE_INFINITY;
}

async function nextDue(setting: RunContext): Promise<number> {
  return Math.min(...(await upcoming(setting)).map(({ at }) => at));
}

/** Next runs, soonest first; in the past if due. Loops with active hours wait for them. */
export async function upcoming(
  setting: LoopContext & Pick<RunContext, "among">,
): Promise<readonly { readonly name: LoopName; readonly at: number }[]> {
  const dues = await Promise.all(
    allLoops
      .filter(({ name, everyMs }) => everyMs(setting.config) > 0 && setting.among?.includes(name) !== false)
      .map(async ({ name, everyMs, keepsHours }) => {
        const progress = await progressOf(setting, name);
        const now = setting.workflow.now();
        const due = dueAt(progress, everyMs(setting.config), now);
        const active = keepsHours ? nextActive(setting.config.schedule, Math.max(due, now)) : due;
        if (active === undefined || progress.off !== undefined) return [];
        return [{ name, at: active === now ? due : active }];
      }),
  );
  return dues.flat().sort((a, b) => a.at - b.at);
}

function codesOf(end: LoopEnd): readonly string[] {
  if (end.status === "completed") return end.codes;
  return failureOf(end).map(({ code }) => code);
}

function failureOf(end: LoopEnd): readonly Failure[] {
  return end.status === "failed" ? [end.failure] : [];
}

/** Pauses publishing after too many refusals. */
export interface Breaker {
  readonly isOpen: (now: number) => boolean;
  /** Returns until when it is open, if these opened it. */
  readonly note: (codes: readonly string[], now: number) => number | undefined;
}

/** Opens after too many refusals, and starts a new window. */
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
      if (refusals.length < error_threshold) return undefined;
      openUntil = now + cooldown_seconds * 1_000;
      refusals = [];
      return openUntil;
    },
  };
}

const REFUSALS: ReadonlySet<string> = new Set(["x_rate_limited", "x_forbidden", "x_account_restricted"]);
