import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { realPostgres } from "../../../tuitbot/test/postgres/real-postgres.ts";
import { newSchema } from "../../../tuitbot/test/postgres/server.ts";
import { type GuardStorage, openSqlite, openSqlStorage } from "../../src/guards/index.ts";
import { openPostgres } from "../../src/guards/postgres.ts";

/** Storage of one engine, as several processes would open it. */
export interface Engine {
  readonly place: () => Promise<string>;
  readonly open: (place: string, scope?: string) => Promise<GuardStorage>;
  /** Closes a storage before the end of the tests, which is needed only for many. */
  readonly close: (storage: GuardStorage) => Promise<void>;
  /** Runs a statement as somebody who can write to the database and does not have the key. */
  readonly tamper: (place: string, statement: string) => Promise<void>;
}

/** The key of every storage in these tests. */
const key = randomBytes(32);

/** Runs the same tests on SQLite and on a real PostgreSQL. */
export function onBothEngines(tests: (engine: Engine) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "toolpact-guards-"));
  const opened = new Set<GuardStorage>();
  afterAll(async () => {
    await Promise.all([...opened].map((storage) => storage.close()));
    rmSync(folder, { recursive: true, force: true });
  });
  let files = 0;
  const engine = (place: Engine["place"], connect: typeof openSqlite): Engine => ({
    place,
    async open(at, scope = "test") {
      const storage = await openSqlStorage(await connect(at), { scope, key, maxWaiting: 5 });
      opened.add(storage);
      return storage;
    },
    async close(storage) {
      opened.delete(storage);
      await storage.close();
    },
    async tamper(at, statement) {
      const database = await connect(at);
      await database.transact("test", async (run) => void (await run(statement)));
      await database.close();
    },
  });
  describe("on sqlite", () => tests(engine(async () => join(folder, `${++files}.db`), openSqlite)));
  if (realPostgres.ok) {
    const { url } = realPostgres.server;
    describe("on postgres", () => tests(engine(() => newSchema(url), openPostgres)));
  } else describe.skip(`on postgres: ${realPostgres.why}`, () => {});
}
