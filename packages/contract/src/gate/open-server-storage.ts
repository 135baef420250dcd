import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { sameDigest, storedItemDigest } from "../guards/approval-item.ts";
import type { SqlDatabase } from "../guards/sql.ts";
import { openSqlStorage } from "../guards/sql-storage.ts";
import type { GuardStorage } from "../guards/storage.ts";
import { maskSecrets } from "../redact.ts";
import { openDatabase } from "./open-store.ts";
import { isPostgres } from "./policy.ts";

export interface ServerStorage {
  /** A SQLite file, or the address of a PostgreSQL database. */
  readonly store: string;
  /** The file with the bytes that the server passes to `openSqlStorage` as `key`. */
  readonly keyFile: string;
  /** The scope of the server; not needed if the database has one. */
  readonly scope?: string | undefined;
}

/** Opens the guards' storage of a server that somebody wrote with this library. Creates nothing. */
export async function openServerStorage({
  store,
  keyFile,
  scope,
}: ServerStorage): Promise<Outcome<GuardStorage, string>> {
  if (!isPostgres(store) && !existsSync(store)) return failed(`There is no file ${store}.`);
  const key = await readFile(keyFile).catch((error: NodeJS.ErrnoException) => error);
  if (key instanceof Error) return failed(`The key ${keyFile} cannot be read: ${key.code}.`);
  let database: SqlDatabase | undefined;
  try {
    database = await openDatabase({ store });
    const scopes = await scopesIn(database);
    const chosen = scope ?? (scopes.length === 1 ? scopes[0] : undefined);
    if (chosen === undefined || !scopes.includes(chosen)) {
      await database.close();
      return failed(
        scopes.length === 0
          ? `${maskSecrets(store)} has no calls yet.`
          : `Choose a scope with --scope: ${scopes.map((name) => JSON.stringify(name)).join(", ")}.`,
      );
    }
    const storage = await openSqlStorage(database, { scope: chosen, key });
    const [item] = await storage.items("waiting", Date.now());
    if (item === undefined || sameDigest(item.digest, storedItemDigest(key, item))) return ok(storage);
    await storage.close();
    return failed(`The waiting calls were not signed with the key in ${keyFile}.`);
  } catch (error) {
    await database?.close();
    return failed(`${maskSecrets(store)} is no storage of guards: ${maskSecrets((error as Error).message)}`);
  }
}

async function scopesIn(database: SqlDatabase): Promise<readonly string[]> {
  const rows = await database.transact("", (run) =>
    run("select scope from guard_items union select scope from guard_receipts order by scope"),
  );
  return rows.map(({ scope }) => String(scope));
}
