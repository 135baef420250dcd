import { createReadStream } from "node:fs";
import { rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeFolder } from "@toolpact/file-lock";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { openStore } from "./open-store.ts";
import { carryOver, endSessions, isSameDatabase, stopSending } from "./restored-rows.ts";
import { allMigrations } from "./tables/migrations.ts";

export interface Restored {
  /** The path of the replaced database, if any. */
  readonly kept: string | undefined;
  /** Removed, revoked or unknown before, so still without access. */
  readonly withheld: readonly string[];
}

/**
 * If the backup is intact and the database unused. Keeps what was done, decided and revoked since; without
 * those records, sending is stopped.
 */
export async function restore(backup: string, file: string, now: number): Promise<Outcome<Restored, string>> {
  const checked = await checkBackup(backup);
  if (!checked.ok) return checked;
  const replaced = await stat(file).catch(() => undefined);
  if (replaced === undefined) await makeFolder(dirname(file));
  else if (!replaced.isFile()) return failed(`${file} is not a regular file.`);
  else if (!isUnused(file))
    return failed(
      `Another process has ${file} open, or it is damaged. Stop every tuitbot first, then restore. Move a damaged file away.`,
    );
  const incoming = `${file}.incoming-${now}`;
  // Only the two renames can be interrupted.
  await copyPrivately(backup, incoming);
  const prepared = await prepare(incoming, replaced && file, now);
  if (!prepared.ok) {
    await Promise.all(["", "-wal", "-shm"].map((end) => rm(`${incoming}${end}`, { force: true })));
    return prepared;
  }
  const kept = replaced && `${file}.replaced-${now}`;
  if (kept !== undefined) await rename(file, kept);
  await rename(incoming, file);
  await Promise.all(["-wal", "-shm"].map((end) => rm(`${file}${end}`, { force: true })));
  return ok({ kept, withheld: prepared.value });
}

/** Returns who stays without access. */
async function prepare(
  copy: string,
  current: string | undefined,
  now: number,
): Promise<Outcome<readonly string[], string>> {
  const opened = await openStore({ path: copy }, { now: () => now });
  if (!opened.ok) return failed(opened.failure.message);
  await opened.value.close();
  const database = new DatabaseSync(copy);
  try {
    // In one file when closed.
    database.exec("pragma journal_mode = delete");
    endSessions(database);
    if (current === undefined) {
      stopSending(database, now);
      return ok([]);
    }
    database.prepare("attach ? as current").run(current);
    if (!isSameDatabase(database, "current"))
      return failed(`The backup is not one of ${current}. Move ${current} away first to restore without it.`);
    database.exec("begin");
    const withheld = carryOver(database, "current");
    database.exec("commit");
    return ok(withheld);
  } catch (error) {
    // SQLite throws nothing else.
    return failed(
      `${current ?? copy} cannot be read (${(error as Error).message}), so it is not known what was sent and revoked since. Move it away first to restore without it.`,
    );
  } finally {
    database.close();
  }
}

/** Private from its first byte, and on disk. */
function copyPrivately(from: string, to: string): Promise<void> {
  return writeFile(to, createReadStream(from), { flag: "wx", mode: 0o600, flush: true });
}

/** Accepts backups of this version or older. */
async function checkBackup(path: string): Promise<Outcome<"intact", string>> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return failed(`There is no file ${path}.`);
  // Opening a pipe would block.
  if (!found.isFile()) return failed(`${path} is not a regular file.`);
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

/** SQLite leaves WAL mode only for the last connection. */
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
