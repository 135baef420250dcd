import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Check } from "@toolpact/cli";
import type { Config } from "../../config/schema.ts";
import { inspectStore, type StoreFacts } from "../../storage/inspect-store.ts";
import { broken, fine, warning } from "./check.ts";

/** Checks that the database can be used, and tells its size and pending migrations. */
export async function checkDatabase({ storage }: Config): Promise<Check> {
  const { url, db_path: path } = storage;
  if (url === undefined) {
    const file = await stat(path).catch(() => undefined);
    if (file?.isDirectory()) return broken(NAME, `${path} is a folder.`, "Set storage.db_path to a file.");
    if (file === undefined) return checkFolder(path);
    if (!(await isWritable(path))) return cannotBeWritten(path);
  }
  const where = url === undefined ? path : "PostgreSQL, by storage.url";
  const facts = await inspectStore({ url, path });
  if (!facts.ok)
    return broken(NAME, `${where}: ${facts.failure}`, "Fix it, restore a backup, or set storage.");
  const state = describeStore(where, facts.value);
  const { approvedWaiting } = facts.value;
  return approvedWaiting === 0
    ? fine(NAME, state)
    : warning(
        NAME,
        `${state} Approved and not carried out yet: ${approvedWaiting}.`,
        "Mend what the lines above say of X, then run `tuitbot approve --list`.",
      );
}

const NAME = "database";

/** The URL of a PostgreSQL contains a password, so it is not printed. */
function describeStore(where: string, { engine, bytes, done, pending }: StoreFacts): string {
  const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${Math.round(bytes / 1e6)} MB`;
  const ahead =
    pending === 0 ? "up to date" : `${done} migrations made, ${pending} to come with the next server`;
  return `${where} (${engine}, ${size}, intact, can be written, ${ahead}).`;
}

async function checkFolder(path: string): Promise<Check> {
  return (await isWritable(await nearestFolder(dirname(path))))
    ? fine(NAME, `${path} will be made when it is needed.`)
    : cannotBeWritten(path);
}

function cannotBeWritten(path: string): Check {
  return broken(NAME, `${path} cannot be written.`, "Give yourself the right to, or set storage.db_path.");
}

function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function nearestFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}
