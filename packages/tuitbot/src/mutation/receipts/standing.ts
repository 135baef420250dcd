import type { Selectable } from "kysely";
import type { ReceiptRow } from "../../storage/database.ts";
import { REFUSAL_MS } from "./repeat.ts";

export type Receipt = Selectable<ReceiptRow>;

/** What an earlier receipt means for the same call made again. */
export type Standing =
  /** A call with it is at work. */
  | { readonly kind: "running"; readonly until: number }
  /** Nobody knows how it ended: to be found out before anything is sent. */
  | { readonly kind: "unsettled" }
  /** It was done moments ago. */
  | { readonly kind: "just_done"; readonly until: number }
  /** It was done, and its answer still holds. */
  | { readonly kind: "done" }
  /** Some of it was done; the same call goes on with the rest. */
  | { readonly kind: "partly_done" }
  /** It was done too long ago to matter. */
  | { readonly kind: "lapsed" };

export function standingOf(receipt: Receipt, now: number, approvalId?: number): Standing {
  const hasLapsed = isOver(receipt, now) && !isOwed(receipt, approvalId);
  switch (receipt.state) {
    case "pending":
      return receipt.lease_until > now
        ? { kind: "running", until: receipt.lease_until }
        : { kind: "unsettled" };
    case "unknown":
      return { kind: "unsettled" };
    case "failed":
      // A receipt of which nothing was done gives up its claim when it fails.
      return hasLapsed ? { kind: "lapsed" } : { kind: "partly_done" };
    case "confirmed":
      if (hasLapsed) return { kind: "lapsed" };
      // A refusal is for those who have had the answer.
      return receipt.result_json !== null && now < receipt.created_at + REFUSAL_MS
        ? { kind: "just_done", until: receipt.created_at + REFUSAL_MS }
        : { kind: "done" };
  }
}

function isOver({ replay_until }: Receipt, now: number): boolean {
  return replay_until !== null && replay_until <= now;
}

/**
 * What was done without anybody being told is told to whoever makes the call next, however late. And an approval is
 * released once.
 */
function isOwed({ state, result_json, approval_claim }: Receipt, approvalId: number | undefined): boolean {
  return (
    (state === "confirmed" && result_json === null) ||
    (approvalId !== undefined && approval_claim === approvalId)
  );
}
