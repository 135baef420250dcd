import { isRetryable, isTransient, mayHaveTakenEffect } from "@toolpact/x-api";
import { beforeEach, describe, expect, test } from "vitest";
import type { FaultRequest } from "../../src/index.ts";
import { failureOf, places, type SignedIn, signedIn } from "./signed-in.ts";

describe.each(places)("a fault, as the client tells it, %s", (where) => {
  let x: SignedIn;
  beforeEach(async () => {
    x = await signedIn(where);
  });

  const interrupted = { kind: "network", cause: "interrupted", ambiguous: true };
  test.each<[FaultRequest["kind"], Partial<FaultRequest>, object, "posted" | "not posted"]>([
    ["drop", { when: "after" }, interrupted, "posted"],
    ["drop", { when: "before" }, interrupted, "not posted"],
    ["reset", { when: "after" }, interrupted, "posted"],
    ["reset", { when: "before" }, interrupted, "not posted"],
    ["error", { when: "after", status: 500 }, { kind: "server_error", status: 500 }, "posted"],
    ["error", { when: "before" }, { kind: "server_error", status: 503 }, "not posted"],
    ["html", { when: "after", status: 502 }, { kind: "server_error", status: 502 }, "posted"],
    ["html", { when: "before" }, { kind: "server_error", status: 503 }, "not posted"],
  ])(
    "%s %o leaves the outcome of a write unknown, and it is sent once",
    async (kind, wish, expected, outcome) => {
      x.sandbox.faults.add({ operation: "createPosts", kind, ...wish });
      const failure = await failureOf(x.patient.call("createPosts", { body: { text: "Hello" } }));
      expect(failure).toMatchObject(expected);
      expect([mayHaveTakenEffect(failure), isTransient(failure), isRetryable(failure)]).toEqual([
        true,
        true,
        true,
      ]);
      expect(x.isPosted("Hello")).toBe(outcome === "posted");
      expect(x.requests("createPosts")).toBe(1);
    },
  );

  test.each(["hang", "stall"] as const)("%s ends with the client's patience", async (kind) => {
    x.sandbox.faults.add({ operation: "createPosts", kind });
    const failing = failureOf(x.post("Hello"));
    while (x.requests("createPosts") === 0) await new Promise((resolve) => setImmediate(resolve));
    for (const run of x.timers) run();
    const failure = await failing;
    expect(failure).toMatchObject({ kind: "network", cause: "timeout", ambiguous: true });
    expect(mayHaveTakenEffect(failure)).toBe(true);
    expect(x.isPosted("Hello")).toBe(true);
  });

  test("a slow body is not a failure", async () => {
    x.sandbox.faults.add({ operation: "createPosts", kind: "slow", delayMs: 1 });
    expect((await x.post("Hello")).ok).toBe(true);
  });

  test("two 401s mean an invalid token", async () => {
    x.sandbox.faults.add({ operation: "createPosts", kind: "unauthorized", count: 2 });
    const failure = await failureOf(x.post("Hello"));
    expect(failure).toMatchObject({ kind: "auth_expired" });
    expect([mayHaveTakenEffect(failure), isRetryable(failure)]).toEqual([false, false]);
    expect(x.isPosted("Hello")).toBe(false);
  });

  test("rate_limited reports the reset time of the operation's window", async () => {
    expect((await x.post("First")).ok).toBe(true);
    x.sandbox.clock.advance(60_000);
    x.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited" });
    const failure = await failureOf(x.post("Hello"));
    expect(failure).toMatchObject({ kind: "rate_limited", limit: "window", retryAfterMs: 840_000 });
    expect([mayHaveTakenEffect(failure), isTransient(failure), isRetryable(failure)]).toEqual([
      false,
      false,
      true,
    ]);
    expect(x.client.rateWindows("createPosts").find(({ seconds }) => seconds === 900)).toMatchObject({
      limit: 100,
      remaining: 0,
      resetAt: x.sandbox.clock.now() + 840_000,
    });
  });
});
