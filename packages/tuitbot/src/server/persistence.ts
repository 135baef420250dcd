import { randomBytes } from "node:crypto";
import { approvalKey } from "../approval/key.ts";
import type { Config } from "../config/schema.ts";
import type { StorePlace } from "../storage/open-store.ts";

/** Where a server stores what outlives its calls. */
export interface Persistence {
  readonly store: StorePlace;
  /** The key that binds approvals to their content. */
  readonly approvalKey: () => Promise<Uint8Array>;
}

/** As configured. */
export function persistenceOf({ storage, approvals }: Pick<Config, "storage" | "approvals">): Persistence {
  let key: Promise<Uint8Array> | undefined;
  return {
    store: { url: storage.url, path: storage.db_path },
    approvalKey() {
      key ??= approvalKey(approvals.key_file);
      const asked = key;
      asked.catch(() => {
        if (key === asked) key = undefined;
      });
      return asked;
    },
  };
}

/** In memory only, for the sandbox: everything ends with the process. */
export function inMemory(): Persistence {
  const key = randomBytes(32);
  return { store: { path: ":memory:" }, approvalKey: async () => key };
}
