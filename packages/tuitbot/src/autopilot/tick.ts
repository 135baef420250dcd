import { randomUUID } from "node:crypto";
import { type Failure, failed, type Outcome, ok } from "@toolpact/contract";
import { newBill } from "@toolpact/contract/internal/guards";
import type { Config } from "../config/schema.ts";
import type { XBill } from "../guards/budget/bill.ts";
import { budgetLedger } from "../guards/budget/ledger.ts";
import { overBudget } from "../guards/mutation/budget.ts";
import { findStop, stopText } from "../guards/stop/stop.ts";
import { orStorageFailure, StorageError, storageFailure } from "../storage/storage-error.ts";
import { isActive } from "./active-hours.ts";
import { allLoops } from "./all-loops.ts";
import { keepRenewing, type Lease, takeLease } from "./lease.ts";
import {
  broken,
  completed,
  type Loop,
  type LoopContext,
  type LoopEnd,
  type LoopName,
  leaseMsOf,
  type Pass,
  skipped,
} from "./pass.ts";
import { dueAt, progressOf, recordRun, switchedOffText } from "./progress.ts";

export interface TickWish {
  /** Even if they are not due. */
  readonly loops?: readonly LoopName[] | undefined;
  /** Among the due ones; default all. */
  readonly among?: readonly LoopName[] | undefined;
  readonly isDryRun: boolean;
  readonly ignoresSchedule: boolean;
  /** Then nothing is published. */
  readonly isBreakerOpen?: boolean;
  readonly rest?: () => Promise<void>;
  /** As each loop ends. */
  readonly onLoop?: ((name: LoopName, end: LoopEnd) => void) | undefined;
}

export interface TickReport {
  readonly isActive: boolean;
  readonly loops: ReadonlyMap<LoopName, LoopEnd>;
}

/** Held during a pass. */
export const TICK_LEASE = "tick";

/** At most one pass per account, on any machine. */
export async function tick(
  setting: LoopContext,
  wish: TickWish,
  signal: AbortSignal,
): Promise<Outcome<TickReport, Failure>> {
  return orStorageFailure(async () => {
    const { now, after } = setting.workflow;
    const lifeMs = leaseMsOf(setting);
    const lease = await takeLease(setting, { name: TICK_LEASE, holder: randomUUID(), now, lifeMs });
    if ("takenUntil" in lease) return busy(lease.takenUntil, now());
    // Stops when another process has the lease.
    const lost = new AbortController();
    const stopRenewing = keepRenewing(lease, after, lifeMs, () => lost.abort());
    try {
      return ok(await passOver(setting, wish, signal, lease, lost));
    } finally {
      await stopRenewing();
      await lease.release();
    }
  });
}

async function passOver(
  setting: LoopContext,
  wish: TickWish,
  signal: AbortSignal,
  lease: Lease,
  lost: AbortController,
): Promise<TickReport> {
  const { now, settle } = setting.workflow;
  const keepLease = async () => {
    if (!(await lease.renew())) lost.abort();
  };
  const stopped = AbortSignal.any([signal, lost.signal]);
  const pass: Pass = {
    ...setting,
    config: withoutLink(setting.config),
    now,
    signal: stopped,
    workflow: {
      ...setting.workflow,
      // Canceling would leave an unknown outcome.
      call: (tool, args, by, _, release) =>
        setting.workflow.call(
          tool,
          args,
          by,
          stopped.aborted ? stopped : new AbortController().signal,
          release,
        ),
    },
    isDryRun: wish.isDryRun,
    async rest() {
      await wish.rest?.();
      await keepLease();
    },
  };
  const active = wish.ignoresSchedule || isActive(setting.config.schedule, now());
  const ends = new Map<LoopName, LoopEnd>();
  const stopInForce = () => findStop(setting.store.db, setting.account);
  if (!wish.isDryRun && (await stopInForce()) === undefined) await settle(pass.signal);
  for (const loop of allLoops) {
    if ([wish.loops, wish.among].some((names) => names?.includes(loop.name) === false)) continue;
    if (pass.signal.aborted) break;
    // A person may have stopped everything between two loops.
    const stop = await stopInForce();
    const why = stop === undefined ? await whyNot(loop, pass, wish, active) : `stopped: ${stopText(stop)}`;
    const run = wish.isDryRun && loop.reads ? completed({ due: 1 }) : undefined;
    const end = why === undefined ? (run ?? (await runLoop(loop, pass))) : skipped(why);
    ends.set(loop.name, end);
    wish.onLoop?.(loop.name, end);
    await keepLease();
  }
  return { isActive: active, loops: ends };
}

