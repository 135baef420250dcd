import { type Call, canonicalJson, EFFECTS, type Guard, type JsonObject, redact } from "@toolpact/contract";
import { xErrors } from "../../errors.ts";
import type { AuditRow } from "../../storage/database.ts";
import { prepared } from "../../storage/prepared.ts";
import type { OpenSession, Session } from "../../storage/session.ts";
import { StorageError } from "../../storage/storage-error.ts";
import { orStorageFailure } from "../../storage/storage-failure.ts";
import { budgetLedger } from "../budget/ledger.ts";
import { type GuardOutcome, type MutationContext, releases } from "../call-context.ts";
import { mutationContexts } from "../mutation-guard.ts";
import { type Mutation, mutationOf } from "../plan.ts";
import { identityOf } from "../receipts/call-identity.ts";
import { receiptStorage } from "../receipts/kysely-receipts.ts";

export interface AuditOptions {
  readonly session: OpenSession;
  /** Settles what earlier processes left behind; quick when there is nothing. */
  readonly settleLeftovers: (session: Session, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
}

/**
 * Keeps who tried to change what, what was decided and how it ended, whether it was let through or not. Everything
 * that stands behind it in the lane knows the mutation from here.
 */
export function auditGuard({
  session,
  settleLeftovers,
  now,
}: AuditOptions): Guard<unknown, unknown, JsonObject> {
  return {
    name: "audit",
    codes: () => [...xErrors, "db_error"],
    async run(call, next) {
      if (!EFFECTS[call.effect].mutates) return next();
      call.annotate({ correlation_id: call.id });
      const opened = await session(call.signal);
      if (!opened.ok) return opened;
      const mutation = mutationOf(call);
      if (mutation === undefined) return audited(call, opened.value, undefined, now, next);
      return orStorageFailure(async () => {
        await settleLeftovers(opened.value, call.signal);
        const { store, account } = opened.value;
        const identity = identityOf(account, call.tool.name, call.input);
        const release = releases.getStore();
        const isReleased = release?.tool === call.tool.name && release.argsDigest === identity.argsDigest;
        const context: MutationContext<Mutation> = {
          store,
          account,
          receipts: receiptStorage(opened.value),
          ledger: budgetLedger(opened.value),
          mutation,
          identity,
          release: isReleased ? release : undefined,
          decision: "none",
          ruleId: undefined,
          approvalId: isReleased ? release.approvalId : undefined,
          receiptId: undefined,
          limits: [],
          answers: undefined,
          paid: undefined,
          rebuilds: undefined,
        };
        return audited(call, opened.value, context, now, () => mutationContexts.run(context, next));
      });
    },
  };
}

async function audited(
  call: Call<unknown, unknown, JsonObject>,
  session: Session,
  context: MutationContext | undefined,
  now: () => number,
  run: () => Promise<GuardOutcome>,
): Promise<GuardOutcome> {
  let outcome: GuardOutcome | undefined;
  try {
    outcome = await run();
    return outcome;
  } finally {
    await write(call, session, rowOf(call, session.account, context, outcome, now()));
  }
}

async function write(
  call: Call<unknown, unknown, JsonObject>,
  { store }: Session,
  row: AuditRow,
): Promise<void> {
  try {
    await insertEntry(store.db, row);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    call.warn("This call could not be written to the audit log.");
  }
}

const insertEntry = prepared((db, entry: AuditRow) => db.insertInto("audit").values(entry));

function rowOf(
  call: Call<unknown, unknown, JsonObject>,
  account: string,
  context: MutationContext | undefined,
  outcome: GuardOutcome | undefined,
  now: number,
): AuditRow {
  const result = outcome?.ok === true ? outcome.value : undefined;
  const failure = outcome?.ok === false ? outcome.failure : undefined;
  return {
    correlation_id: call.id,
    account,
    at: call.startedAt,
    tool: call.tool.name,
    effect: call.effect,
    transport: call.caller.transport,
    client: call.caller.client ?? null,
    args_json: canonicalJson(redact(call.input)),
    decision: context?.decision ?? "local",
    rule_id: context?.ruleId ?? null,
    status: statusOf(outcome, context),
    code: failure?.code ?? null,
    message: failure?.message ?? null,
    receipt_id: context?.receiptId ?? null,
    approval_id: context?.approvalId ?? null,
    result_json: result === undefined ? null : JSON.stringify(result),
    rollback_json:
      result === undefined || context === undefined
        ? null
        : JSON.stringify(context.mutation.rollback(result)),
    elapsed_ms: Math.max(0, Math.round(now - call.startedAt)),
  };
}

function statusOf(outcome: GuardOutcome | undefined, context: MutationContext | undefined): string {
  if (outcome === undefined) return "failure";
  if (outcome.ok === null) return "asked";
  if (outcome.ok === false) {
    if (outcome.failure.reason === "duplicate_request") return "duplicate";
    return outcome.failure.policyDecision === "routed_to_approval" ? "routed" : "failure";
  }
  // Let through without a decision: it was answered from an earlier receipt.
  return context?.decision === "none" ? "duplicate" : "success";
}
