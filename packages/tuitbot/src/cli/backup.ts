import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type CommandFailure, columns } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Config } from "../config/schema.ts";
import type { YoungerReceipt } from "../storage/restore.ts";
import { loadedConfig } from "./context.ts";
import { command } from "./machine.ts";

export const backup = command({
  name: "backup",
  describe: "Copy the database to one file, also while it is in use",
  args: {
    file: {
      describe: "The copy; by default in the folder backups beside the database, named by the time",
      required: false,
    },
  },
  examples: [
    { line: "tuitbot backup", does: "copies it into the folder backups" },
    { line: "tuitbot backup ~/tuitbot.db", does: "copies it to this file, which must not exist" },
  ],
  async run({ file }, context) {
    const loaded = await loadedConfig(context);
    if (!loaded.ok) return loaded;
    const [{ openStore }, { backUp, backUpTo }] = await Promise.all([
      import("../storage/open-store.ts"),
      import("../storage/backup.ts"),
    ]);
    const path = sqliteFile(loaded.value.values, "pg_dump");
    if (!path.ok) return path;
    if (!existsSync(path.value))
      return failed({
        message: `There is no database yet: ${path.value} is made by the first server in the profile write or admin.`,
      });
    const { now, cwd } = context.machine;
    const opened = await openStore({ path: path.value }, { now });
    if (!opened.ok) return failed({ message: opened.failure.message });
    try {
      const made =
        file === undefined
          ? ok(await backUp(opened.value, join(dirname(path.value), "backups"), now()))
          : await backUpTo(opened.value, resolve(cwd, file));
      if (!made.ok) return failed({ message: made.failure, fix: "Name another file." });
      const { path: copy, bytes } = made.value;
      return ok({ text: `${copy} (${formatBytes(bytes)})`, json: { file: copy, bytes } });
    } finally {
      await opened.value.close();
    }
  },
});

export const restore = command({
  name: "restore",
  describe: "Replace the database with a backup; the old one is kept beside it",
  details:
    "Stop every tuitbot first: nothing is changed while one has the database open. Who may do what stays as it is now: agents, people, passkeys and the stop are those of the replaced database, and every browser is signed out. A backup that does not have all that was sent since is refused, because the same could be sent twice.",
  args: { file: { describe: "The backup file", required: true } },
  options: {
    forget: { kind: "flag", describe: "Restore it although it does not have all that was sent since" },
  },
  examples: [
    { line: "tuitbot restore ~/tuitbot.db", does: "restores this copy, or lists what it would forget" },
  ],
  async run({ file, forget }, context) {
    const loaded = await loadedConfig(context);
    if (!loaded.ok) return loaded;
    const storage = await import("../storage/restore.ts");
    const path = sqliteFile(loaded.value.values, "pg_restore");
    if (!path.ok) return path;
    const { now, cwd } = context.machine;
    const backup = resolve(cwd, file);
    const restored = await storage.restore(backup, path.value, { now: now(), forgets: forget });
    if (!restored.ok)
      return failed(
        typeof restored.failure === "string"
          ? { message: restored.failure }
          : wouldForget(restored.failure.forgotten),
      );
    const { kept, withheld } = restored.value;
    const before =
      kept === undefined
        ? "There was none before, so agents and people are those of the backup."
        : `What was there before is in ${kept}.`;
    const without =
      withheld.length === 0
        ? ""
        : `\nStill without access, as before: ${withheld.join(", ")}. Add them again if they should have it.`;
    return ok({
      text: `${path.value} is ${backup} now. ${before} Every browser is signed out.${without}`,
      json: { database: path.value, from: backup, kept: kept ?? null, withheld: [...withheld] },
    });
  },
});

/** Calls that are listed; the others are only counted. */
const MAX_LISTED = 20;

function wouldForget(receipts: readonly YoungerReceipt[]): CommandFailure {
  const rows = receipts
    .slice(-MAX_LISTED)
    .map(({ at, tool, state }) => [`  ${new Date(at).toISOString()}`, tool, state]);
  const more = receipts.length - rows.length;
  return {
    message: `Nothing was restored. The backup does not have ${receipts.length === 1 ? "a call that was" : `${receipts.length} calls that were`} made since, and the same could be sent again:\n${columns(rows)}${more > 0 ? `  and ${more} earlier\n` : ""}`,
    fix: "Add --forget to restore it all the same. Then check on X what is out before you approve or schedule anything.",
  };
}

/** The database file, or a failure that names PostgreSQL's own tool. */
function sqliteFile(
  { storage }: Pick<Config, "storage">,
  postgresTool: string,
): Outcome<string, CommandFailure> {
  return storage.url === undefined
    ? ok(storage.db_path)
    : failed({ message: "storage.url names a PostgreSQL.", fix: `Use ${postgresTool} for it.` });
}

/** `1.2 MB` */
function formatBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
