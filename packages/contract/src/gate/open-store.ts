import { createHmac, randomBytes } from "node:crypto";
import { chmod, open, readFile } from "node:fs/promises";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { SqlDatabase } from "../guards/sql.ts";
import { openSqlStorage } from "../guards/sql-storage.ts";
import type { GuardStorage } from "../guards/storage.ts";
import { maskSecrets } from "../redact.ts";
import { isPostgres, type Policy } from "./policy.ts";

const KEY_BYTES = 32;

/** Opens the storage of a policy and the key that signs decisions. Creates both if they are missing. */
export async function openStore(policy: Policy): Promise<Outcome<GuardStorage, string>> {
  try {
    const key = await keyIn(policy.keyFile);
    const database = await openDatabase(policy);
    return ok(await openSqlStorage(database, { scope: policy.name, key, hasUnsyncedEndings: true }));
  } catch (error) {
    return failed(
      `The store ${maskSecrets(policy.store)} cannot be opened: ${maskSecrets((error as Error).message)}`,
    );
  }
}

/** Opens the database of a policy. Creates the file if it is missing. */
export async function openDatabase({ store }: Pick<Policy, "store">): Promise<SqlDatabase> {
  if (isPostgres(store)) {
    const { openPostgres } = await import("../guards/postgres.ts");
    return openPostgres(store);
  }
  const { openSqlite } = await import("../guards/sqlite.ts");
  const database = await openSqlite(store);
  // It holds the arguments of calls.
  await chmod(store, 0o600).catch(() => {});
  return database;
}

/**
 * Returns the key for one purpose, derived from the key file: a restarted gate, or another gate of the policy,
 * accepts what this one has signed, such as a question.
 */
export async function keyFor(
  purpose: "questions of a gate" | "sign-in of a gate" | "buttons of messages",
  { keyFile }: Pick<Policy, "keyFile">,
): Promise<Uint8Array> {
  return createHmac("sha256", await keyIn(keyFile))
    .update(purpose)
    .digest();
}

/** The first process creates the key; all others read it. */
async function keyIn(file: string): Promise<Uint8Array> {
  try {
    const made = await open(file, "wx", 0o600);
    await made.writeFile(randomBytes(KEY_BYTES).toString("hex"));
    await made.sync();
    await made.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const key = Buffer.from((await readFile(file, "utf8")).trim(), "hex");
  if (key.length < KEY_BYTES)
    throw new Error(`${file} has no key of ${KEY_BYTES} bytes in hex. Remove it to make a new one.`);
  return key;
}
