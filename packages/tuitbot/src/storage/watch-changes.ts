import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import type { StorePlace } from "./open-store.ts";

/** Resolves when the connection is closed. */
export type StopWatching = () => Promise<void>;

/** At least once per change by any process. A database that was unreachable counts as changed. */
export function watchChanges(place: StorePlace, onChange: () => void): StopWatching {
  const stopping = new AbortController();
  const watching = (place.url === undefined ? watchSqlite : watchPostgres)(place, onChange, stopping.signal);
  return async () => {
    stopping.abort();
    await watching;
  };
}

const POLL_MS = 100;

/** SQLite counts other connections' commits in shared memory. */
async function watchSqlite({ path }: StorePlace, onChange: () => void, signal: AbortSignal): Promise<void> {
  let database: DatabaseSync | undefined;
  let seen: unknown;
  while (!signal.aborted) {
    try {
      database ??= new DatabaseSync(path, { readOnly: true, timeout: 0 });
      const version = database.prepare("PRAGMA data_version").get()?.data_version;
      if (seen !== undefined && version !== seen) onChange();
      seen = version;
    } catch {
      database?.close();
      database = undefined;
      seen = -1;
    }
    await pause(POLL_MS, signal);
  }
  database?.close();
}

/** See the triggers in `tables/migrations.ts`. */
async function watchPostgres({ url }: StorePlace, onChange: () => void, signal: AbortSignal): Promise<void> {
  const { default: pg } = await import("pg");
  while (!signal.aborted) {
    const client = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
    });
    const lost = new Promise<void>((resolve) => {
      client.on("error", () => resolve());
      client.once("end", () => resolve());
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    try {
      await client.connect();
      const { rows } = await client.query<{ schema: string }>("select current_schema() as schema");
      client.on("notification", ({ payload }) => payload === rows[0]?.schema && onChange());
      await client.query("listen tuitbot_changes");
      // Earlier changes were not announced.
      onChange();
      await lost;
    } catch {
      // Tried again below.
    }
    await client.end().catch(() => {});
    await pause(RECONNECT_MS, signal);
  }
}

const RECONNECT_MS = 1_000;
/** Longest wait for the database when a server stops. */
const CONNECT_MS = 5_000;

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal, ref: false }).catch(() => {});
}
