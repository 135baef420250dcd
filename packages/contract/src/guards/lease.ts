import type { Clock } from "../clock.ts";
import type { ReceiptAttempt } from "./receipt-storage.ts";
import type { GuardStorage } from "./storage.ts";

/** A receipt whose lease was not renewed for this long belongs to a process that has ended. */
export const LEASE_MS = 20_000;
const RENEW_MS = 5_000;

/** Renews the lease of a receipt until the returned function is called. */
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
