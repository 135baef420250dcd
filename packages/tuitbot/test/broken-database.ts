import { DatabaseSync } from "node:sqlite";

/** Takes every table away from the server at work, and answers with how they come back. */
export function breakDatabase(file: string): () => void {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  const tables = database
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all()
    .map(({ name }) => String(name));
  for (const name of tables) database.exec(`alter table "${name}" rename to "gone_${name}"`);
  return () => {
    for (const name of tables) database.exec(`alter table "gone_${name}" rename to "${name}"`);
    database.close();
  };
}
