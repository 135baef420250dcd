import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { CommandFailure } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Config } from "../config/schema.ts";
import { loadedConfig } from "./context.ts";
import { command } from "./machine.ts";

export const backup = command({
  name: "backup",
  describe: "Copy the database to one file, even while it is in use",
  args: {
    file: {
      describe: "The copy; by default in the folder backups next to the database, named by the time",
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
  describe: "Restore a backup; the replaced database is kept next to it",
  details:
    "Stop every tuitbot first: nothing is changed while one has the database open. Unsent drafts are restored. Actions, spending, decisions and revocations since the backup are kept, and every browser is signed out. To restore everything, move the current database away first: sending is then stopped until you run `tuitbot resume`, because the backup may not have all that was sent since.",
  args: { file: { describe: "The backup file", required: true } },
  examples: [{ line: "tuitbot restore ~/tuitbot.db", does: "brings back this copy" }],
  async run({ file }, context) {
    const loaded = await loadedConfig(context);
    if (!loaded.ok) return loaded;
    const storage = await import("../storage/restore.ts");
    const path = sqliteFile(loaded.value.values, "pg_restore");
    if (!path.ok) return path;
    const { now, cwd } = context.machine;
    const backup = resolve(cwd, file);
    const restored = await storage.restore(backup, path.value, now());
    if (!restored.ok) return failed({ message: restored.failure });
    const { kept, withheld } = restored.value;
    return ok({
      text: `${restoredText(backup, path.value, kept)}${withheldText(withheld)}`,
      json: { database: path.value, from: backup, kept: kept ?? null, withheld: [...withheld] },
    });
  },
});

function restoredText(backup: string, path: string, kept: string | undefined): string {
  return kept === undefined
    ? `${path} is ${backup} now. There was none before, so everything is from the backup, and every browser and MCP client is signed out. It may not have all that was sent since: nothing is sent until you run \`tuitbot resume\`. Compare it with X first.`
    : `The drafts of ${backup} are back in ${path}. What was done, spent, decided and revoked since is as before, and every browser is signed out. What was there before is in ${kept}.`;
}

function withheldText(withheld: readonly string[]): string {
  return withheld.length === 0
    ? ""
    : `\nStill without access, as before: ${withheld.join(", ")}. Add them again if they should have it.`;
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
