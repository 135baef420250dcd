import type { Clock, JsonObject } from "@toolpact/contract";
import { type OperationId, operations } from "@toolpact/x-api";
import { cast } from "@toolpact/x-sandbox";
import { sql } from "kysely";
import { afterEach, describe, expect, test } from "vitest";
import { effectiveConfig } from "../../src/config/effective-config.ts";
import { configSchema } from "../../src/config/schema.ts";
import { catalogFor } from "../../src/server/catalog.ts";
import { createCore } from "../../src/server/core.ts";
import { sandboxWorld } from "../../src/x/sandbox-account.ts";
import { type Desk, openDesk, ownerOf } from "./desk.ts";
import { openBakery, passWith } from "./passes.ts";

let desk: Desk;
afterEach(() => desk?.close());

const noCaps = { budget: { unlimited: true } };

/** Charges by X, in millionths of a dollar. */
const charged = () => Math.round(desk.sandbox.ledger.entries.reduce((sum, { usd }) => sum + usd, 0) * 1e6);

/** The charges in this product's ledger. */
async function recorded(): Promise<number> {
  const { rows } = await sql<{ micros: number }>`
    select coalesce(sum(coalesce(settled_micros, estimated_micros)), 0) as micros from ledger
  `.execute(desk.services.db.store.db);
  return Number(rows[0]?.micros);
}

const settled = (meta: object | undefined) =>
  Math.round(((meta as { cost?: { settled_usd?: number } }).cost?.settled_usd ?? Number.NaN) * 1e6);

describe("the ledger agrees with X's to the cent", () => {
  test("about one's own mentions, which cost less", async () => {
    desk = await openDesk({ config: noCaps });
    for (const word of ["One", "Two", "Three"]) desk.sandbox.say(cast.friend, `${word} for @${cast.owner}`);
    const before = charged();
    const { meta, error } = await desk.call("x_get_user_mentions", { max_results: 100 });
    expect(error).toBeUndefined();
    expect(charged() - before).toBeGreaterThan(0);
    expect(settled(meta)).toBe(charged() - before);
    expect(await recorded()).toBe(charged());
  });

  test("about every operation that reads", async () => {
    desk = await openDesk({ config: noCaps });
    const mine = desk.sandbox.say(cast.owner, "Mine");
    desk.sandbox.say(cast.friend, `Hello @${cast.owner}`);
    const ids: Readonly<Record<string, string>> = { username: cast.friend, tweet_id: mine.id };
    const reads = (Object.keys(operations) as OperationId[]).filter((id) => {
      const { method, streaming, answer, host } = operations[id];
      return method === "GET" && !streaming && answer.data !== "bytes" && host === operations.getUsersMe.host;
    });
    let seen = 0;
    for (const id of reads) {
      const { path, params } = operations[id];
      const isOfPost = path.startsWith("/2/tweets");
      const filled = path.replace(
        /\{(\w+)\}/g,
        (_, name: string) => ids[name] ?? (isOfPost ? mine.id : ownerOf(desk)),
      );
      const query = params
        .filter(({ required, in: where }) => required && where === "query")
        .map(({ name }) => ({
          key: name,
          value:
            name === "query"
              ? "the"
              : name === "usernames"
                ? cast.friend
                : isOfPost
                  ? mine.id
                  : ownerOf(desk),
        }));
      const [before, known] = [charged(), await recorded()];
      await desk.call("x_get", { path: filled, query });
      expect([id, (await recorded()) - known]).toEqual([id, charged() - before]);
      if (charged() > before) seen += 1;
    }
    expect(seen).toBeGreaterThan(15);
  });

  test("about every kind of write, and what undoes it", async () => {
    desk = await openDesk({ config: noCaps });
    const { sandbox } = desk;
    const theirs = sandbox.say(cast.friend, `Hello @${cast.owner}`).id;
    const friend = sandbox.person(cast.friend).id;
    const id = (data: unknown) => String((data as { readonly id?: unknown }).id);
    let seen = 0;
    const pay = async (tool: string, args: JsonObject): Promise<unknown> => {
      const [before, known] = [charged(), await recorded()];
      const { data, error, meta } = await desk.call(tool, args);
      expect(error, tool).toBeUndefined();
      expect([tool, (await recorded()) - known]).toEqual([tool, charged() - before]);
      if (charged() === before) return data;
      expect([tool, settled(meta)]).toEqual([tool, charged() - before]);
      seen += 1;
      return data;
    };
    const mine = id(await pay("x_post_tweet", { text: "One" }));
    await pay("x_post_tweet", { text: "See https://example.com", accept_url_price: true });
    await pay("x_post_thread", { tweets: ["First", "Second", "Third"] });
    await pay("x_reply_to_tweet", { in_reply_to_id: theirs, text: "Good morning" });
    await pay("x_quote_tweet", { quoted_tweet_id: theirs, text: "Well said" });
    for (const [mark, unmark] of [
      ["x_like_tweet", "x_unlike_tweet"],
      ["x_retweet", "x_unretweet"],
      ["x_bookmark_tweet", "x_unbookmark_tweet"],
    ] as const) {
      await pay(mark, { tweet_id: theirs });
      await pay(unmark, { tweet_id: theirs });
    }
    await pay("x_unfollow_user", { target_user_id: friend });
    await pay("x_follow_user", { target_user_id: friend });
    await pay("x_v2_lists_create", { name: "Bakers" });
    await pay("x_delete_tweet", { tweet_id: mine });
    expect(seen).toBeGreaterThan(10);
  });

  test("about reading back what became of a post", async () => {
    desk = await openDesk({ config: noCaps });
    await desk.call("x_get_user_by_username", { username: cast.friend });
    desk.sandbox.say(cast.owner, "An older post");
    const before = charged();
    desk.sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    const { success, meta } = await desk.call("x_post_tweet", { text: "Lost on the way" });
    expect(success).toBe(true);
    expect(settled(meta)).toBe(charged() - before);
    expect(await recorded()).toBe(charged());
  });

  test("about health_check", async () => {
    desk = await openDesk({ config: noCaps });
    desk.sandbox.clock.advance(86_400_000);
    const before = charged();
    await desk.call("health_check");
    expect(charged()).toBeGreaterThan(before);
    expect(await recorded()).toBe(charged());
  });
});

