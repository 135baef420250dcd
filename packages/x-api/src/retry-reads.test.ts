import { failed, ok } from "@toolpact/outcome";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixedTokens, heldClock } from "../test/doubles.ts";
import { createXClient, type RetryOptions, retryReads } from "./client.ts";
import type { Clock } from "./clock.ts";
import type { OperationId } from "./operations/index.ts";

function retrying(statuses: readonly number[], options: RetryOptions = {}) {
  const clock = heldClock(1_800_000_000_000, true);
  let sent = 0;
  const plain = createXClient({
    tokens: fixedTokens({ user: "u" }),
    clock: heldClock(),
    fetch: async () => {
      const status = statuses[Math.min(sent, statuses.length - 1)] ?? 200;
      sent += 1;
      if (status === 0) throw new TypeError("fetch failed");
      return new Response(JSON.stringify({ data: { id: "1" } }), { status, headers: { "retry-after": "7" } });
    },
  });
  const client = retryReads(plain, { clock, random: () => 0, ...options });
  return { client, waits: clock.waits, sent: () => sent };
}

const read: [OperationId, object] = ["getPostsById", { path: { id: "1" } }];
const write: [OperationId, object] = ["createPosts", { body: { text: "hello" } }];

describe("a read", () => {
  it("is retried after server and network errors, and reports how often", async () => {
    const { client, waits, sent } = retrying([503, 0, 200]);
    expect(await client.call(...read)).toMatchObject(ok({ data: { id: "1" }, retries: 2 }));
    expect(sent()).toBe(3);
    expect(waits).toEqual([500, 1000]);
  });

  it("fails after two retries, with the last error", async () => {
    const { client, sent } = retrying([500, 502, 503]);
    expect(await client.call(...read)).toMatchObject(
      failed({ kind: "server_error", status: 503, retries: 2 }),
    );
    expect(sent()).toBe(3);
  });

  it("answers a rate limit at once, with the wait in milliseconds", async () => {
    const { client, sent, waits } = retrying([429]);
    const answer = await client.call(...read);
    expect(answer).toMatchObject(failed({ kind: "rate_limited", retryAfterMs: 7000 }));
    expect(sent()).toBe(1);
    expect(waits).toEqual([]);
  });

  it.each([400, 401, 402, 403, 404])("is not repeated after a %d", async (status) => {
    const { client, sent } = retrying([status]);
    expect(await client.call(...read)).toMatchObject({ ok: false });
    expect(sent()).toBe(1);
  });

  it("stops waiting when the caller aborts", async () => {
    const gone = new AbortController();
    const clock: Clock = {
      now: () => 0,
      after: () => {
        queueMicrotask(() => gone.abort());
        return () => {};
      },
    };
    const { client, sent } = retrying([500], { clock });
    const answer = client.call(read[0], { ...read[1], signal: gone.signal });
    expect(await answer).toMatchObject(failed({ kind: "server_error" }));
    expect(sent()).toBe(1);
  });
});

describe("a write", () => {
  it.each([0, 500, 503])("is sent once whatever happens (%d)", async (status) => {
    const { client, sent } = retrying([status]);
    expect(await client.call(...write)).toMatchObject({ ok: false });
    expect(sent()).toBe(1);
  });
});

describe("the waits", () => {
  it("are between the exponential step and 25 % more, up to the maximum", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.integer({ min: 0, max: 8 }),
        async (chance, retries) => {
          const { client, waits } = retrying([500], { retries, random: () => chance });
          await client.call(...read);
          expect(waits).toHaveLength(retries);
          for (const [i, wait] of waits.entries()) {
            expect(wait).toBeGreaterThanOrEqual(Math.min(500 * 2 ** i, 5000));
            expect(wait).toBeLessThanOrEqual(Math.min(500 * 2 ** i * 1.25, 5000));
          }
        },
      ),
    );
  });
});
