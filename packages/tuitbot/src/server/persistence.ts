import { randomBytes } from "node:crypto";
import { createPrivateFile, readTextFile } from "@toolpact/file-lock";
import type { Config } from "../config/schema.ts";
import { type RecentCalls, recentCallsIn } from "../guards/stack/recent-calls-file.ts";
import type { StorePlace } from "../storage/open-store.ts";
import type { SharedDatabase } from "./shared-database.ts";

/** The storage of a server. */
export interface Persistence {
  readonly store: StorePlace;
  /** The same, opened once for all accounts of this process. */
  readonly shared?: SharedDatabase | undefined;
  /** The key that binds approvals to their content. */
  readonly approvalKey: () => Promise<Uint8Array>;
  /** Recent calls of `utility-write`, which is all that it stores; in memory by default. */
  readonly recentCalls?: RecentCalls;
}

/** As configured. */
export function persistenceOf(
  { storage, approvals, auth }: Pick<Config, "storage" | "approvals" | "auth">,
  shared?: SharedDatabase,
): Persistence {
  return {
    shared,
    store: {
      url: storage.url,
      path: storage.db_path,
      postgres: { poolSize: storage.pool_size, statementTimeoutMs: storage.statement_timeout_ms },
    },
    // Stored next to the sign-in, which ties it to one account.
    recentCalls: recentCallsIn(`${auth.token_file}.calls`),
    // Read anew each time: with a file that is damaged later, other processes could not approve what waits here.
    approvalKey: async () =>
      approvals.key === undefined ? approvalKey(approvals.key_file) : Buffer.from(approvals.key, "hex"),
  };
}

/** In memory only, for the sandbox: everything ends with the process. */
export function inMemory(): Persistence {
  const key = randomBytes(32);
  return { store: { path: ":memory:" }, approvalKey: async () => key };
}

/**
 * The key of the approval digests on this machine, stored outside the database and readable only by its owner. The
 * first process creates it, the others read it.
 */
export async function approvalKey(file: string): Promise<Uint8Array> {
  await createPrivateFile(file, randomBytes(32).toString("hex"));
  return readKey(file);
}

/** Reads the key from an existing file. Throws if there is none in it. */
export async function readKey(file: string): Promise<Uint8Array> {
  const key = Buffer.from((await readTextFile(file)).trim(), "hex");
  if (key.length !== 32)
    throw new Error(
      `${file} is not a key. Delete it to create a new one; the calls that wait for approval then have to be made again.`,
    );
  return key;
}
