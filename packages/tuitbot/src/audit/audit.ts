import { type AnyOutcome, EFFECTS, type Effect, type EndedCall, type Observer } from "@toolpact/contract";
import { canonicalJson, maskSecrets, redact } from "@toolpact/contract/internal";
import { type SqlBool, sql } from "kysely";
import { clientName } from "../agents/agent.ts";
import { asQueued } from "../guards/approval/ask-for-approval.ts";
import type { Annotations, CallContext, MutationRecord } from "../guards/call/call-context.ts";
import type { CallPlan, ToolFacts } from "../guards/call/tool-facts.ts";
import { prepared } from "../storage/prepared.ts";
import { StorageError } from "../storage/storage-error.ts";
import type { Session } from "../storage/store.ts";
import type { AuditRow } from "../storage/tables/audit-tables.ts";

/** Writes who tried to change what, what was decided and how it ended, also of calls with bad arguments. */
export interface Audit {
  readonly observer: Observer<ToolFacts, CallPlan, CallContext, Annotations>;
  /** Writes the entries that could not be written before. */
  readonly flush: () => Promise<void>;
}

type Entry = Omit<AuditRow, "account">;
type Ended = EndedCall<ToolFacts, CallPlan, CallContext, Annotations>;

/** `session` is the session if one is open: an entry must not open one, which asks X. */
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
        waiting = [...entries.slice(written), ...waiting].slice(-MOST_WAITING);
        throw error;
      }
    }
  }

  async function write(call: Ended): Promise<void> {
    const effect = changingEffect(call);
    if (effect === undefined || isWritten(call)) return;
    waiting.push(entryOf(call, effect));
    if (waiting.length > MOST_WAITING) waiting.shift();
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
 * Writes the entry of a call that has ended. A call with a receipt has one already; what that says is replaced, unless
 * the outcome was found out meanwhile and this call does not know it, or it does not even know of its receipt, because
 * the database took it and the answer was lost.
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

/** Its receipt has written it all, and the call was answered as its tool did. */
function isWritten({ outcome, context }: Ended): boolean {
  return outcome.ok === true && context.planned?.record.isAudited === true;
}

/** While there is no session, or the database cannot be written. */
const MOST_WAITING = 1_000;

function unlessStorage(error: unknown): void {
  if (!(error instanceof StorageError)) throw error;
}

/** What the call changes; undefined where it changes nothing. Bad arguments may have asked for any effect of the tool. */
function changingEffect({ effect, tool }: Ended): Effect | undefined {
  return (effect === undefined ? tool.effects : [effect]).find((one) => EFFECTS[one].mutates);
}

function entryOf(call: Ended, effect: Effect): Entry {
  const { outcome, context, tool } = call;
  const { record, mutation } = context.planned ?? {};
  const isQueued = outcome.ok === true && asQueued(outcome.value) !== undefined;
  // Nothing was done that could be shown or undone.
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
    approval_id: record?.approvalId ?? null,
    result_json: result === undefined ? null : JSON.stringify(redact({ result }).result),
    rollback_json:
      result === undefined || mutation === undefined ? null : JSON.stringify(mutation.rollback(result)),
    elapsed_ms: call.elapsedMs,
  };
}

function statusOf(outcome: AnyOutcome, record: MutationRecord | undefined): string {
  if (outcome.ok === null) return "asked";
  if (outcome.ok === false) {
    // It is still at work, X has not answered, or it was done and the answer was lost: the receipt says how it ended.
    if (record?.receiptState !== undefined && record.receiptState !== "failed") return "pending";
    return outcome.failure.reason === "duplicate_request" ? "duplicate" : "failure";
  }
  // Let through without a decision: it was answered from an earlier receipt.
  return record?.decision === "none" ? "duplicate" : "success";
}
