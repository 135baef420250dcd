import { type AnyOutcome, type Clock, EFFECTS, type EndedCall, type Observer } from "@toolpact/contract";
import type { Insertable } from "kysely";
import type { TelemetryRow } from "../../storage/database.ts";
import { StorageError } from "../../storage/storage-error.ts";
import type { Session } from "../../storage/store.ts";
import { asQueued } from "../policy/ask-for-approval.ts";

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

type Measured = Omit<Insertable<TelemetryRow>, "account">;

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
    const rows = waiting.map((row) => ({ ...row, account: open.account }));
    waiting = [];
    try {
      await open.store.db.insertInto("telemetry").values(rows).execute();
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

function measured({ tool, effect, startedAt, elapsedMs, outcome }: EndedCall): Measured {
  const failure = outcome.ok === false ? outcome.failure : undefined;
  const isChange = effect !== undefined && EFFECTS[effect].mutates;
  return {
    at: startedAt,
    tool: tool.name,
    category: tool.category,
    elapsed_ms: elapsedMs,
    success: failure === undefined ? 1 : 0,
    code: failure?.code ?? null,
    policy_decision: isChange ? decisionIn(outcome) : null,
  };
}

function decisionIn(outcome: AnyOutcome): string {
  if (outcome.ok === false) return DECISIONS[outcome.failure.policyDecision ?? ""] ?? "allow";
  return outcome.ok && asQueued(outcome.value) !== undefined ? "route_to_approval" : "allow";
}

const DECISIONS: Readonly<Record<string, string>> = { denied: "deny", dry_run: "dry_run" };
