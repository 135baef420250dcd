import { randomUUID } from "node:crypto";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Clock } from "../clock.ts";
import type { Json } from "../json.ts";
import type { ReceiptAttempt } from "./receipt-storage.ts";
import type { Claim, GuardStorage, NotClaimed } from "./storage.ts";

/** A receipt whose lease was not renewed for so long belongs to a process that is gone. */
export const LEASE_MS = 20_000;
const RENEW_MS = 5_000;

/** How a call ended. */
export type Ending =
  | { readonly state: "done"; readonly result: Json }
  | { readonly state: "not_done" | "in_doubt"; readonly note: string };

/** A call that was sent, and how that ended. */
export interface Sent {
  readonly receiptId: string;
  readonly ending: Ending;
}

/**
 * Sends a call that is one request behind a receipt, for whoever is no guard: the row is stored before `send` begins, and
 * settled by what it comes to. A `send` that throws leaves the call in doubt.
 */
export async function sendOnce(
  storage: GuardStorage,
  clock: Clock,
  claim: Omit<Claim, "receiptId" | "leaseMs" | "now" | "isTrial">,
  send: (receiptId: string) => Promise<Ending>,
): Promise<Outcome<Sent, NotClaimed>> {
  const claimed = await storage.claim({
    ...claim,
    receiptId: randomUUID(),
    leaseMs: LEASE_MS,
    now: clock.now(),
  });
  if (!claimed.ok) return failed(claimed.failure);
  const { id: receiptId, attempt } = claimed.value;
  const stopRenewing = renewing(storage, clock, claimed.value);
  try {
    const ending = await send(receiptId).catch(
      (error: Error): Ending => ({ state: "in_doubt", note: error.message }),
    );
    await storage.finish({
      receiptId,
      attempt,
      ...(ending.state === "done"
        ? { result: ending.result }
        : { failure: { code: ending.state, message: ending.note }, isOpen: ending.state === "in_doubt" }),
      now: clock.now(),
    });
    return ok({ receiptId, ending });
  } finally {
    stopRenewing();
  }
}

/** Says from time to time that whoever holds a receipt lives; the returned function ends that. */
export function renewing(
  storage: Pick<GuardStorage, "renew">,
  clock: Clock,
  held: ReceiptAttempt,
): () => void {
  let cancel = () => {};
  const again = () => {
    cancel = clock.after(RENEW_MS, () => {
      // A storage that cannot be reached now may be by the next time.
      void storage.renew(held, clock.now() + LEASE_MS).catch(() => {});
      again();
    });
  };
  again();
  return () => cancel();
}
