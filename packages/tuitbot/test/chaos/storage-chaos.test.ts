import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { openStore } from "../../src/storage/open-store.ts";
import { newSchema, startOwnPostgres } from "../postgres/server.ts";
import { newSandbox, postedBy, serverOn } from "../storage/world.ts";
import { chaosCampaign } from "./campaign.ts";
import { postgresKills } from "./storage-postgres-kills.ts";
import { letRunsKill, storageWeathers } from "./storage-weathers.ts";

// A few runs of each trouble that `npm run chaos` mixes with all the others.
const firstSeed = 9_001;

/** A repeated call may also meet its predecessor, and on a slow machine a request to X may take too long. */
const EXPECTED =
  /^(db_error unreachable retryable|x_network_error (duplicate_request)? retryable|validation_error (duplicate_request|outcome_unknown))$/;

describe("a server does nothing twice and forgets nothing", () => {
  const onSqlite = storageWeathers.filter(({ engine, chance }) => engine === "sqlite" && chance > 0);

  test.each(onSqlite)("with a $name", { timeout: 300_000 }, async (weather) => {
    const weathers = [{ ...weather, chance: 1 }];
    const results = await chaosCampaign({ runs: 2, firstSeed, weathers, jobs: 2 });
    expect(results.filter(({ complaints }) => complaints.length > 0)).toEqual([]);
  });

  test("with a killed PostgreSQL that waits for the disk", { timeout: 300_000 }, async () => {
    const server = letRunsKill(await startOwnPostgres());
    try {
      const weathers = storageWeathers.map((weather) => ({ ...weather, chance: 1 }));
      const results = await chaosCampaign({ runs: 2, firstSeed, postgresUrl: server.url, weathers });
      expect(results.filter(({ complaints }) => complaints.length > 0)).toEqual([]);
    } finally {
      await server.stop();
    }
  });

  test("and lives on when PostgreSQL is killed and connections are lost", { timeout: 300_000 }, async () => {
    const { refusals, ...result } = await postgresKills(5, firstSeed);
    expect(result).toEqual({ exits: 0, doubled: [], lost: [] });
    // A call without an answer because of the database reports that, and that it may be retried.
    expect(Object.keys(refusals).filter((one) => !EXPECTED.test(one))).toEqual([]);
  });
});

test("a PostgreSQL that does not wait for the disk has the step when it dies with the request under way", async () => {
  const server = await startOwnPostgres(["-c", "synchronous_commit=off", "-c", "wal_writer_delay=10s"]);
  const sandbox = newSandbox();
  const place = { url: await newSchema(server.url), path: "" };
  const call = { text: "Said once", idempotency_key: "cut" };
  const ask = async (fetch: typeof globalThis.fetch) => {
    const opened = await openStore(place, { now: Date.now });
    if (!opened.ok) throw opened.failure;
    // The tables are on disk; the call's writes are not, without this checkpoint.
    await sql`checkpoint`.execute(opened.value.db);
    const answer = await serverOn(opened.value, sandbox, {}, fetch).call("x_post_tweet", call);
    await opened.value.close();
    return answer;
  };
  try {
    const first = await ask(async (input, init) => {
      const answer = await sandbox.fetch(input, init);
      if (init?.method === "POST") await server.crash();
      return answer;
    });
    sandbox.clock.advance(31 * 60_000);
    expect(await ask(sandbox.fetch)).toMatchObject({ success: true, data: first.data });
    expect(postedBy(sandbox).map(({ text }) => text)).toEqual(["Said once"]);
  } finally {
    await server.stop();
  }
}, 120_000);
