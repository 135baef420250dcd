import { randomBytes } from "node:crypto";
import { approvalKey } from "../approval/key.ts";
import type { Config } from "../config/schema.ts";
import type { StorePlace } from "../storage/open-store.ts";

/** Where a server keeps what outlives its calls. */
export interface Keeping {
  readonly store: StorePlace;
  /** Key of the digests of approvals. */
  readonly approvalKey: () => Promise<Uint8Array>;
}

/** Where the operator wants it. */
export function keepingOf({ storage, approvals }: Pick<Config, "storage" | "approvals">): Keeping {
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

/** Nowhere: the sandbox ends with its process, and so does what was done there. */
export function keepingNothing(): Keeping {
  const key = randomBytes(32);
  return { store: { path: ":memory:" }, approvalKey: async () => key };
}
