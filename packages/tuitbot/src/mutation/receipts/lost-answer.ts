import { type Failed, type Failure, failed } from "@toolpact/contract";
import { StorageError } from "../../storage/storage-error.ts";
import type { Receipt } from "./receipt.ts";
import type { ReceiptAttempt } from "./receipt-storage.ts";
import { type Settled, type Settling, settleReceipt } from "./settle.ts";

/** What reading back at once has shown of a call whose answer was lost. */
export type LostAnswer =
  | { readonly isDone: true }
  | { readonly isDone: false; readonly state: Receipt["state"]; readonly failure: Failed<Failure> };

/** Reads back at once whether a call was carried out whose answer was lost, and says what is known by then. */
export async function findLostAnswer(
  settling: Settling,
  receipt: ReceiptAttempt,
  { failure }: Failed<Failure>,
): Promise<LostAnswer> {
  const settled = settling.signal?.aborted ? undefined : await settle(settling, receipt);
  if (settled?.state === "confirmed") return { isDone: true };
  const state = settled?.state ?? "unknown";
  const isOpen = state === "unknown";
  return {
    isDone: false,
    state,
    failure: failed({
      ...failure,
      ...(isOpen && {
        suggestedFix:
          "Call again in half a minute with the same arguments: X is asked what became of it before anything is sent.",
        fixBy: "agent" as const,
      }),
      details: { ...failure.details, may_have_taken_effect: isOpen },
    }),
  };
}

async function settle(settling: Settling, { id, attempt }: ReceiptAttempt): Promise<Settled | undefined> {
  try {
    return await settleReceipt(settling, { id, attempt }, false);
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}
