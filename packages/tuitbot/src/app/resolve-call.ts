import { ok } from "@toolpact/outcome";
import { errors } from "../errors.ts";
import { settleByPerson } from "../guards/receipts/kysely-receipts.ts";
import { approvalsFor, type PersonSession } from "./approvals.ts";
import type { Services } from "./services.ts";

/** By what a person found at X. Sends nothing. */
export async function resolveCall(
  { id, is_out: isOut, post_id: postId }: ResolveRequest,
  session: Pick<Services, "db" | "workflow" | "approvals"> &
    Pick<PersonSession, "by" | "mayDecide" | "signal">,
) {
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
  // An approval's item is closed with its receipt.
  if (call.approval_id !== null && (call.state === "unknown" || call.state === "pending")) {
    const closed = await approvalsFor(session, session).settle(call.approval_id, isOut);
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

interface ResolveRequest {
  /** In the log. */
  readonly id: string;
  readonly is_out: boolean;
  /** If the call published one and the user knows its id. */
  readonly post_id?: string | undefined;
}
