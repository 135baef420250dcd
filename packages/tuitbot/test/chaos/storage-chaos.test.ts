import { describe, expect, test } from "vitest";
import { startOwnPostgres } from "../postgres/server.ts";
import { chaosCampaign } from "./campaign.ts";
import { postgresKills } from "./storage-postgres-kills.ts";
import { letRunsKill, storageWeathers } from "./storage-weathers.ts";

// A few runs of each trouble that `npm run chaos` mixes with all the others.
const firstSeed = 9_001;

/** A repeated call may also meet its predecessor. */
const EXPECTED = /^(db_error unreachable retryable|validation_error (duplicate_request|outcome_unknown))$/;

describe("a server does nothing twice and forgets nothing", () => {
  const onSqlite = storageWeathers.filter(({ engine, chance }) => engine === "sqlite" && chance > 0);

  test.each(onSqlite)("with a $name", { timeout: 300_000 }, async (weather) => {
    const weathers = [{ ...weather, chance: 1 }];
    const results = await chaosCampaign({ runs: 2, firstSeed, weathers });
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
    // What got no answer because of the database says so, and that it may be tried again.
    expect(Object.keys(refusals).filter((one) => !EXPECTED.test(one))).toEqual([]);
  });
});
