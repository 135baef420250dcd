import { createReadStream } from "node:fs";
import { rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeFolder } from "@toolpact/file-lock";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { allMigrations } from "./migrations/all-migrations.ts";

export interface Restored {
  /** Where the replaced database is now; undefined if there was none. */
  readonly kept: string | undefined;
}

/** Replaces the database with a backup, if the backup is intact and no other process has the database open. */
export async function restore(backup: string, file: string, now: number): Promise<Outcome<Restored, string>> {
  const checked = await checkBackup(backup);
  if (!checked.ok) return checked;
  if (!(await exists(file))) {
    await makeFolder(dirname(file));
    await copyPrivately(backup, file);
    return ok({ kept: undefined });
  }
  if (!isUnused(file))
    return failed(`Another process has ${file} open. Stop every tuitbot first, then restore.`);
  const kept = `${file}.replaced-${now}`;
  const incoming = `${file}.incoming-${now}`;
  // Copied first, so that only the two renames can be interrupted.
  await copyPrivately(backup, incoming);
  await rename(file, kept);
  await rename(incoming, file);
  await Promise.all(["-wal", "-shm"].map((end) => rm(`${file}${end}`, { force: true })));
  return ok({ kept });
}

/** Only the owner can read the copy, from its first byte; it is on the disk when this returns. */
function copyPrivately(from: string, to: string): Promise<void> {
  return writeFile(to, createReadStream(from), { flag: "wx", mode: 0o600, flush: true });
}

/** Whether a file is an intact database of tuitbot, of this version or an older one. */
async function checkBackup(path: string): Promise<Outcome<"intact", string>> {
  if (!(await exists(path))) return failed(`There is no file ${path}.`);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    const [check] = database.prepare("pragma integrity_check(1)").all();
    if (check?.integrity_check !== "ok") return failed(`${path} is damaged.`);
    const names = database.prepare("select name from kysely_migration").all();
    const unknown = names.find(({ name }) => !allMigrations.some((migration) => migration.name === name));
    return unknown === undefined
      ? ok("intact")
      : failed(`${path} was written by a newer version (it has ${unknown.name}). Update tuitbot first.`);
  } catch {
    return failed(`${path} is not a database of tuitbot.`);
  } finally {
    database?.close();
  }
}

/** SQLite leaves WAL mode only for the last connection, and then moves everything into the one file. */
function isUnused(file: string): boolean {
  const database = new DatabaseSync(file);
  try {
    const [mode] = database.prepare("pragma journal_mode = delete").all();
    return mode?.journal_mode === "delete";
  } catch {
    return false;
  } finally {
    database.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
