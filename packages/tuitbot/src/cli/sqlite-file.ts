import type { CommandFailure } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
import type { Config } from "../config/schema.ts";

/** The database file, or which tool of PostgreSQL does this where that is used. */
export function sqliteFile(
  { storage }: Pick<Config, "storage">,
  postgresTool: string,
): Outcome<string, CommandFailure> {
  return storage.url === undefined
    ? ok(storage.db_path)
    : failed({ message: "storage.url names a PostgreSQL.", fix: `Use ${postgresTool} for it.` });
}

/** `1.2 MB` */
export function inWords(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
