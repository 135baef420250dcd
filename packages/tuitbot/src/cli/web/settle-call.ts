import type { Failure } from "@toolpact/contract";
import { type Outcome, ok } from "@toolpact/outcome";
import { errors } from "../../errors.ts";
import { settleByPerson } from "../../guards/receipts/settle-by-person.ts";
import type { Commands } from "../../web/api.ts";
import { approvalSession } from "../approve/approval-session.ts";
import type { CommandSession } from "./command-session.ts";

/** Settles a call that got no answer of X, by what a person found there. Nothing is sent. */
export async function settleCall(
  { id, is_out: isOut, post_id: postId }: Commands["settle_call"]["request"],
  session: Pick<CommandSession, "db" | "workflow" | "approvals" | "by" | "signal">,
): Promise<Outcome<Commands["settle_call"]["answer"], Failure>> {
  const { store, account } = session.db;
  const now = session.workflow.now();
  const call = await store.db
    .selectFrom("audit")
    .innerJoin("receipts", "receipts.id", "audit.receipt_id")
    .select(["receipts.id", "receipts.state", "lease_until", "approval_id"])
    .where("audit.account", "=", account)
    .where("audit.correlation_id", "=", id)
    .executeTakeFirst();
  if (call === undefined) return errors.fail("not_found", `No call ${id} was sent to X.`);
  if (call.state === "pending" && call.lease_until > now)
    return errors.fail(
      "validation_error",
      "The call is still at work. Its outcome may be known in a moment.",
      {
        suggestedFix: `Look again after ${new Date(call.lease_until).toISOString()}.`,
        fixBy: "human",
      },
    );
  // The item of an approval is closed with its receipt.
  if (call.approval_id !== null && (call.state === "unknown" || call.state === "pending")) {
    const closed = await approvalSession(session, session.by, session.signal).settle(call.approval_id, isOut);
    if (closed.ok) return ok({ id, state: isOut ? "confirmed" : "failed" });
  }
  const finding = isOut ? { isOut, ...(postId !== undefined && { postId }) } : { isOut };
  const settled = await settleByPerson(store, call.id, finding, now);
  if (settled === undefined)
    return errors.fail("validation_error", "What became of this call is known by now.", {
      suggestedFix: "Look at it again.",
      fixBy: "human",
    });
  return ok({ id, state: settled.state });
}
