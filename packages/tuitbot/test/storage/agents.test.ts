import type { Caller, JsonObject } from "@toolpact/contract";
import { expect, test } from "vitest";
import { agentId } from "../../src/agents/agent.ts";
import {
  agentWithToken,
  type NewAgent,
  revokeAgent,
  rotateToken,
  saveAgent,
} from "../../src/agents/agents.ts";
import { findItem } from "../../src/approval/queue.ts";
import { releaseItem } from "../../src/approval/release.ts";
import type { WrittenLimit } from "../../src/config/written-limit.ts";
import { usageOf } from "../../src/guards/budget/usage.ts";
import { type Envelope, queuedItem } from "../live-server.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import type { TestServer } from "./server.ts";
import { newSandbox, postedBy, serverOn } from "./world.ts";

const POST = 15_000;

const plain: NewAgent = {
  name: "news",
  profile: "write",
  accounts: ["default"],
  perDay: undefined,
  perMonth: undefined,
  limits: [],
  subject: undefined,
  expiresAt: undefined,
};

/** An agent as identified by a transport, whatever its client calls itself. */
function as(name: string, client = "some client"): { caller: Caller } {
  return { caller: { transport: "http", client, principal: agentId({ name }) } };
}

onBothEngines("agents", (stores) => {
  test("spend their own budgets and no more, in calls that come together on two servers, and the account's holds", async () => {
    const sandbox = newSandbox();
    const place = await stores.place();
    const setting = { caps: { perDay: POST * 8 } };
    const servers = [
      serverOn(await stores.open(place), sandbox, setting),
      serverOn(await stores.open(place), sandbox, setting),
    ];
    const { store, account } = (servers[0] as TestServer).session;
    await saveAgent(store.db, { ...plain, name: "news", perDay: POST * 3 }, 1);
    await saveAgent(store.db, { ...plain, name: "jokes", perMonth: POST * 4 }, 1);
    const post = (name: string, i: number) =>
      (servers[i % 2] as TestServer).call("x_post_tweet", { text: `${name} ${i}` }, as(name));
    const together = (name: string) => Promise.all(Array.from({ length: 12 }, (_, i) => post(name, i)));
    const [news, jokes] = await Promise.all([together("news"), together("jokes")]);
    expect(news.filter(({ success }) => success)).toHaveLength(3);
    expect(jokes.filter(({ success }) => success)).toHaveLength(4);
    const refused = (answers: readonly Envelope[]) => answers.find(({ success }) => !success);
    expect(refused(news)).toMatchObject({
      error: {
        code: "policy_denied_rate_limited",
        reason: "budget",
        message: expect.stringContaining("the budget of agent:news for a day"),
        details: { agent: "agent:news", cap: "day" },
      },
    });
    expect(refused(jokes)).toMatchObject({ error: { details: { agent: "agent:jokes", cap: "month" } } });
    // The account's budget has room for one more post, by any agent.
    const others = await Promise.all([1, 2].map((i) => post("third", i)));
    expect(others.filter(({ success }) => success)).toHaveLength(1);
    expect(others.find(({ success }) => !success)).toMatchObject({
      error: { message: expect.stringContaining("budget.max_usd_per_day") },
    });
    expect(postedBy(sandbox)).toHaveLength(8);
    const { callers } = await usageOf(store.db, account, 1, sandbox.clock.now());
    expect(Object.fromEntries(callers.map(({ caller, cost }) => [caller, cost]))).toEqual({
      "agent:news": 0.045,
      "agent:jokes": 0.06,
      "agent:third": 0.015,
    });
  });

  test("do not use up each other's limits", async () => {
    const sandbox = newSandbox();
    const server = serverOn(await stores.open(), sandbox);
    const { db } = server.session.store;
    for (const name of ["news", "jokes"])
      await saveAgent(
        db,
        {
          ...plain,
          name,
          limits: [
            {
              key: `agent:${name}:x_post_tweet/hour`,
              dimension: "tool",
              match_value: "x_post_tweet",
              max_count: 2,
              period_seconds: 3_600,
            },
          ],
        },
        1,
      );
    const answers = await Promise.all(
      ["news", "jokes"].flatMap((name) =>
        [1, 2, 3].map((i) => server.call("x_post_tweet", { text: `${name} ${i}` }, as(name))),
      ),
    );
    const done = (from: number) => answers.slice(from, from + 3).filter(({ success }) => success);
    expect([done(0).length, done(3).length]).toEqual([2, 2]);
    expect(answers.slice(0, 3).find(({ success }) => !success)).toMatchObject({
      error: { code: "policy_denied_rate_limited", details: { limit: "agent:news:x_post_tweet/hour" } },
    });
  });

  test("have limits for reads and changes that hold for concurrent calls on two servers", async () => {
    const sandbox = newSandbox();
    const place = await stores.place();
    const servers = [
      serverOn(await stores.open(place), sandbox),
      serverOn(await stores.open(place), sandbox),
    ];
    const [server] = servers as [TestServer];
    const { db } = server.session.store;
    const limit = (name: string, what: Pick<WrittenLimit, "dimension" | "match_value">) => ({
      ...what,
      key: `agent:${name}:${what.match_value || "all"}/hour`,
      ...{ max_count: 3, period_seconds: 3_600 },
    });
    const limits = {
      reader: limit("reader", { dimension: "global", match_value: "" }),
      searcher: limit("searcher", { dimension: "tool", match_value: "x_search_tweets" }),
      raw: limit("raw", { dimension: "category", match_value: "universal_request" }),
    };
    for (const [name, own] of Object.entries(limits))
      await saveAgent(db, { ...plain, name, profile: "admin", limits: [own] }, 1);
    const together = async (name: string, tool: string, args: JsonObject) => {
      const before = sandbox.journal.entries.length;
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, i) => (servers[i % 2] as TestServer).call(tool, args, as(name))),
      );
      const refused = answers.filter(({ success }) => !success);
      expect(refused).toHaveLength(3);
      for (const answer of refused)
        expect(answer).toMatchObject({
          error: { code: "policy_denied_rate_limited", details: { limit: limits[name as "reader"].key } },
        });
      expect(sandbox.journal.entries.length - before).toBe(3);
    };
    // Whose sign-in it is is asked once.
    for (const one of servers) await one.call("x_get_me", {});
    await together("searcher", "x_search_tweets", { query: "bread" });
    expect(await server.call("x_get_me", {}, as("searcher"))).toMatchObject({ success: true });
    await together("raw", "x_get", { path: "/2/users/me" });
    await together("reader", "x_search_tweets", { query: "bread" });
    // Reads, changes and calls of a model share the limit for all; tools that only read the database do not count.
    for (const [tool, args] of [
      ["x_get_me", {}],
      ["x_post_tweet", { text: "One more." }],
      ["generate_tweet", { topic: "bread" }],
    ] as const)
      expect(await server.call(tool, args, as("reader"))).toMatchObject({
        error: { code: "policy_denied_rate_limited", details: { limit: "agent:reader:all/hour" } },
      });
    expect(await server.call("list_target_accounts", {}, as("reader"))).toMatchObject({ success: true });
    sandbox.clock.advance(3_600_000);
    expect(await server.call("x_get_me", {}, as("reader"))).toMatchObject({ success: true });
  });

  test("are named in audit, approvals, spending and answers, and cannot be impersonated by an argument", async () => {
    const sandbox = newSandbox();
    const server = serverOn(await stores.open(), sandbox, {
      config: { mcp_policy: { require_approval_for: ["x_post_tweet"] } },
    });
    const { store, account } = server.session;
    const { db } = store;
    await saveAgent(db, { ...plain, perDay: POST }, 1);
    const asked = await server.call("x_post_tweet", { text: "one" }, as("news", "agent:jokes"));
    expect(asked.meta).toMatchObject({ agent: "news" });
    const claiming = { transport: "http", client: "agent:news", principal: "token" } as const;
    const claimed = await server.call("x_post_tweet", { text: "two" }, { caller: claiming });
    expect(claimed.meta).not.toHaveProperty("agent");
    const audited = await db.selectFrom("audit").select("client").orderBy("at").execute();
    expect(audited.map(({ client }) => client).toSorted()).toEqual(["agent:news", 'client "agent:news"']);

    const release = async (answer: Envelope) => {
      const item = await findItem(db, account, queuedItem(answer) ?? 0);
      if (!item.ok) throw new Error(item.failure.message);
      const { id, digest, principal } = item.value;
      return { principal, released: await releaseItem(server.releasing, id, { digest, by: "a person" }) };
    };
    expect(await release(asked)).toMatchObject({ principal: "agent:news", released: { ok: true } });
    expect(await release(claimed)).toMatchObject({ principal: undefined, released: { ok: true } });
    const { callers } = await usageOf(db, account, 1, sandbox.clock.now());
    expect(Object.fromEntries(callers.map(({ caller, cost }) => [caller, cost]))).toEqual({
      "agent:news": 0.015,
      'client "agent:news"': 0.015,
    });
    // An approved call is still paid by the agent that requested it.
    expect(await server.call("x_post_tweet", { text: "three" }, as("news"))).toMatchObject({
      error: { reason: "budget", details: { agent: "agent:news" } },
    });
  });

  test("come in with their token alone, until it is replaced, revoked or over", async () => {
    const { db } = await stores.open();
    const token = (await saveAgent(db, { ...plain, expiresAt: 1_000 }, 1)) ?? "";
    expect(await agentWithToken(db, token, 999)).toMatchObject({ name: "news" });
    expect(await agentWithToken(db, token, 1_000)).toBeUndefined();
    expect(await agentWithToken(db, `${token}x`, 999)).toBeUndefined();
    const [row] = await db.selectFrom("agents").selectAll().execute();
    expect(JSON.stringify(row)).not.toContain(token.slice(-43));
    const second = (await rotateToken(db, "news")) ?? "";
    expect(await agentWithToken(db, token, 999)).toBeUndefined();
    expect(await agentWithToken(db, second, 999)).toMatchObject({ name: "news" });
    expect(await revokeAgent(db, "news", 999)).toBe(true);
    expect(await agentWithToken(db, second, 999)).toBeUndefined();
    expect(await rotateToken(db, "news")).toBeUndefined();
  });
});
