import type { Clock } from "@toolpact/contract";
import { deleteOldRows } from "./retention.ts";
import { StorageError } from "./storage-error.ts";
import type { Store } from "./store.ts";

/** Deletes old history now and once a day, for as long as it is not stopped. */
export function keepTidy(store: Store, days: () => number, clock: Clock): { readonly stop: () => void } {
  let cancel = () => {};
  let isStopped = false;
  async function tidy(): Promise<void> {
    if (isStopped) return;
    cancel = clock.after(DAY_MS, () => void tidy());
    try {
      await deleteOldRows(store, { now: clock.now(), days: days() });
    } catch (error) {
      // Tomorrow is soon enough.
      if (!(error instanceof StorageError)) throw error;
    }
  }
  void tidy();
  return {
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

const DAY_MS = 86_400_000;
