import type { Selectable } from "kysely";
import type { ReceiptRow } from "../storage/database.ts";
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

/** To whoever releases an approval, a receipt of that approval never lapses: it is released once. */
export function standingOf(receipt: Receipt, now: number, approvalId?: number): Standing {
  const lapsed = receipt.replay_until !== null && receipt.replay_until <= now;
  const hasLapsed = lapsed && !(approvalId !== undefined && receipt.approval_claim === approvalId);
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
      return now < receipt.created_at + REFUSAL_MS
        ? { kind: "just_done", until: receipt.created_at + REFUSAL_MS }
        : { kind: "done" };
  }
}
