import { type Call, type Failed, type Failure, failed, type Outcome } from "@toolpact/contract";
import { formatUsd } from "@toolpact/contract/internal/money";
import type { ProviderError } from "@toolpact/x-api";
import type { Session } from "../../storage/store.ts";
import { xFailed } from "../../x/x-errors.ts";
import type { ApprovalContext } from "../approval/approval-context.ts";
import type { ApprovalStorage } from "../approval/ask-for-approval.ts";
import type { XBill } from "../budget/bill.ts";
import type { BoundContext, PlannedMutation } from "../call/call-context.ts";
import type { MutationCall, PlannedCall } from "../call/mutation.ts";

export interface ChangeDependencies {
  readonly approvalsOf: (session: Session) => ApprovalStorage;
  /** Reads what a call is about, as far as X shows it in time. */
  readonly contextOf: ReadFor<ApprovalContext>;
  /** Reads whether X still shows what the approver saw. */
  readonly isAsShown: (
    shown: BoundContext,
    ...call: Parameters<ReadFor<unknown>>
  ) => Promise<Outcome<boolean, ProviderError>>;
}

/** Reads something about a call from X. What is read is put on the bill. */
export type ReadFor<T> = (
  call: PlannedCall & Pick<Call, "signal">,
  account: string,
  bill: XBill | undefined,
) => Promise<T>;

export const CHANGED_SINCE_APPROVAL = "changed_since_approval";

/**
 * Refuses an approved call if X no longer shows what the approver saw, or if it costs more by now. The item then waits with
 * what there is now.
 */
export async function changedSinceApproval(
  call: MutationCall,
  { release, record }: PlannedMutation,
  bill: XBill | undefined,
  { approvalsOf, contextOf, isAsShown }: ChangeDependencies,
): Promise<Failed<Failure> | undefined> {
  if (release?.shown === undefined) return undefined;
  const { approvalId } = release;
  const { context, micros } = release.shown;
  const { account } = call.context;
  if (record.estimated > micros) {
    await approvalsOf(account).showAgain(approvalId, { estimatedMicros: record.estimated });
    return changed(
      approvalId,
      `It costs ${formatUsd(record.estimated)} by now, and ${formatUsd(micros)} was shown.`,
    );
  }
  if (context === undefined) return undefined;
  const same = await isAsShown(context, call, account.account, bill);
  if (!same.ok) return xFailed(same.failure, "read");
  if (same.value) return undefined;
  await approvalsOf(account).showAgain(approvalId, { context: await contextOf(call, account.account, bill) });
  return changed(approvalId, "The post or the people it is about have changed.");
}

function changed(approvalId: number, why: string): Failed<Failure> {
  return failed({
    code: "policy_denied_hard_rule",
    reason: CHANGED_SINCE_APPROVAL,
    policyDecision: "denied",
    message: `Item ${approvalId} is not what was shown any more. ${why} Nothing was sent.`,
    suggestedFix: "Read it again, then decide about it as it is now.",
    fixBy: "human",
    details: { approval_queue_id: approvalId },
  });
}
