import { createReadStream } from "node:fs";
import { rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeFolder } from "@toolpact/file-lock";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { openStore } from "./open-store.ts";
import { allMigrations } from "./tables/migrations.ts";

export interface Restored {
  /** Where the replaced database is now; undefined if there was none. */
  readonly kept: string | undefined;
  /** People and agents of the backup who were removed, revoked or unknown before the restore, and still are. */
  readonly withheld: readonly string[];
}

export interface RestoreOptions {
  readonly now: number;
  /** Restores although the backup does not have all that was sent since. */
  readonly forgets: boolean;
}

/** The reason why nothing was restored, or what a restore would forget. */
export type NotRestored = string | { readonly forgotten: readonly YoungerReceipt[] };

/**
 * Replaces the database with a backup, if the backup is intact and no other process has the database open. Sessions
 * end, and who may do what stays as it is.
 */
export async function restore(
  backup: string,
  file: string,
  { now, forgets }: RestoreOptions,
): Promise<Outcome<Restored, NotRestored>> {
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
  // Copied and changed first, so that only the two renames can be interrupted.
  await copyPrivately(backup, incoming);
  const prepared = await prepare(incoming, replaced && file, { now, forgets });
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

/** Brings the copy up to date, and takes out of it what must not come back. Returns who stays without access. */
async function prepare(
  copy: string,
  current: string | undefined,
  { now, forgets }: RestoreOptions,
): Promise<Outcome<readonly string[], NotRestored>> {
  const opened = await openStore({ path: copy }, { now: () => now });
  if (!opened.ok) return failed(opened.failure.message);
  await opened.value.close();
  const database = new DatabaseSync(copy);
  try {
    // All changes are in the one file when it is closed.
    database.exec("pragma journal_mode = delete; delete from web_sessions");
    if (current === undefined) return ok([]);
    database.prepare("attach ? as current").run(current);
    const forgotten = youngerReceipts(database, "current");
    if (forgotten.length > 0 && !forgets) return failed({ forgotten });
    return ok(carryOver(database, "current"));
  } catch (error) {
    // SQLite throws nothing else.
    return failed(
      `${current ?? copy} cannot be read (${(error as Error).message}), so it is not known what was sent and revoked since. Move it away first to restore without it.`,
    );
  } finally {
    database.close();
  }
}

/** Only the owner can read the copy, from its first byte; it is on the disk when this returns. */
function copyPrivately(from: string, to: string): Promise<void> {
  return writeFile(to, createReadStream(from), { flag: "wx", mode: 0o600, flush: true });
}

/** Whether a file is an intact database of tuitbot, of this version or an older one. */
async function checkBackup(path: string): Promise<Outcome<"intact", string>> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return failed(`There is no file ${path}.`);
  // Opening a pipe would wait for ever for somebody at its other end.
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

/**
 * Who may do what, the links that were used, and the stop. A restore leaves these as they are: those of an older copy
 * would admit again whom somebody has removed or revoked since.
 */
const CURRENT_TABLES = ["agents", "web_people", "web_passkeys", "spent_answers", "stops"] as const;

/** A call that the older copy does not have, or not with this outcome. */
export interface YoungerReceipt {
  readonly tool: string;
  readonly state: string;
  readonly at: number;
}

/** The calls since a backup that may have changed something at X. `current` is the schema of the replaced database. */
function youngerReceipts(backup: DatabaseSync, current: string): readonly YoungerReceipt[] {
  return backup
    .prepare(
      `select now.tool, now.state, now.created_at from ${current}.receipts as now
      left join main.receipts as past on past.id = now.id
      where now.state <> 'failed' and (past.id is null or past.state <> now.state)
      order by now.created_at`,
    )
    .all()
    .map(({ tool, state, created_at }) => ({
      tool: String(tool),
      state: String(state),
      at: Number(created_at),
    }));
}

/** Carries these tables over into the backup. Returns the people and agents of the backup that stay without access. */
function carryOver(backup: DatabaseSync, current: string): readonly string[] {
  const admitted = () => ADMITTED.flatMap((query) => namesIn(backup, query));
  const before = admitted();
  for (const table of CURRENT_TABLES) {
    const known = columnsOf(backup, table, "main");
    const columns = columnsOf(backup, table, current).filter((column) => known.includes(column));
    // The replaced database may be of an older version.
    if (columns.length === 0) continue;
    backup.exec(`delete from main.${table}`);
    backup.exec(
      `insert into main.${table} (${columns.join(", ")}) select ${columns.join(", ")} from ${current}.${table}`,
    );
  }
  const after = admitted();
  return before.filter((name) => !after.includes(name));
}

const ADMITTED = [
  "select name from main.web_people where role <> 'removed'",
  "select 'agent ' || name as name from main.agents where revoked_at is null",
];

function namesIn(database: DatabaseSync, query: string): readonly string[] {
  return database
    .prepare(query)
    .all()
    .map(({ name }) => String(name));
}

function columnsOf(database: DatabaseSync, table: string, schema: string): readonly string[] {
  return database
    .prepare("select name from pragma_table_info(?, ?)")
    .all(table, schema)
    .map(({ name }) => String(name));
}
