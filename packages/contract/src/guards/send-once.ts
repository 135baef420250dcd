import { randomUUID } from "node:crypto";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Clock } from "../clock.ts";
import type { Json } from "../json.ts";
import { LEASE_MS, renewing } from "./lease.ts";
import type { Claim, GuardStorage, NotClaimed } from "./storage.ts";

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
