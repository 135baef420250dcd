import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { WebSessionRow } from "./tables/access-tables.ts";

/** With the key of their sessions. */
interface KeptBrowsers {
  readonly key: string;
  readonly sessions: readonly WebSessionRow[];
}

const FILE = "../browsers.json";

/** For the next sandbox, before the folder is removed. */
export async function keepBrowsers(folder: string): Promise<void> {
  try {
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(join(folder, "tuitbot.db"), { timeout: 1_000 });
    // This table's rows.
    const sessions = database.prepare("select * from web_sessions").all() as unknown as WebSessionRow[];
    database.close();
    if (sessions.length === 0) return;
    const key = await readFile(join(folder, "approval.key"), "utf8");
    const kept: KeptBrowsers = { key, sessions };
    await writeFile(join(folder, FILE), JSON.stringify(kept), { mode: 0o600 });
  } catch {
    // It ended before it stored anything, so earlier browsers stay.
  }
}

export async function restoreBrowsers(folder: string, now: number): Promise<void> {
  const text = await readFile(join(folder, FILE), "utf8").catch(() => undefined);
  if (text === undefined) return;
  // Written above, in a private folder.
  const { key, sessions } = JSON.parse(text) as KeptBrowsers;
  const valid = sessions.filter(({ expires_at }) => expires_at > now);
  if (valid.length === 0) return;
  await writeFile(join(folder, "approval.key"), key, { mode: 0o600 });
  const { openStore } = await import("./open-store.ts");
  const store = await openStore({ path: join(folder, "tuitbot.db") }, { now: () => now });
  if (!store.ok) return;
  await store.value.db.insertInto("web_sessions").values(valid).execute();
  await store.value.close();
}
