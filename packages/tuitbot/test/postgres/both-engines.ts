import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, describe } from "vitest";
import { openStore, type StorePlace } from "../../src/storage/open-store.ts";
import type { Engine, Store } from "../../src/storage/store.ts";
import { realPostgres as postgres } from "./real-postgres.ts";
import { newSchema } from "./server.ts";

/** Stores of one engine, each empty, all closed when the file ends. */
export interface Stores {
  readonly engine: Engine;
  /** A place that nobody has opened yet. */
  readonly place: () => Promise<StorePlace>;
  /** Opens a place, or a new one. */
  readonly open: (place?: StorePlace) => Promise<Store>;
  /** An empty store for one test, which ends the use of the one before: making tables takes PostgreSQL long. */
  readonly next: () => Promise<Store>;
}

/** Runs the same tests on SQLite and on a real PostgreSQL. */
export function onBothEngines(name: string, tests: (stores: Stores) => void): void {
  describe(`${name} on sqlite`, () => tests(stores("sqlite", async () => undefined)));
  if (postgres.ok) {
    const { url } = postgres.server;
    describe(`${name} on postgres`, () => tests(stores("postgres", () => newSchema(url))));
  } else {
    describe.skip(`${name} on postgres: ${postgres.why}`, () => {});
  }
}

const folder = await mkdtemp(join(tmpdir(), "tuitbot-stores-"));
const opened: Store[] = [];

afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  if (postgres.ok) await postgres.server.stop();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

let places = 0;

function stores(engine: Engine, newUrl: () => Promise<string | undefined>): Stores {
  const place = async () => ({ path: join(folder, `${++places}`, "tuitbot.db"), url: await newUrl() });
  let last: Store | undefined;
  async function open(where?: StorePlace): Promise<Store> {
    const store = await openStore(where ?? (await place()), { now: Date.now });
    if (!store.ok) throw store.failure;
    opened.push(store.value);
    return store.value;
  }
  return {
    engine,
    place,
    open,
    async next() {
      if (engine === "sqlite") return open();
      last ??= await open();
      await empty(last);
      return last;
    },
  };
}

async function empty({ db }: Store): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema() and tablename not like 'kysely%'`.execute(
    db,
  );
  await sql`truncate table ${sql.join(rows.map(({ name }) => sql.table(name)))} restart identity`.execute(db);
}
