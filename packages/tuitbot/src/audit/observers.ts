import {
  type AnyOutcome,
  type Clock,
  EFFECTS,
  type Effect,
  type EndedCall,
  type Observer,
} from "@toolpact/contract";
import { canonicalJson, maskSecrets, redact } from "@toolpact/contract/internal";
import { type SqlBool, sql } from "kysely";
import { clientName } from "../agents/agent.ts";
import { asQueued } from "../guards/approval/ask-for-approval.ts";
import type { Annotations, CallContext, MutationRecord } from "../guards/call/call-context.ts";
import type { CallPlan, ToolFacts } from "../guards/call/tool-facts.ts";
import { hourOf } from "../storage/days.ts";
import { StorageError } from "../storage/storage-error.ts";
import type { Session } from "../storage/store.ts";
import type { AuditRow, TelemetryRow } from "../storage/tables/audit-tables.ts";
import { prepared } from "../storage/transaction.ts";

/** Also of calls with bad arguments. */
export interface Audit {
  readonly observer: Observer<ToolFacts, CallPlan, CallContext, Annotations>;
  /** Retries entries that failed. */
  readonly flush: () => Promise<void>;
}

type Entry = Omit<AuditRow, "account">;
type Ended = EndedCall<ToolFacts, CallPlan, CallContext, Annotations>;

/** An entry must not open a session, which asks X. */
export function audit(session: () => Session | undefined): Audit {
  let waiting: Entry[] = [];

  async function flush(): Promise<void> {
    const open = session();
    if (open === undefined) return;
    const entries = waiting;
    waiting = [];
    for (const [written, entry] of entries.entries()) {
      try {
        await writeEntry(open.store.db, { ...entry, account: open.account });
      } catch (error) {
        waiting = [...entries.slice(written), ...waiting].slice(-MAX_WAITING);
        throw error;
      }
    }
  }

  async function write(call: Ended): Promise<void> {
    const effect = changingEffect(call);
    if (effect === undefined || isWritten(call)) return;
    waiting.push(entryOf(call, effect));
    if (waiting.length > MAX_WAITING) waiting.shift();
    try {
      await flush();
    } catch (error) {
      unlessStorage(error);
      call.warn("This call could not be written to the audit log.");
    }
  }

  return {
    flush: () => flush().catch(unlessStorage),
    observer: { name: "audit", ended: write, endedLate: write },
  };
}

/**
 * Writes the entry of an ended call. A receipt's entry is replaced, unless its outcome was resolved meanwhile
 * and this call does not know it.
 */
const writeEntry = prepared((db, entry: AuditRow) => {
  const { correlation_id, at, ...ended } = entry;
  return db
    .insertInto("audit")
    .values(entry)
    .onConflict((conflict) =>
      conflict
        .column("correlation_id")
        .doUpdateSet(ended)
        .where(
          sql<SqlBool>`(audit.status = 'pending' or excluded.status <> 'pending')
            and (audit.receipt_id is null or excluded.receipt_id is not null)`,
        ),
    );
});

/** Its receipt has written everything. */
function isWritten({ outcome, context }: Ended): boolean {
  return outcome.ok === true && context.planned?.record.isAudited === true;
}

/** Kept while there is no session, or no writable database. */
const MAX_WAITING = 1_000;

function unlessStorage(error: unknown): void {
  if (!(error instanceof StorageError)) throw error;
}

/** Undefined for reads. Bad arguments may have asked for any effect. */
function changingEffect({ effect, tool }: Ended): Effect | undefined {
  return (effect === undefined ? tool.effects : [effect]).find((one) => EFFECTS[one].mutates);
}

function entryOf(call: Ended, effect: Effect): Entry {
  const { outcome, context, tool } = call;
  const { record, mutation } = context.planned ?? {};
  const queued = outcome.ok === true ? asQueued(outcome.value) : undefined;
  const isQueued = queued !== undefined;
  // Nothing to show or undo.
  const result = outcome.ok === true && !isQueued ? outcome.value : undefined;
  const failure = outcome.ok === false ? outcome.failure : undefined;
  return {
    correlation_id: call.id,
    at: call.startedAt,
    tool: tool.name,
    effect,
    transport: call.caller.transport,
    client: clientName(call.caller, context.isOwnCall) ?? null,
    args_json: canonicalJson(redact(call.input)),
    decision: record?.decision ?? (tool.facts.isLocal ? "local" : "none"),
    rule_id: record?.ruleId ?? null,
    status: isQueued ? "routed" : statusOf(outcome, record),
    code: failure?.code ?? null,
    message: failure === undefined ? null : maskSecrets(failure.message),
    receipt_id: record?.receiptId ?? null,
    approval_id: record?.approvalId ?? queued?.approval_queue_id ?? null,
    result_json: result === undefined ? null : JSON.stringify(redact({ result }).result),
    rollback_json:
      result === undefined || mutation === undefined ? null : JSON.stringify(mutation.rollback(result)),
    elapsed_ms: call.elapsedMs,
  };
}

function statusOf(outcome: AnyOutcome, record: MutationRecord | undefined): string {
  if (outcome.ok === null) return "asked";
  if (outcome.ok === false) {
    // Running, unanswered, or answered and lost: the receipt says how it ended.
    if (record?.receiptState !== undefined && record.receiptState !== "failed") return "pending";
    return outcome.failure.reason === "duplicate_request" ? "duplicate" : "failure";
  }
  // Answered from an earlier receipt.
  return record?.decision === "none" ? "duplicate" : "success";
}

export interface TelemetryOptions {
  /** Measuring must not open one. */
  readonly session: () => Session | undefined;
  readonly clock: Clock;
}

export interface Telemetry {
  readonly observer: Observer;
  readonly flush: () => Promise<void>;
  /** Before the database is closed. */
  readonly stop: () => Promise<void>;
}

/** One call, or several that ended alike. */
type Measured = Omit<TelemetryRow, "account">;

/** In batches, after the answer was sent. */
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
      // Metrics are not worth a failure or unbounded memory.
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
        if (waiting.length > MAX_WAITING) waiting.shift();
      },
    },
  };
}

const BATCH = 50;
const PAUSE_MS = 1_000;

/** One row per hour and outcome, in an order that avoids lock waits. */
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

/** Exact below 20, otherwise to about 10 %: 20, 25, 30 … 95, 100, 110 … */
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
