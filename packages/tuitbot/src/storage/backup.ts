import { open, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "@toolpact/file-lock";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { sql } from "kysely";
import type { Store } from "./store.ts";

export interface Backup {
  readonly path: string;
  readonly bytes: number;
}

/** While it is in use. */
export async function backUp(store: Store, folder: string, now: number): Promise<Backup> {
  return copyTo(store, join(folder, `tuitbot_${stamp(now)}.db`));
}

/** Fails if the path exists. */
export async function backUpTo(store: Store, path: string): Promise<Outcome<Backup, string>> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  return isThere ? failed(`${path} already exists.`) : ok(await copyTo(store, path));
}

/** Newest first. */
export async function listBackups(folder: string): Promise<readonly Backup[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => NAME.test(name)).sort();
  return Promise.all(
    names.reverse().map(async (name) => {
      const path = join(folder, name);
      return { path, bytes: (await stat(path)).size };
    }),
  );
}

/** Returns the deleted ones. */
export async function pruneBackups(folder: string, keep: number): Promise<readonly string[]> {
  const old = (await listBackups(folder)).slice(keep).map(({ path }) => path);
  await Promise.all(old.map((path) => rm(path, { force: true })));
  return old;
}

/** Keeps the last three, in `backups` next to the database. */
export async function backUpBeforeMigration(store: Store, file: string, now: number): Promise<Backup> {
  const folder = join(dirname(file), "backups");
  const prefix = `before_migration_${basename(file)}_`;
  const backup = await copyTo(store, join(folder, `${prefix}${stamp(now)}.db`));
  const mine = (await readdir(folder)).filter((name) => name.startsWith(prefix)).sort();
  await Promise.all(mine.slice(0, -3).map((name) => rm(join(folder, name), { force: true })));
  return backup;
}

const NAME = /^tuitbot_\d{8}T\d{9}\.db$/;

async function copyTo(store: Store, path: string): Promise<Backup> {
  await makeFolder(dirname(path));
  // SQLite would create a file that others can read.
  const file = await open(path, "wx", 0o600);
  try {
    await sql`vacuum into ${path}`.execute(store.db);
    await file.sync();
    return { path, bytes: (await file.stat()).size };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** `20260930T121314567`, in UTC. */
function stamp(now: number): string {
  return new Date(now).toISOString().replace(/[-:.Z]/g, "");
}
