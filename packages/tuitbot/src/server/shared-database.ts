import { type Outcome, once } from "@toolpact/contract";
import { openStore, type StorePlace } from "../storage/open-store.ts";
import type { StorageError } from "../storage/storage-error.ts";
import type { Store } from "../storage/store.ts";
import { type StopWatching, watchChanges } from "../storage/watch-changes.ts";

/** One database for all accounts of a process: one pool of connections, and one that listens for changes. */
export interface SharedDatabase {
  /** Opens it with the first who asks. To close what it answers with does nothing: others use it too. */
  readonly open: () => Promise<Outcome<Store, StorageError>>;
  readonly watch: (onChange: () => void) => StopWatching;
  /** True for the one account that deletes old rows, on behalf of all. */
  readonly isTidiedBy: (account: string) => boolean;
  readonly close: () => Promise<void>;
}

export function sharedDatabase(place: StorePlace, now: () => number): SharedDatabase {
  const opening = once(() => openStore(place, { now, checksAccounts: true }));
  let stopWatching: StopWatching | undefined;
  const watchers = new Set<() => void>();
  let tidiedBy: string | undefined;
  return {
    isTidiedBy(account) {
      tidiedBy ??= account;
      return tidiedBy === account;
    },
    async open() {
      const opened = await opening();
      return opened.ok ? { ...opened, value: { ...opened.value, close: async () => {} } } : opened;
    },
    watch(onChange) {
      watchers.add(onChange);
      stopWatching ??= watchChanges(place, () => {
        for (const tell of watchers) tell();
      });
      return async () => {
        watchers.delete(onChange);
      };
    },
    async close() {
      await stopWatching?.();
      const opened = await opening.current();
      if (opened?.ok) await opened.value.close();
    },
  };
}