/** Nobody can accept X's extra price for a link here. */
function withoutLink({ business: { product_url: _, ...business }, ...config }: Config): Config {
  return { ...config, business };
}

async function whyNot(
  { name, keepsHours, publishes, everyMs }: Loop,
  pass: Pass,
  { loops, isBreakerOpen = false }: TickWish,
  active: boolean,
): Promise<string | undefined> {
  const progress = await progressOf(pass, name);
  if (progress.off !== undefined) return switchedOffText(progress.off);
  if (keepsHours && !active) return "outside the active hours";
  if (publishes && isBreakerOpen) return "the circuit breaker is open";
  if (loops !== undefined) return undefined;
  const due = dueAt(progress, everyMs(pass.config), pass.now());
  return due <= pass.now() ? undefined : "not due yet";
}

/** Reads count in the ledger and under the caps. */
async function runLoop(loop: Loop, pass: Pass): Promise<LoopEnd> {
  const { workflow, now } = pass;
  const tool = `loop:${loop.name}`;
  const bill: XBill = newBill({
    callId: randomUUID(),
    tool,
    by: tool,
    ledger: budgetLedger(pass, pass.config.x_api.owns_app),
    caps: workflow.caps,
    now,
  });
  const startedAt = now();
  const end = await loop.run({ ...pass, x: workflow.xFor(bill) }).catch(storageTrouble);
  // A read was not sent.
  const ended =
    end.status === "failed" && bill.refusal !== undefined && !(bill.refusal instanceof StorageError)
      ? broken(overBudget(bill.refusal))
      : end;
  if (!pass.isDryRun && ended.status !== "skipped") await recordRun(pass, loop.name, startedAt, ended);
  return ended;
}

function storageTrouble(error: unknown): LoopEnd {
  if (error instanceof StorageError) return broken(storageFailure(error));
  throw error;
}

/** Names when another process can begin. */
function busy(until: number, now: number): Outcome<never, Failure> {
  return failed({
    code: "validation_error",
    retryAfterMs: Math.max(0, until - now),
    message: `Another tuitbot is running for this account. If it has ended, this one can start at ${new Date(until).toISOString()}.`,
    suggestedFix: "Let it finish, or stop it.",
    fixBy: "operator",
  });
}

interface DryLoop {
  readonly name: LoopName;
  readonly status: LoopEnd["status"];
  readonly counts: Readonly<Record<string, number>>;
  readonly reason: string | null;
}

export async function dryRun(
  context: LoopContext,
  signal: AbortSignal,
): Promise<Outcome<{ readonly loops: readonly DryLoop[]; readonly is_active: boolean }, Failure>> {
  const passed = await tick(context, { isDryRun: true, ignoresSchedule: false }, signal);
  if (!passed.ok) return passed;
  const { loops, isActive } = passed.value;
  return ok({ loops: [...loops].map(([name, end]) => dryLoop(name, end)), is_active: isActive });
}

function dryLoop(name: LoopName, end: LoopEnd): DryLoop {
  switch (end.status) {
    case "completed":
      return { name, status: end.status, counts: end.counts, reason: null };
    case "skipped":
      return { name, status: end.status, counts: {}, reason: end.reason };
    case "failed":
      return { name, status: end.status, counts: {}, reason: end.failure.message };
  }
}
