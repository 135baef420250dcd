import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { realPostgres } from "../../../tuitbot/test/postgres/real-postgres.ts";
import { newSchema } from "../../../tuitbot/test/postgres/server.ts";
import { type GuardStorage, openSqlite, openSqlStorage } from "../../src/guards/index.ts";
import { openPostgres } from "../../src/guards/postgres.ts";

/** Opened as by several processes. */
export interface Engine {
  readonly place: () => Promise<string>;
  readonly open: (place: string, scope?: string) => Promise<GuardStorage>;
  /** Only needed for many storages. */
  readonly close: (storage: GuardStorage) => Promise<void>;
  /** As somebody who can write to the database but lacks the key. */
  readonly tamper: (place: string, statement: string) => Promise<void>;
}

const key = randomBytes(32);

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
