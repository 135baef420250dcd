import { once } from "@toolpact/contract";
import { systemClock, type TokenKeeper } from "@toolpact/x-api";
import type { Config } from "../config/schema.ts";
import { tokenKeeper } from "../x/signed-in-account.ts";
import type { SharedDatabase } from "./shared-database.ts";

export interface OpenSignIn {
  readonly tokens: TokenKeeper;
  /** Closes the database, if it was opened. */
  readonly close: () => Promise<void>;
}

/** The sign-in, wherever the configuration keeps it. Nothing is opened before the tokens are first asked for. */
export async function openSignIn(
  config: Config,
  account: string,
  fetch: typeof globalThis.fetch,
  onEnded?: (message: string) => void,
  shared?: SharedDatabase,
): Promise<OpenSignIn> {
  if (config.auth.keep_in === "file")
    return { tokens: tokenKeeper(config, fetch, { onEnded }), close: async () => {} };
  const [{ openStore }, { signInStorage }, { persistenceOf }] = await Promise.all([
    import("../storage/open-store.ts"),
    import("../storage/sign-in-storage.ts"),
    import("./persistence.ts"),
  ]);
  const { store: place, approvalKey } = persistenceOf(config);
  const opening = once(() =>
    openStore(
      // One statement at a time is enough to read and renew tokens.
      { ...place, postgres: { ...place.postgres, poolSize: 2 } },
      { now: () => systemClock.now() },
    ),
  );
  const storage = signInStorage({
    open: () => shared?.open() ?? opening(),
    name: account,
    secret: approvalKey,
    clock: systemClock,
  });
  return {
    tokens: tokenKeeper(config, fetch, { onEnded, storage }),
    async close() {
      const opened = await opening.current();
      if (opened?.ok) await opened.value.close();
    },
  };
}
