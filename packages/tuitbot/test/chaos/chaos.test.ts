import { afterAll, describe, expect, test } from "vitest";
import { realPostgres as postgres } from "../postgres/real-postgres.ts";
import { chaosCampaign } from "./campaign.ts";

// A few runs of what `npm run chaos` does hundreds of times.
const firstSeed = 7_001;

afterAll(async () => {
  if (postgres.ok) await postgres.server.stop();
});

describe("a server that is killed at any moment does nothing twice and forgets nothing", () => {
  test("on sqlite", () => expectPeace(8, undefined), 300_000);

  if (postgres.ok) {
    const { url } = postgres.server;
    test("on postgres", () => expectPeace(4, url), 300_000);
  } else test.skip(`on postgres: ${postgres.why}`, () => {});
});

async function expectPeace(runs: number, postgresUrl: string | undefined): Promise<void> {
  const results = await chaosCampaign({ runs, firstSeed, postgresUrl, jobs: 4 });
  expect(results.filter(({ complaints }) => complaints.length > 0)).toEqual([]);
}
