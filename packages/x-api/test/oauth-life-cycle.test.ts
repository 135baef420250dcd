import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Clock } from "../src/clock.ts";
import { Secret } from "../src/oauth/token-file.ts";
import { TokenKeeper } from "../src/oauth/token-keeper.ts";
import type { Token } from "../src/tokens.ts";
import { FakeTokenEndpoint, type Fault, fetchFrom } from "./oauth-token-server.ts";

/** Tests the order of operations, not the disk. */
const shelf = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

type Step =
  | { readonly do: "use"; readonly by: readonly number[] }
  | { readonly do: "wait"; readonly minutes: number }
  | { readonly do: "restart"; readonly who: number }
  | { readonly do: "fault"; readonly fault: Fault };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("use"), by: fc.uniqueArray(fc.nat(2), { minLength: 1 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("wait"), minutes: fc.constantFrom(1, 60, 117, 119, 120, 300) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart"), who: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("fault"),
      fault: fc.constantFrom<Fault>("drop before", "drop after", "server error"),
    }),
  },
);

test("three processes share one sign-in, and lose it only if X's answer was lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const folder = await mkdtemp(join(shelf, "x-api-life-"));
      try {
        await live(folder, steps);
      } finally {
        await rm(folder, { recursive: true });
      }
    }),
    { numRuns: 150 },
  );
});

async function live(folder: string, steps: readonly Step[]): Promise<void> {
  const time = { now: 1_800_000_000_000 };
  const endpoint = new FakeTokenEndpoint(() => time.now);
  const start = () =>
    new TokenKeeper({
      app: { clientId: "an-app", redirectUri: "http://127.0.0.1:8400/callback" },
      path: join(folder, "tokens.json"),
      loginCommand: "login",
      fetch: fetchFrom(endpoint),
      clock: clockOf(time),
    });
  const keepers = [start(), start(), start()];
  await keepers[0]?.signIn({
    accessToken: new Secret(endpoint.accessToken),
    refreshToken: new Secret(endpoint.refreshToken),
    expiresAt: time.now + 7_200_000,
    scopes: [],
  });
  let wasAnswerLost = false;
  for (const step of steps) {
    if (step.do === "wait") time.now += step.minutes * 60_000;
    else if (step.do === "restart") keepers[step.who] = start();
    else if (step.do === "fault") endpoint.faults.push(step.fault);
    else {
      const sent = endpoint.requests.length;
      const faults = [...endpoint.faults];
      const users = step.by.flatMap((who) => keepers[who] ?? []);
      const outcomes = await Promise.all(users.map((keeper) => useOnce(keeper, endpoint)));
      const met = faults.slice(0, endpoint.requests.length - sent);
      wasAnswerLost ||= met.includes("drop after");
      for (const outcome of outcomes) {
        if (outcome.ok || wasAnswerLost) continue;
        expect(met).not.toEqual([]);
        expect(outcome.failure).toMatchObject({ kind: expect.stringMatching(/^(network|server_error)$/) });
      }
      if (!wasAnswerLost) expect(endpoint.reuses).toBe(0);
    }
  }
}

/** Retries once after X rejects the token. */
async function useOnce(keeper: TokenKeeper, endpoint: FakeTokenEndpoint): Promise<Token> {
  const first = await keeper.userToken();
  if (!first.ok || endpoint.accepts(first.value)) return first;
  const second = await keeper.rejected(first.value, "user");
  if (second.ok) expect(endpoint.accepts(second.value)).toBe(true);
  return second;
}

/** Waits for a lock are as short as possible. */
function clockOf(time: { readonly now: number }): Clock {
  return {
    now: () => time.now,
    after: (ms, run) => {
      const soon = ms < 1000 ? setImmediate(run) : undefined;
      return () => clearImmediate(soon);
    },
  };
}
