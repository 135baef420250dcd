import { randomUUID } from "node:crypto";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Clock } from "../clock.ts";
import type { Claim, Ending, GuardStorage, NotClaimed } from "./storage.ts";

/** A receipt whose lease was not renewed for so long belongs to a process that is gone. */
const LEASE_MS = 20_000;
const RENEW_MS = 5_000;

/** A call that was sent, and how that ended. */
export interface Sent {
  readonly receiptId: string;
  readonly ending: Ending;
}

/**
 * Sends a call behind a receipt: the row is stored before `send` begins, and settled by what it comes to. A `send` that
 * throws leaves the call in doubt.
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
  const receiptId = claimed.value;
  const stopRenewing = renewing(storage, clock, receiptId);
  try {
    const ending = await send(receiptId).catch(
      (error: Error): Ending => ({ state: "in_doubt", note: error.message }),
    );
    await storage.finish(receiptId, ending, clock.now());
    return ok({ receiptId, ending });
  } finally {
    stopRenewing();
  }
}

function renewing(storage: GuardStorage, clock: Clock, receiptId: string): () => void {
  let cancel = () => {};
  const again = () => {
    cancel = clock.after(RENEW_MS, () => {
      // A storage that cannot be reached now may be by the next time.
      void storage.renew(receiptId, clock.now() + LEASE_MS).catch(() => {});
      again();
    });
  };
  again();
  return () => cancel();
}