test("a dry run of the autopilot asks X nothing", async () => {
  desk = await openBakery({ config: { targets: { accounts: [cast.friend] } } });
  desk.sandbox.say(cast.friend, `Hello @${cast.owner}, about sourdough`);
  desk.sandbox.clock.advance(60_000);
  const [before, requests] = [charged(), desk.sandbox.journal.entries.length];
  const ends = await passWith(desk, { isDryRun: true, ignoresSchedule: true });
  expect(charged()).toBe(before);
  expect(desk.sandbox.journal.entries).toHaveLength(requests);
  expect(ends.discovery).toMatchObject({ status: "completed", counts: { due: 1 } });
});

describe("caps", () => {
  test("hold for a call as a whole, not for each of its requests", async () => {
    desk = await openDesk({ config: { budget: { max_usd_per_call: 0.12, unlimited: true } } });
    for (let i = 0; i < 40; i++) desk.sandbox.say(cast.friend, `Sourdough, loaf ${i}`);
    desk.sandbox.clock.advance(60_000);
    const before = charged();
    const { data } = await desk.call("x_get", {
      path: "/2/tweets/search/recent",
      query: [
        { key: "query", value: "sourdough" },
        { key: "max_results", value: "10" },
      ],
      auto_paginate: true,
      max_pages: 10,
    });
    expect(data).toMatchObject({ total_pages: 2, next_token: expect.any(String) });
    expect(charged() - before).toBe(100_000);
  });

  test("hold for reads while X does not say who is signed in", async () => {
    const { sandbox, account } = sandboxWorld("enterprise");
    // Pauses between retries are over at once; timeouts never come.
    const hasty: Clock = {
      now: Date.now,
      after(ms, run) {
        if (ms < 7_000) queueMicrotask(run);
        return () => {};
      },
    };
    const core = createCore({
      profile: "write",
      catalog: catalogFor("write"),
      config: effectiveConfig(
        {
          values: configSchema.parse({ budget: { max_usd_per_day: 0.02 } }),
          file: undefined,
          fromEnvironment: [],
        },
        { env: {}, home: "/", cwd: "/" },
      ),
      account: { ...account, clock: hasty },
    });
    sandbox.faults.add({ operation: "getUsersMe", kind: "error", status: 503, count: 100 });
    const answers = [];
    for (const username of [cast.friend, cast.stranger, cast.owner]) {
      const answer = await core.pipeline.call({
        tool: "x_get_user_by_username",
        args: { username },
        caller: { transport: "stdio" },
      });
      answers.push(answer.kind === "rendered" ? answer.envelope : undefined);
    }
    await core.close();
    expect(answers.map((envelope) => envelope?.success)).toEqual([true, true, false]);
    expect(answers[2]).toMatchObject({ error: { reason: "budget", details: { cap: "day" } } });
  });

  test("are there by default", () => {
    const { budget } = configSchema.parse({});
    expect(budget.max_usd_per_day).toBeGreaterThan(0);
    expect(budget.max_usd_per_month).toBeGreaterThan(budget.max_usd_per_day);
    expect(budget.unlimited).toBe(false);
  });
});
