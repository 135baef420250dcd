import { type AnyOutcome, type Clock, EFFECTS, type EndedCall, type Observer } from "@toolpact/contract";
import { sql } from "kysely";
import { asQueued } from "../guards/approval/ask-for-approval.ts";
import { hourOf } from "../storage/days.ts";
import { prepared } from "../storage/prepared.ts";
import { StorageError } from "../storage/storage-error.ts";
import type { Session } from "../storage/store.ts";
import type { TelemetryRow } from "../storage/tables/audit-tables.ts";

export interface TelemetryOptions {
  /** The session if one is open: measuring must not open one. */
  readonly session: () => Session | undefined;
  readonly clock: Clock;
}

export interface Telemetry {
  readonly observer: Observer;
  /** Writes what was measured so far. */
  readonly flush: () => Promise<void>;
  /** The same, for good: before the database is closed. */
  readonly stop: () => Promise<void>;
}

/** A call that has ended, or several that ended alike. */
type Measured = Omit<TelemetryRow, "account">;

/** Measures every call, and writes the measurements in batches, after the answer has gone out. */
export function telemetry({ session, clock }: TelemetryOptions): Telemetry {
  let waiting: Measured[] = [];
  let cancel: (() => void) | undefined;
  let isStopped = false;

  async function flush(): Promise<void> {
    cancel?.();
    cancel = undefined;
    const open = session();
    if (open === undefined || waiting.length === 0) return;
    const rows = addedUp(waiting).map((row) => ({ ...row, account: open.account }));
    waiting = [];
    try {
      await open.store.transaction(async (db) => {
        for (const row of rows) await addRow(db, row);
      });
    } catch (error) {
      // Numbers are not worth a failure, nor memory without end.
      if (!(error instanceof StorageError)) throw error;
    }
  }

  return {
    flush,
    stop() {
      isStopped = true;
      return flush();
    },
    observer: {
      name: "telemetry",
      ended(call) {
        if (isStopped) return;
        waiting.push(measured(call));
        if (waiting.length >= BATCH) void flush();
        else cancel ??= clock.after(PAUSE_MS, () => void flush());
        if (waiting.length > MOST_WAITING) waiting.shift();
      },
    },
  };
}

const BATCH = 50;
const PAUSE_MS = 1_000;
/** While there is no session. */
const MOST_WAITING = 1_000;

/** One row for calls that ended alike within an hour, in an order in which transactions do not wait for each other. */
function addedUp(calls: readonly Measured[]): readonly Measured[] {
  const alike = Map.groupBy(calls, keyOf);
  return [...alike.keys()].sort().map((key) => (alike.get(key) ?? []).reduce(together));
}

function keyOf({ hour, tool, category, code, policy_decision, latency_ms }: Measured): string {
  return JSON.stringify([hour, tool, category, code, policy_decision, latency_ms]);
}

function together(one: Measured, other: Measured): Measured {
  return {
    ...one,
    calls: one.calls + other.calls,
    total_ms: one.total_ms + other.total_ms,
    min_ms: Math.min(one.min_ms, other.min_ms),
    max_ms: Math.max(one.max_ms, other.max_ms),
    latest_at: Math.max(one.latest_at, other.latest_at),
  };
}

const addRow = prepared((db, row: TelemetryRow) =>
  db
    .insertInto("telemetry")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["account", "hour", "tool", "category", "code", "policy_decision", "latency_ms"])
        .doUpdateSet({
          calls: sql`telemetry.calls + excluded.calls`,
          total_ms: sql`telemetry.total_ms + excluded.total_ms`,
          min_ms: sql`case when excluded.min_ms < telemetry.min_ms then excluded.min_ms else telemetry.min_ms end`,
          max_ms: sql`case when excluded.max_ms > telemetry.max_ms then excluded.max_ms else telemetry.max_ms end`,
          latest_at: sql`case when excluded.latest_at > telemetry.latest_at then excluded.latest_at
            else telemetry.latest_at end`,
        }),
    ),
);

function measured({ tool, effect, startedAt, elapsedMs, outcome }: EndedCall): Measured {
  const failure = outcome.ok === false ? outcome.failure : undefined;
  const isChange = effect !== undefined && EFFECTS[effect].mutates;
  const elapsed = Math.round(elapsedMs);
  return {
    hour: hourOf(startedAt),
    tool: tool.name,
    category: tool.category,
    code: failure?.code ?? "",
    policy_decision: isChange ? decisionIn(outcome) : "",
    latency_ms: roughly(elapsed),
    calls: 1,
    total_ms: elapsed,
    min_ms: elapsed,
    max_ms: elapsed,
    latest_at: startedAt,
  };
}

/** Exact below 20, otherwise to about a tenth: 20, 25, 30 … 95, 100, 110 … 190, 200, 250 … */
function roughly(ms: number): number {
  if (ms < 20) return ms;
  const unit = 10 ** (Math.floor(Math.log10(ms)) - 1);
  const step = ms / unit < 20 ? unit : 5 * unit;
  return Math.round(ms / step) * step;
}

function decisionIn(outcome: AnyOutcome): string {
  if (outcome.ok === false) return DECISIONS[outcome.failure.policyDecision ?? ""] ?? "allow";
  return outcome.ok && asQueued(outcome.value) !== undefined ? "route_to_approval" : "allow";
}

const DECISIONS: Readonly<Record<string, string>> = { denied: "deny", dry_run: "dry_run" };
