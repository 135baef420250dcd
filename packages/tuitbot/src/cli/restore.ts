import { failed, ok } from "@toolpact/contract/outcome";
import { loadedConfig } from "./context.ts";
import { command } from "./machine.ts";

export const restore = command({
  name: "restore",
  describe: "Put a backup in the place of the database, which is kept beside it",
  details: "Stop every tuitbot first: while one has the database open, nothing is touched.",
  args: { file: { describe: "The backup", required: true } },
  examples: [{ line: "tuitbot restore ~/tuitbot.db", does: "goes back to this copy" }],
  async run({ file }, context) {
    const loaded = await loadedConfig(context);
    if (!loaded.ok) return loaded;
    const [{ sqliteFile }, { restore: putBack }, { resolve }] = await Promise.all([
      import("./sqlite-file.ts"),
      import("../storage/restore.ts"),
      import("node:path"),
    ]);
    const path = sqliteFile(loaded.value.values, "pg_restore");
    if (!path.ok) return path;
    const { now, cwd } = context.machine;
    const backup = resolve(cwd, file);
    const restored = await putBack(backup, path.value, now());
    if (!restored.ok) return failed({ message: restored.failure });
    const { kept } = restored.value;
    const before = kept === undefined ? "There was none before." : `What was there before is in ${kept}.`;
    return ok({
      text: `${path.value} is ${backup} now. ${before}`,
      json: { database: path.value, from: backup, kept: kept ?? null },
    });
  },
});
