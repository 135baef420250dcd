import { isRetryable, mapError } from "@toolpact/x-api";
import { beforeEach, describe, expect, test } from "vitest";
import { failureOf, places, type SignedIn, signedIn } from "./signed-in.ts";

describe.each(places)("limits and money, as the client tells them, %s", (where) => {
  let x: SignedIn;
  beforeEach(async () => {
    x = await signedIn(where);
  });

  test("the first 429: the window is exhausted, and waiting helps", async () => {
    for (let used = 0; used < 75; used++) await x.client.call("getUsersMe");
    expect(x.client.rateWindows("getUsersMe")).toMatchObject([{ limit: 75, remaining: 0, seconds: 900 }]);
    const resetAt = x.sandbox.clock.now() + 900_000;
    const failure = await failureOf(x.client.call("getUsersMe"));
    expect(failure).toMatchObject({
      kind: "rate_limited",
      limit: "window",
      retryAfterMs: 900_000,
      resetAt,
    });
    x.sandbox.clock.set(resetAt);
    expect((await x.client.call("getUsersMe")).ok).toBe(true);
  });

  test("a one-second window is reported next to the 15-minute one", async () => {
    const search = () => x.client.call("searchPostsAll", { query: { query: "about" } });
    expect((await search()).ok).toBe(true);
    const windows = x.client
      .rateWindows("searchPostsAll")
      .map(({ seconds, remaining }) => [seconds, remaining]);
    expect(windows.sort()).toEqual([
      [1, 0],
      [900, 299],
    ]);
    expect(await failureOf(search())).toMatchObject({ kind: "rate_limited", retryAfterMs: 1_000 });
  });

  test("the second 429: the monthly posts are used up, and waiting does not help", async () => {
    x.sandbox.ledger.monthlyPostCap = 0;
    const failure = await failureOf(x.client.call("searchPostsRecent", { query: { query: "about" } }));
    expect(failure).toMatchObject({ kind: "forbidden", reason: "usage_capped", problem: "usage-capped" });
    expect(isRetryable(failure)).toBe(false);
  });

  test("the third 429: a stream is already open", async () => {
    const open = () =>
      x.surroundings.fetch(`${x.surroundings.baseUrl}/2/tweets/search/stream`, {
        headers: { authorization: `Bearer ${x.sandbox.app.bearerToken}` },
      });
    const stream = await open();
    const second = await open();
    const failure = mapError(second.status, second.headers, await second.json(), {
      now: x.sandbox.clock.now(),
    });
    expect(failure).toMatchObject({ kind: "rate_limited", limit: "connections" });
    await stream.body?.cancel();
  });

  test("both 402s mean no credits", async () => {
    x.sandbox.ledger.balanceUsd = 0;
    const empty = { kind: "forbidden", reason: "credits_depleted" };
    expect(await failureOf(x.client.call("getUsersMe"))).toMatchObject({ ...empty, problem: "credits" });
    expect(await failureOf(x.post("Hello"))).toMatchObject({ ...empty, problem: "credits-depleted" });
    expect(x.isPosted("Hello")).toBe(false);
  });

  test("a locked account is distinguished from a refusal", async () => {
    x.owner.accountStatus = "locked";
    expect(await failureOf(x.post("Hello"))).toMatchObject({
      kind: "account_restricted",
      restriction: "locked",
    });
  });
});
