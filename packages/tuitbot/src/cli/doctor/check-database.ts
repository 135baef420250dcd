import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Check } from "@toolpact/cli";
import type { Config } from "../../config/schema.ts";
import { RUNNER_LEASE } from "../../drafts/runner.ts";
import { inspectStore, type StoreFacts } from "../../storage/inspect-store.ts";
import { broken, canBeMade, fine, isWritable, skipped, warning } from "./check.ts";

/** Checks that the database can be used, and that something publishes what is scheduled in it. */
export async function checkDatabase(
  { storage }: Pick<Config, "storage">,
  now: number,
  inspected = inspectDatabase(storage),
): Promise<readonly [database: Check, runner: Check]> {
  const facts = await inspected;
  return [
    await checkStore(storage, facts),
    facts?.ok ? checkRunner(facts.value, now) : skipped("runner", "Needs the database."),
  ];
}

/** The facts about the database, or why they cannot be read; undefined if there is none yet. */
export async function inspectDatabase({
  url,
  db_path: path,
}: Config["storage"]): Promise<Awaited<ReturnType<typeof inspectStore>> | undefined> {
  return url === undefined && !existsSync(path) ? undefined : inspectStore({ url, path });
}

/** Tells the size of the database and its pending migrations. */
async function checkStore(
  { url, db_path: path }: Config["storage"],
  facts: Awaited<ReturnType<typeof inspectStore>> | undefined,
): Promise<Check> {
  if (url === undefined) {
    const file = await stat(path).catch(() => undefined);
    if (file?.isDirectory()) return broken(NAME, `${path} is a folder.`, "Set storage.db_path to a file.");
    if (file === undefined && existsSync(`${path}-wal`))
      return broken(
        NAME,
        `${path} was deleted while a server had it open: ${path}-wal is left.`,
        "Stop that server, then put the file back or restore a backup. A new database knows nothing of what was sent.",
      );
    if (file === undefined)
      return (await canBeMade(path))
        ? fine(NAME, `${path} will be made when it is needed.`)
        : cannotBeWritten(path);
    if (!(await isWritable(path))) return cannotBeWritten(path);
  }
  const where = url === undefined ? path : "PostgreSQL, by storage.url";
  if (facts === undefined) return cannotBeWritten(path);
  if (!facts.ok)
    return broken(NAME, `${where}: ${facts.failure}`, "Fix it, restore a backup, or set storage.");
  const state = describeStore(where, facts.value);
  const { approvedWaiting } = facts.value;
  return approvedWaiting === 0
    ? fine(NAME, state)
    : warning(
        NAME,
        `${state} Approved and not carried out yet: ${approvedWaiting}.`,
        "Fix the problems with X listed above, then run `tuitbot approve --list`.",
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

/** Tells whether a runner is alive, of any account. */
function checkRunner({ scheduled, leases }: StoreFacts, now: number): Check {
  if (leases.some(({ name, until }) => name === RUNNER_LEASE && until > now))
    return fine("runner", "One is alive.");
  return scheduled === 0
    ? skipped("runner", "None is alive, and nothing is scheduled.")
    : warning(
        "runner",
        `${scheduled === 1 ? "1 draft is" : `${scheduled} drafts are`} scheduled and no runner is alive.`,
        "Start `tuitbot run`, set server.runner = true for the MCP server, or call `tuitbot tick` from a timer.",
      );
}

function cannotBeWritten(path: string): Check {
  return broken(NAME, `${path} cannot be written.`, "Give yourself the right to, or set storage.db_path.");
}
