import { operations } from "@toolpact/x-api/operations";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Sandbox } from "../src/index.ts";
import { app, as, owner } from "./caller.ts";

const minute = 60_000;

function windowOf(headers: Headers, prefix = "x-rate-limit"): (number | undefined)[] {
  return ["limit", "remaining", "reset"].map((name) => {
    const value = headers.get(`${prefix}-${name}`);
    return value === null ? undefined : Number(value);
  });
}

describe("rate windows", () => {
  test("every answer counts down, and requests above the limit are rejected until the reset", async () => {
    const me = owner();
    const reset = (me.sandbox.clock.now() + 15 * minute) / 1_000;
    for (let used = 1; used <= 75; used++) {
      const heard = await me.get("/2/users/me");
      expect(heard.status).toBe(200);
      expect(windowOf(heard.headers)).toEqual([75, 75 - used, reset]);
    }
    const refused = await me.get("/2/users/me");
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      title: "Too Many Requests",
      detail: "Too Many Requests",
      type: "about:blank",
      status: 429,
    });
    expect(windowOf(refused.headers)).toEqual([75, 0, reset]);
    me.sandbox.clock.advance(15 * minute - 1);
    expect((await me.get("/2/users/me")).status).toBe(429);
    me.sandbox.clock.advance(1);
    expect(windowOf((await me.get("/2/users/me")).headers)).toEqual([75, 74, reset + 900]);
  });

  test("users and apps have separate windows", async () => {
    const me = owner();
    const friend = as(me.sandbox, "sandbox_friend");
    const asApp = app(me.sandbox);
    await me.get("/2/tweets/search/recent?query=maps");
    expect(windowOf((await me.get("/2/tweets/search/recent?query=maps")).headers).slice(0, 2)).toEqual([
      300, 298,
    ]);
    expect(windowOf((await friend.get("/2/tweets/search/recent?query=maps")).headers).slice(0, 2)).toEqual([
      300, 299,
    ]);
    expect(windowOf((await asApp.get("/2/tweets/search/recent?query=maps")).headers).slice(0, 2)).toEqual([
      450, 449,
    ]);
  });

  test("a daily window has separate headers and is shared by the app's users", async () => {
    const me = owner();
    const friend = as(me.sandbox, "sandbox_friend");
    const heard = await me.post("/2/tweets", { text: "One" });
    expect(windowOf(heard.headers)).toEqual([100, 99, expect.any(Number)]);
    expect(windowOf(heard.headers, "x-app-limit-24hour").slice(0, 2)).toEqual([10_000, 9_999]);
    const next = await friend.post("/2/tweets", { text: "Two" });
    expect(windowOf(next.headers).slice(0, 2)).toEqual([100, 99]);
    expect(windowOf(next.headers, "x-app-limit-24hour").slice(0, 2)).toEqual([10_000, 9_998]);
    const message = await me.post(
      `/2/dm_conversations/with/${me.sandbox.person("sandbox_friend").id}/messages`,
      { text: "Hi" },
    );
    expect(windowOf(message.headers, "x-user-limit-24hour").slice(0, 2)).toEqual([1_440, 1_439]);
  });

  test("a one-second window allows one search of the archive", async () => {
    const asApp = app(owner().sandbox);
    const search = () => asApp.get("/2/tweets/search/all?query=maps");
    const start = asApp.sandbox.clock.now() / 1_000;
    const first = await search();
    expect(first.status).toBe(200);
    expect(windowOf(first.headers)).toEqual([300, 299, start + 900]);
    const second = await search();
    expect(second.status).toBe(429);
    expect(windowOf(second.headers)).toEqual([1, 0, start + 1]);
    asApp.sandbox.clock.advance(1_000);
    const third = await search();
    expect(third.status).toBe(200);
    expect(windowOf(third.headers)).toEqual([300, 298, start + 900]);
  });

  test("of two exhausted windows, the longer one determines the wait", async () => {
    const asApp = app(owner().sandbox);
    const search = () => asApp.get("/2/tweets/search/all?query=maps");
    const reset = asApp.sandbox.clock.now() / 1_000 + 900;
    for (let used = 0; used < 300; used++) {
      asApp.sandbox.clock.advance(1_000);
      await search();
    }
    const refused = await search();
    expect(refused.status).toBe(429);
    expect(windowOf(refused.headers)).toEqual([300, 0, reset + 1]);
  });

  test("without a documented limit, the header has the observed one", async () => {
    const heard = await app(owner().sandbox).get("/2/usage/credits");
    expect(windowOf(heard.headers).slice(0, 2)).toEqual([40_000, 39_999]);
  });

  test("a window allows exactly its limit", async () => {
    const limit = operations.getUsersBlocking.limits?.user?.[0]?.limit ?? 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 4 * minute }), { maxLength: 60 }),
        async (pauses) => {
          const sandbox = new Sandbox({ size: { people: 8, posts: 0 } });
          let opened = Number.NEGATIVE_INFINITY;
          let used = 0;
          for (const pause of pauses) {
            sandbox.clock.advance(pause);
            const now = sandbox.clock.now();
            if (now >= opened + 15 * minute) [opened, used] = [now, 0];
            const me = as(sandbox, "sandbox_owner");
            const heard = await me.get(`/2/users/${sandbox.person("sandbox_owner").id}/blocking`);
            expect(heard.status).toBe(used < limit ? 200 : 429);
            if (heard.status === 200) used++;
            expect(windowOf(heard.headers)).toEqual([
              limit,
              limit - used,
              Math.ceil((opened + 15 * minute) / 1_000),
            ]);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

test("the second kind of 429: the monthly posts are used up", async () => {
  const me = owner();
  me.sandbox.ledger.monthlyPostCap = 10;
  expect((await me.get("/2/tweets/search/recent?query=about&max_results=10")).status).toBe(200);
  const refused = await me.get("/2/tweets/search/recent?query=about");
  expect(refused.status).toBe(429);
  expect(refused.body).toEqual({
    account_id: me.sandbox.person("sandbox_owner").id,
    product_name: "pay-per-use",
    title: "UsageCapExceeded",
    period: "Monthly",
    scope: "Product",
    detail: "Usage cap exceeded: Monthly product cap",
    type: "https://api.twitter.com/2/problems/usage-capped",
  });
  expect((await me.get("/2/users/me")).status).toBe(200);
  me.sandbox.clock.set(Date.UTC(2026, 9, 1));
  expect((await app(me.sandbox).get("/2/tweets/search/recent?query=about")).status).toBe(200);
});

describe("the filtered stream", () => {
  test.each(["in process", "over HTTP"])(
    "%s brings new posts that match a rule; the third kind of 429 refuses a second connection",
    async (where) => {
      const me = owner();
      const asApp = app(me.sandbox);
      const base = where === "over HTTP" ? await me.sandbox.listen() : "https://api.x.com";
      const fetch = where === "over HTTP" ? globalThis.fetch : me.sandbox.fetch;
      await asApp.post("/2/tweets/search/stream/rules", { add: [{ value: "teapots", tag: "tea" }] });
      const open = () =>
        fetch(`${base}/2/tweets/search/stream?expansions=author_id`, {
          headers: { authorization: `Bearer ${me.sandbox.app.bearerToken}` },
        });
      const stream = await open();
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
      me.sandbox.say("sandbox_friend", "Nothing of interest");
      const post = me.sandbox.say("sandbox_friend", "Two teapots");
      const { value = "" } = (await reader?.read()) ?? {};
      expect(JSON.parse(value)).toMatchObject({
        data: { id: post.id, text: "Two teapots" },
        includes: { users: [{ username: "sandbox_friend" }] },
        matching_rules: [{ id: expect.any(String), tag: "tea" }],
      });
      const second = await open();
      expect(second.status).toBe(429);
      expect(await second.json()).toEqual({
        title: "ConnectionException",
        detail: "This stream is at the maximum allowed connection limit.",
        connection_issue: "TooManyConnections",
        type: "https://api.twitter.com/2/problems/streaming-connection",
      });
      await reader?.cancel();
      // Over a socket the sandbox notices the disconnect a little later.
      let status = 429;
      while (status === 429) {
        me.sandbox.clock.advance(15 * minute);
        status = (await open()).status;
      }
      expect(status).toBe(200);
      await me.sandbox.close();
    },
  );
});
