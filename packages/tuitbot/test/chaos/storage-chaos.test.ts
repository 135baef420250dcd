import { describe, expect, test } from "vitest";
import { startOwnPostgres } from "../postgres/server.ts";
import { chaosCampaign } from "./campaign.ts";
import { letRunsKill, storageWeathers } from "./storage-weathers.ts";

// A few runs of each trouble that `npm run chaos` mixes with all the others.
const firstSeed = 9_001;

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
});
