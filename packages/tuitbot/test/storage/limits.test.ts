import { setImmediate } from "node:timers/promises";
import { cast } from "@toolpact/x-sandbox";
import * as fc from "fast-check";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { budgetLedger, reserve, settleHolds, spentBy } from "../../src/guards/budget/ledger.ts";
import {
  giveBack,
  type LimitHold,
  limitUse,
  type PolicyLimit,
  takePlaces,
} from "../../src/guards/policy/limits.ts";
import { StorageError } from "../../src/storage/storage-error.ts";
import { transact } from "../../src/storage/transaction.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import type { TestServer } from "./server.ts";
import { newSandbox, postedBy, serverOn } from "./world.ts";

const HOUR = 3_600_000;

onBothEngines("limits and budget", (stores) => {
  test("hold for 64 concurrent calls on two servers", async () => {
    const sandbox = newSandbox();
    const place = await stores.place();
    const setting = { config: { mcp_policy: { max_mutations_per_hour: 20 } }, caps: { perDay: 15_000 * 10 } };
    const servers = [
      serverOn(await stores.open(place), sandbox, setting),
      serverOn(await stores.open(place), sandbox, setting),
    ];
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        (servers[i % 2] as TestServer).call("x_post_tweet", { text: `Post ${i}` }),
      ),
    );
    // Ten posts cost as much as a day may.
    expect(answers.filter(({ success }) => success)).toHaveLength(10);
    expect(postedBy(sandbox)).toHaveLength(10);
    for (const { success, error } of answers) {
      if (success) continue;
      expect(error).toMatchObject({ code: "policy_denied_rate_limited", reason: "budget" });
    }
    const { session } = servers[0] as TestServer;
    expect(await spentBy(session.store.db, session.account, sandbox.clock.now())).toEqual({
      day: 150_000,
      month: 150_000,
    });
  }, 120_000);

  test("per hour let 20 mutations through and return when the next one is allowed", async () => {
    const sandbox = newSandbox();
    const server = serverOn(await stores.open(), sandbox, {
      config: { mcp_policy: { max_mutations_per_hour: 20 } },
    });
    const post = (text: string) => server.call("x_post_tweet", { text });
    for (let i = 0; i < 20; i++) expect((await post(`${i}`)).success).toBe(true);
    expect(await post("one more")).toMatchObject({
      error: {
        code: "policy_denied_rate_limited",
        rate_limit_reset: new Date(sandbox.clock.now() + HOUR).toISOString(),
        policy_decision: "denied",
      },
    });
    sandbox.clock.advance(HOUR);
    expect((await post("one more")).success).toBe(true);
  });

  test("that are used up together report the one that lasts longest, and the call runs then", async () => {
    const sandbox = newSandbox();
    const server = serverOn(await stores.open(), sandbox, {
      config: { mcp_policy: { max_mutations_per_hour: 1 }, limits: { max_tweets_per_day: 1 } },
      caps: { perMonth: 30_000 },
    });
    const post = (text: string) => server.call("x_post_tweet", { text });
    const waited = async (text: string) => {
      const { error } = await post(text);
      expect(error).toMatchObject({ code: "policy_denied_rate_limited" });
      sandbox.clock.advance(Date.parse(error?.rate_limit_reset ?? "") - sandbox.clock.now());
      return post(text);
    };
    expect((await post("first")).success).toBe(true);
    expect((await waited("second")).success).toBe(true);
    expect((await waited("third")).success).toBe(true);
  });

  test("of a day and a month that are spent together report the end of the month", async () => {
    const sandbox = newSandbox();
    const caps = { perDay: 15_000, perMonth: 15_000 };
    const server = serverOn(await stores.open(), sandbox, { caps });
    expect((await server.call("x_post_tweet", { text: "first" })).success).toBe(true);
    const now = new Date(sandbox.clock.now());
    const monthEnds = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString();
    expect(await server.call("x_post_tweet", { text: "second" })).toMatchObject({
      error: { reason: "budget", rate_limit_reset: monthEnds, details: { cap: "month" } },
    });
  });

  test("lower than one call are not reported as ones to wait for", async () => {
    const sandbox = newSandbox();
    const server = serverOn(await stores.open(), sandbox, { caps: { perDay: 14_999 } });
    const { error } = await server.call("x_post_tweet", { text: "too expensive" });
    expect(error).toMatchObject({ code: "policy_denied_user_rule", details: { cap: "day" } });
    expect(error?.rate_limit_reset).toBeUndefined();
  });

  test("are released when a mutation fails", async () => {
    const sandbox = newSandbox();
    const server = serverOn(await stores.open(), sandbox, {
      config: { mcp_policy: { max_mutations_per_hour: 1 } },
      caps: { perDay: 15_000 },
    });
    sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", count: 3 });
    for (let i = 0; i < 3; i++)
      expect(await server.call("x_post_tweet", { text: "a" })).toMatchObject({
        error: { code: "x_rate_limited" },
      });
    expect((await server.call("x_post_tweet", { text: "a" })).success).toBe(true);
  });

  test("hold the price of a call while its outcome is unknown", async () => {
    const sandbox = newSandbox();
    const server = serverOn(await stores.open(), sandbox, { caps: { perDay: 15_000 } });
    const { store, account } = server.session;
    sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "before" });
    await server.call("x_post_tweet", { text: "a" });
    expect(await server.call("x_post_tweet", { text: "b" })).toMatchObject({ error: { reason: "budget" } });
    sandbox.clock.advance(301_000);
    expect((await server.call("x_post_tweet", { text: "a" })).success).toBe(true);
    expect((await spentBy(store.db, account, sandbox.clock.now())).day).toBe(15_000);
  });

  test("follow a changed configuration immediately", async () => {
    const store = await stores.open();
    const now = 1_000;
    const limit = (max: number, periodMs: number): PolicyLimit => ({ key: "k", max, periodMs, setting: "s" });
    const take = (with_: PolicyLimit, at = now) =>
      store.transaction((db) => takePlaces(db, "1", [with_], at));
    expect((await take(limit(1, 60_000))).ok).toBe(true);
    expect((await take(limit(1, 60_000))).ok).toBe(false);
    expect((await take(limit(2, 60_000))).ok).toBe(true);
    expect((await take(limit(1, 10_000), now + 10_000)).ok).toBe(true);
  });

  test("count like a plain list of calls", async () => {
    const store = await stores.open();
    const limit: PolicyLimit = { key: "k", max: 3, periodMs: 1_000, setting: "s" };
    const step = fc.record({ wait: fc.nat(600), refunds: fc.boolean() });
    let account = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const who = String(++account);
        let now = 10_000;
        let window = { start: Number.NEGATIVE_INFINITY, used: 0 };
        for (const { wait, refunds } of steps) {
          now += wait;
          if (now - window.start >= limit.periodMs) window = { start: now, used: 0 };
          const taken = await store.transaction((db) => takePlaces(db, who, [limit], now));
          expect(taken.ok).toBe(window.used < limit.max);
          if (!taken.ok) continue;
          window.used += 1;
          if (refunds) {
            await giveBack(store.db, who, taken.value as readonly LimitHold[]);
            window.used -= 1;
          }
          const [use] = await limitUse(store.db, who, [limit], now);
          expect(use).toMatchObject({ used: window.used });
        }
      }),
      { numRuns: stores.engine === "sqlite" ? 30 : 6 },
    );
  });

  test("in dollars match the ledger for any order of settlements", async () => {
    const store = await stores.open();
    const entry = fc.record({ micros: fc.nat(1_000), spent: fc.option(fc.nat(1_000)) });
    let account = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 10 }), fc.nat(5_000), async (entries, perDay) => {
        const who = String(++account);
        const now = Date.UTC(2026, 8, 30, 23, 59);
        let sum = 0;
        for (const { micros, spent } of entries) {
          const expense = {
            by: "an agent",
            callId: "c",
            tool: "t",
            requests: [{ operation: "o", micros }],
            now,
          };
          const held = await transact(store, (db) => reserve(db, who, expense, { perDay }));
          expect(held.ok).toBe(micros === 0 || sum + micros <= perDay);
          if (!held.ok) continue;
          sum += micros;
          const [hold] = held.value;
          if (spent === null || hold === undefined || spent > micros) continue;
          await store.transaction((db) =>
            settleHolds(db, who, [{ hold, spentMicros: spent, hasFailed: false }]),
          );
          sum += spent - micros;
        }
        expect((await spentBy(store.db, who, now)).day).toBe(sum);
        expect((await spentBy(store.db, who, now + HOUR)).day).toBe(0);
      }),
      { numRuns: stores.engine === "sqlite" ? 30 : 6 },
    );
  });

  test("require confirmation of the price of a link", async () => {
    const sandbox = newSandbox();
    const server = serverOn(await stores.open(), sandbox);
    const text = "It is all in README.md";
    expect(await server.call("x_post_tweet", { text })).toMatchObject({
      error: {
        code: "validation_error",
        reason: "url_price",
        message: expect.stringContaining("$0.20 for this instead of $0.015"),
        details: { price_usd: 0.2, price_without_links_usd: 0.015, links: ["README.md"] },
      },
    });
    expect(sandbox.journal.of("createPosts")).toEqual([]);
    expect(await server.call("x_post_tweet", { text, accept_url_price: true })).toMatchObject({
      success: true,
      meta: { cost: { settled_usd: 0.2 } },
    });
  });

  test("hold for reads and for single calls", async () => {
    const sandbox = newSandbox();
    const server = serverOn(await stores.open(), sandbox, { caps: { perCall: 30_000, perMonth: 45_000 } });
    expect(await server.call("x_search_tweets", { query: "morning", max_results: 100 })).toMatchObject({
      error: { code: "policy_denied_user_rule", reason: "budget", details: { cap: "call" } },
    });
    const read = await server.call("x_get_user_by_username", { username: cast.friend });
    expect(read).toMatchObject({ success: true, meta: { cost: { settled_usd: 0.01, day_usd: 0.01 } } });
    for (let i = 0; i < 2; i++) await server.call("x_post_tweet", { text: `${i}` });
    expect(await server.call("x_post_tweet", { text: "c" })).toMatchObject({
      error: { code: "policy_denied_rate_limited", rate_limit_reset: "2026-10-01T00:00:00.000Z" },
    });
    expect(sandbox.journal.of("searchPostsRecent")).toEqual([]);
  });

  test("hold for raw requests to X as well", async () => {
    const sandbox = newSandbox();
    const server = serverOn(await stores.open(), sandbox, { caps: { perDay: 20_000 } });
    const { store, account } = server.session;
    const raw = { path: `/2/users/${account}/followers`, query: [{ key: "max_results", value: "10" }] };
    const first = await server.call("x_get", raw);
    const spent = await spentBy(store.db, account, sandbox.clock.now());
    expect(spent.day).toBeGreaterThan(0);
    expect(first).toMatchObject({ success: true, meta: { cost: { settled_usd: spent.day / 1e6 } } });
    const typed = await server.call("x_get_followers", { user_id: account, max_results: 10 });
    expect(typed).toMatchObject({ meta: { cost: { settled_usd: 0, day_usd: spent.day / 1e6 } } });
    const answers = await Promise.all(Array.from({ length: 8 }, () => server.call("x_get", raw)));
    expect(answers.filter(({ error }) => error?.reason === "budget")).not.toEqual([]);
    expect((await spentBy(store.db, account, sandbox.clock.now())).day).toBeLessThanOrEqual(20_000);
  });

  test("charge a repeated read once per UTC day across processes, as X does", async () => {
    const sandbox = newSandbox();
    const store = await stores.open();
    const read = async () => {
      const { meta } = await serverOn(store, sandbox).call("x_get_user_by_username", {
        username: cast.friend,
      });
      return (meta?.cost as { settled_usd: number } | undefined)?.settled_usd ?? Number.NaN;
    };
    const together = await Promise.all([read(), read(), read()]);
    expect(together.filter((usd) => usd > 0)).toHaveLength(1);
    expect(await read()).toBe(0);
    sandbox.clock.advance(24 * HOUR);
    expect(await read()).toBe(Math.max(...together));
    const charged = sandbox.ledger.entries.reduce((sum, { usd }) => sum + usd, 0);
    const { rows } = await sql<{ usd: number }>`select sum(settled_micros) / 1e6 as usd from ledger`.execute(
      store.db,
    );
    expect(Number(rows[0]?.usd)).toBeCloseTo(charged, 6);
    expect(await store.db.selectFrom("billed_resources").select("day").distinct().execute()).toHaveLength(1);
  });

  test("count a read without a known price and report that", async () => {
    const server = serverOn(await stores.open(), newSandbox());
    const { store } = server.session;
    expect(await server.call("x_get", { path: "/2/not/in/any/table" })).toMatchObject({
      meta: { cost: { unpriced_requests: 1 } },
    });
    expect(await store.db.selectFrom("ledger").select("operation").execute()).toEqual([
      { operation: "unlisted" },
    ]);
  });

  test("count a read that X rejected as failed, with or without a price", async () => {
    const { session } = serverOn(await stores.open(), newSandbox());
    const ledger = budgetLedger(session, false);
    const now = Date.now();
    for (const micros of [5_000, 0, 5_000, 0]) {
      const requests = [{ operation: `for ${micros}`, micros }];
      const held = await ledger.reserve({ callId: "c", tool: "t", by: "agent", requests, now }, {});
      for (const hold of held.ok ? held.value : []) expect(await ledger.settleRead(hold, undefined)).toBe(0);
    }
    const entries = await session.store.db
      .selectFrom("ledger")
      .select(["failed", "settled_micros"])
      .execute();
    expect(entries).toEqual(Array(4).fill({ failed: 1, settled_micros: 0 }));
    expect(await ledger.spent(now)).toEqual({ day: 0, month: 0 });
  });

  test("report a settlement that the database rejects once, without an unhandled rejection", async () => {
    const session = { store: await stores.open(), account: "1" };
    const ledger = budgetLedger(session, false);
    const now = Date.now();
    const requests = [{ operation: "getUsersMe", micros: 10 }];
    const held = await ledger.reserve({ callId: "c", tool: "t", by: "agent", requests, now }, {});
    const [hold = expect.fail()] = held.ok ? held.value : [];
    for (const table of ["spend", "ledger", "billed_resources"])
      await sql`drop table ${sql.table(table)}`.execute(session.store.db);
    const unseen: unknown[] = [];
    const see = (reason: unknown) => void unseen.push(reason);
    process.on("unhandledRejection", see);
    onTestFinished(() => void process.off("unhandledRejection", see));
    const price = () => ({ micros: 5, resources: ["post:1"] });
    for (const read of [price, undefined])
      await expect(ledger.settleRead(hold, read)).rejects.toThrow(StorageError);
    // Node tells of such failures once the microtasks are done.
    await setImmediate();
    expect(unseen).toEqual([]);
  });

  test("are reserved for a whole thread before its first post", async () => {
    const sandbox = newSandbox();
    const server = serverOn(await stores.open(), sandbox, { caps: { perDay: 40_000 } });
    const thread = await server.call("x_post_thread", { tweets: ["One", "Two", "Three"] });
    expect(thread).toMatchObject({ error: { reason: "budget", details: { needed_usd: 0.045 } } });
    expect(postedBy(sandbox)).toEqual([]);
  });
});
