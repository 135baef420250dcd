import { DAY_MS } from "@toolpact/contract/internal";
import type { EarlierCall } from "@toolpact/contract/internal/guards";
import type { ReceiptRow } from "../../storage/tables/receipt-tables.ts";
import type { MutationIdentity } from "./call-identity.ts";

/**
 * What happens to the same call made again:
 * - `day`: for 24 hours it gets the first answer
 * - `until_undone`: it gets the first answer until what it did is undone
 * - `moments`: it is refused for 30 seconds, then it is a new call
 * - `free`: it is a new call at once
 */
export type Repeat = "day" | "until_undone" | "moments" | "free";

/** Within this time a repeated call is refused, not answered: it is more likely a mistake than intended. */
const REFUSAL_MS = 30_000;

/** From when a call made at this time may be made again; null for as long as it is not undone. */
export function replayUntil(
  repeat: Repeat,
  createdAt: number,
  { hasKey, hasOwnKey }: Pick<MutationIdentity, "hasKey" | "hasOwnKey">,
): number | null {
  // A draft is published once, however late another process continues what a dead one left; a year is long enough.
  if (hasOwnKey) return createdAt + 366 * DAY_MS;
  switch (repeat) {
    case "day":
      return createdAt + DAY_MS;
    case "until_undone":
      return null;
    case "moments":
    case "free":
      // A caller that gives a call a key wants it once, whatever it does.
      return createdAt + (hasKey ? DAY_MS : REFUSAL_MS);
  }
}

/** What an earlier receipt means for the same call made again. */
export type EarlierMutation =
  /** A call with it is running. */
  | { readonly kind: "running"; readonly until: number }
  /** Its outcome is not known, and has to be found out before anything is sent. */
  | { readonly kind: "unsettled" }
  /** It was done moments ago. */
  | { readonly kind: "just_done"; readonly until: number }
  /** It was done, and its answer still counts. */
  | { readonly kind: "done" }
  /** Some of it was done; the same call continues with the rest. */
  | { readonly kind: "partly_done" }
  /** It was done too long ago to matter. */
  | { readonly kind: "lapsed" };

export function earlierCall(receipt: ReceiptRow, now: number, approvalId?: number): EarlierMutation {
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
      // Only a caller that had the answer is refused.
      return receipt.result_json !== null && now < receipt.created_at + REFUSAL_MS
        ? { kind: "just_done", until: receipt.created_at + REFUSAL_MS }
        : { kind: "done" };
  }
}

/** The same as the guards see it; undefined where the call is a new one. */
export function earlierReceipt(
  receipt: ReceiptRow,
  { argsDigest }: Pick<MutationIdentity, "argsDigest">,
  now: number,
  approvalId: number | undefined,
): EarlierCall<ReceiptRow> | undefined {
  if (receipt.args_digest !== argsDigest) return { kind: "key_reused", receipt };
  const earlier = earlierCall(receipt, now, approvalId);
  if (earlier.kind === "lapsed") return undefined;
  return earlier.kind === "unsettled" ? { kind: "in_doubt", receipt } : { ...earlier, receipt };
}

function isOver({ replay_until }: ReceiptRow, now: number): boolean {
  return replay_until !== null && replay_until <= now;
}

/** A result that no caller has received is given to the next one, however late. And an approval is released once. */
function isOwed({ state, result_json, approval_claim }: ReceiptRow, approvalId: number | undefined): boolean {
  return (
    (state === "confirmed" && result_json === null) ||
    (approvalId !== undefined && approval_claim === approvalId)
  );
}
