import { type Call, type Clock, EFFECTS, type Guard, type JsonObject } from "@toolpact/contract";
import type { Insertable } from "kysely";
import type { TelemetryRow } from "../../storage/database.ts";
import type { Session } from "../../storage/session.ts";
import { StorageError } from "../../storage/storage-error.ts";
import type { GuardOutcome } from "../call-context.ts";

export interface TelemetryOptions {
  /** The session if one is open: measuring must not open one. */
  readonly session: () => Session | undefined;
  readonly clock: Clock;
}

export interface Telemetry {
  readonly guard: Guard<unknown, unknown, JsonObject>;
  /** Writes down what was measured so far. */
  readonly flush: () => Promise<void>;
  /** The same, for good: before the database is closed. */
  readonly stop: () => Promise<void>;
}

/** Measures every call, and writes it down in batches, after the answer has gone out. */
export function telemetry({ session, clock }: TelemetryOptions): Telemetry {
  let waiting: Omit<Insertable<TelemetryRow>, "account">[] = [];
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

  function keep(row: Omit<Insertable<TelemetryRow>, "account">): void {
    if (isStopped) return;
    waiting.push(row);
    if (waiting.length >= BATCH) void flush();
    else cancel ??= clock.after(PAUSE_MS, () => void flush());
    if (waiting.length > MOST_WAITING) waiting.shift();
  }

  return {
    flush,
    stop() {
      isStopped = true;
      return flush();
    },
    guard: {
      name: "telemetry",
      codes: () => [],
      async run(call, next) {
        let outcome: GuardOutcome | undefined;
        try {
          outcome = await next();
          return outcome;
        } finally {
          keep(measured(call, outcome, clock.now()));
        }
      },
    },
  };
}

const BATCH = 50;
const PAUSE_MS = 1_000;
/** While there is no session. */
const MOST_WAITING = 1_000;

function measured(
  { tool, effect, startedAt }: Call<unknown, unknown, JsonObject>,
  outcome: GuardOutcome | undefined,
  now: number,
): Omit<Insertable<TelemetryRow>, "account"> {
  const failure = outcome?.ok === false ? outcome.failure : undefined;
  const isFine = outcome !== undefined && outcome.ok !== false;
  return {
    at: startedAt,
    tool: tool.name,
    category: tool.category,
    elapsed_ms: Math.max(0, Math.round(now - startedAt)),
    success: isFine ? 1 : 0,
    code: failure?.code ?? null,
    policy_decision: EFFECTS[effect].mutates ? (DECISIONS[failure?.policyDecision ?? ""] ?? "allow") : null,
  };
}

const DECISIONS: Readonly<Record<string, string>> = {
  denied: "deny",
  routed_to_approval: "route_to_approval",
  dry_run: "dry_run",
};
