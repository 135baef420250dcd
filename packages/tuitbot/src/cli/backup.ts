import { existsSync } from "node:fs";
import { failed, ok } from "@toolpact/contract/outcome";
import { loadedConfig } from "./context.ts";
import { command } from "./machine.ts";

export const backup = command({
  name: "backup",
  describe: "Copy the database into one file, while it is in use",
  args: {
    file: { describe: "Where to; beside the database, named by the time, unless given", required: false },
  },
  examples: [
    { line: "tuitbot backup", does: "a copy in the folder backups beside the database" },
    { line: "tuitbot backup ~/tuitbot.db", does: "a copy in this file, which must not be there yet" },
  ],
  async run({ file }, context) {
    const loaded = await loadedConfig(context);
    if (!loaded.ok) return loaded;
    const [{ sqliteFile, inWords }, { openStore }, { backUp, backUpTo }, { dirname, join, resolve }] =
      await Promise.all([
        import("./sqlite-file.ts"),
        import("../storage/open-store.ts"),
        import("../storage/backup.ts"),
        import("node:path"),
      ]);
    const path = sqliteFile(loaded.value.values, "pg_dump");
    if (!path.ok) return path;
    if (!existsSync(path.value))
      return failed({
        message: `There is no database yet: ${path.value} is made by the first server in the profile write or admin.`,
      });
    const { now, cwd } = context.machine;
    const opened = await openStore({ path: path.value }, { now });
    if (!opened.ok) return failed({ message: opened.failure });
    try {
      const made =
        file === undefined
          ? ok(await backUp(opened.value, join(dirname(path.value), "backups"), now()))
          : await backUpTo(opened.value, resolve(cwd, file));
      if (!made.ok) return failed({ message: made.failure, fix: "Name another file." });
      const { path: copy, bytes } = made.value;
      return ok({ text: `${copy} (${inWords(bytes)})`, json: { file: copy, bytes } });
    } finally {
      await opened.value.close();
    }
  },
});
