import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { openStore, type StorePlace } from "../../src/storage/open-store.ts";
import type { Engine, Store } from "../../src/storage/store.ts";
import { realPostgres as postgres } from "./real-postgres.ts";
import { dropDatabases, newSchema } from "./server.ts";
import { newDatabase } from "./template.ts";

/** Stores of one engine, each empty, all closed when the test file ends. */
export interface Stores {
  readonly engine: Engine;
  /** A new place: no file yet, or a database with empty tables. */
  readonly place: () => Promise<StorePlace>;
  /** A new place without tables. */
  readonly bare: () => Promise<StorePlace>;
  /** Opens a place, or a new one. */
  readonly open: (place?: StorePlace) => Promise<Store>;
  /** Closes a store before the file ends: the connections of PostgreSQL are limited. */
  readonly close: (store: Store) => Promise<void>;
}

/** Runs the same tests on SQLite and on a real PostgreSQL. */
export function onBothEngines(name: string, tests: (stores: Stores) => void): void {
  const noUrl = async () => undefined;
  describe(`${name} on sqlite`, () => tests(stores("sqlite", noUrl, noUrl)));
  if (postgres.ok) {
    const { url } = postgres.server;
    describe(`${name} on postgres`, () => {
      const withTables = async () => {
        const database = await newDatabase(url);
        databases.push(database);
        return database;
      };
      tests(stores("postgres", withTables, () => newSchema(url)));
    });
  } else {
    describe.skip(`${name} on postgres: ${postgres.why}`, () => {});
  }
}

const folder = await mkdtemp(join(tmpdir(), "tuitbot-stores-"));
const opened = new Set<Store>();
const databases: string[] = [];

afterAll(async () => {
  await Promise.all([...opened].map((store) => store.close()));
  if (postgres.ok) {
    await dropDatabases(postgres.server.url, databases);
    await postgres.server.stop();
  }
  await rm(folder, { recursive: true, force: true });
}, 60_000);

let places = 0;

type NewUrl = () => Promise<string | undefined>;

function stores(engine: Engine, withTables: NewUrl, withoutTables: NewUrl): Stores {
  const at = async (newUrl: NewUrl) => ({
    path: join(folder, `${++places}`, "tuitbot.db"),
    url: await newUrl(),
  });
  const place = () => at(withTables);
  async function open(where?: StorePlace): Promise<Store> {
    const store = await openStore(where ?? (await place()), { now: Date.now });
    if (!store.ok) throw store.failure;
    opened.add(store.value);
    return store.value;
  }
  async function close(store: Store): Promise<void> {
    opened.delete(store);
    await store.close();
  }
  return { engine, place, bare: () => at(withoutTables), open, close };
}
