import { failed } from "@toolpact/contract";
import { cast } from "@toolpact/x-sandbox";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { expireOld, findItem } from "../../src/approval/queue.ts";
import { rejectItem } from "../../src/approval/reject.ts";
import { releaseItem } from "../../src/approval/release.ts";
import { errorBreakdown, toolMetrics } from "../../src/audit/metrics.ts";
import { type MutationFilter, mutationDetail, recentMutations } from "../../src/audit/mutations.ts";
import { audit } from "../../src/audit/observers.ts";
import { configSchema } from "../../src/config/schema.ts";
import { usageOf } from "../../src/guards/budget/usage.ts";
import { rateLimits } from "../../src/guards/policy/limits.ts";
import { policyFrom } from "../../src/guards/policy/policy.ts";
import { previewMutation } from "../../src/guards/preview.ts";
import { fullCatalog } from "../../src/server/catalog.ts";
import { StorageError } from "../../src/storage/storage-error.ts";
import type { Store } from "../../src/storage/store.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import { newSandbox, postedBy, serverOn } from "./world.ts";

const hello = { text: "Good morning" };

function stoppedCall(name: string, warn: (warning: string) => void) {
  const tool = fullCatalog.get(name) ?? expect.fail();
  return {
    id: name,
    tool,
    action: undefined,
    effect: tool.effects[0],
    input: {},
    plan: () => undefined,
    caller: { transport: "stdio" as const },
    startedAt: 1,
    elapsedMs: 1,
    outcome: failed({ code: "x_auth_expired", message: "Nobody is signed in." }),
    context: {},
    annotations: {},
    warn,
  };
}

/** Does some work in a process that dies before it begins one more transaction than this. */
async function diesAfter(
  begun: number,
  store: Store,
  work: (dying: Store) => Promise<unknown>,
): Promise<void> {
  const dead = Promise.withResolvers<void>();
  let left = begun;
  const unlessDead =
    <A extends unknown[], T>(transaction: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> => {
      if (left-- > 0) return transaction(...args);
      dead.resolve();
      return new Promise(() => {});
    };
  const transaction = unlessDead(store.transaction) as Store["transaction"];
  const durableTransaction = unlessDead(store.durableTransaction) as Store["durableTransaction"];
  await Promise.race([work({ ...store, transaction, durableTransaction }), dead.promise]);
}

/** The state of each receipt, with that of its audit entry. */
async function recordOf({ db }: Store): Promise<readonly (readonly [string, string | null])[]> {
  const rows = await db
    .selectFrom("receipts")
    .leftJoin("audit", "audit.receipt_id", "receipts.id")
    .select(["receipts.state", "audit.status"])
    .execute();
  return rows.map(({ state, status }) => [state, status]);
}

/** Only those of this schema: other tests use the same PostgreSQL. */
async function tablesOf({ db, engine }: Store): Promise<readonly string[]> {
  const own =
    engine === "sqlite"
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`;
  return (await own.execute(db)).rows.map(({ name }) => name);
}

onBothEngines("the record", (stores) => {
  test("holds no secret of a raw request: not of its headers, its query, its body or its address", async () => {
    const store = await stores.open();
    const server = serverOn(store, newSandbox());
    for (const path of ["/2/tweets", "/2/unknown"])
      await server.call("x_post", {
        path,
        query: [{ key: "callback", value: "https://ana:hunter2@host/" }],
        headers: [{ key: "x-my-own", value: "hunter2" }],
        body: JSON.stringify({ text: "Hello", password: "hunter2" }),
      });
    await server.flush();
    const rows: Record<string, string> = {};
    // A call that waits for approval is sent as it was requested.
    for (const name of await tablesOf(store))
      if (name !== "approvals")
        rows[name] = JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(store.db)).rows);
    expect(Object.keys(rows)).toEqual(expect.arrayContaining(["audit", "receipts", "steps"]));
    expect(Object.keys(rows).filter((name) => rows[name]?.includes("hunter2"))).toEqual([]);
    expect(rows.receipts).toContain("x-my-own");
    expect(rows.steps).toContain("Hello");
  });

  test("holds no secret of a call that waited, once it is carried out, rejected or too old", async () => {
    const store = await stores.open();
    const sandbox = newSandbox();
    const config = { mcp_policy: { require_approval_for: ["x_post"] } };
    const { call, releasing, clock, session } = serverOn(store, sandbox, { config });
    const wait = (text: string) =>
      call("x_post", {
        path: "/2/tweets",
        query: [],
        headers: [{ key: "x-my-own", value: "hunter2" }],
        body: JSON.stringify({ text }),
      });
    const held = async () => {
      const { rows } = await sql`select * from approvals order by id`.execute(store.db);
      return rows.map((row) => JSON.stringify(row).includes("hunter2"));
    };
    for (const text of ["Approved", "Rejected", "Too old", "Waiting"]) await wait(text);
    expect(await held()).toEqual([true, true, true, true]);
    const item = await findItem(store.db, session.account, 1);
    if (!item.ok) throw item.failure;
    expect(await releaseItem(releasing, 1, { digest: item.value.digest, by: "terminal" })).toMatchObject({
      ok: true,
    });
    const second = await findItem(store.db, session.account, 2);
    const reject = { digest: second.ok ? second.value.digest : "", by: "terminal", now: clock.now() };
    expect(await rejectItem(store.db, session.account, 2, reject)).toMatchObject({ ok: true });
    // The same content is still known.
    expect(await wait("Rejected")).toMatchObject({ error: { reason: "rejected_by_person" } });
    await store.db.updateTable("approvals").set({ expires_at: 1 }).where("id", "=", 3).execute();
    await expireOld(store.db, session.account, clock.now());
    expect(await held()).toEqual([false, false, false, true]);
  });

  test("has the caller, the tool, the decision and the outcome", async () => {
    const sandbox = newSandbox();
    const store = await stores.open();
    const server = serverOn(store, sandbox, { config: { mcp_policy: { blocked_tools: ["x_retweet"] } } });
    const { account } = server.session;
    const posted = await server.call("x_post_tweet", hello);
    sandbox.clock.advance(1_000);
    await server.call("x_post_tweet", hello);
    sandbox.clock.advance(1_000);
    const denied = await server.call("x_retweet", { tweet_id: "1234567890123456789" });
    sandbox.clock.advance(1_000);
    await server.call("x_delete_tweet", { tweet_id: (posted.data as { id: string }).id });

    expect(denied).toMatchObject({ error: { code: "policy_denied_blocked", policy_decision: "denied" } });
    const { items: listed } = await recentMutations(store.db, account, { limit: 10 });
    expect(listed.map(({ tool_name, status, decision }) => [tool_name, status, decision])).toEqual([
      ["x_delete_tweet", "routed", "route_to_approval"],
      ["x_retweet", "failure", "deny"],
      ["x_post_tweet", "duplicate", "none"],
      ["x_post_tweet", "success", "allow"],
    ]);
    const found = async (filter: MutationFilter) =>
      (await recentMutations(store.db, account, filter)).items.map(({ tool_name }) => tool_name);
    expect(await found({ limit: 10, status: "duplicate" })).toEqual(["x_post_tweet"]);
    expect(await found({ limit: 1, tool: "x_retweet" })).toEqual(["x_retweet"]);
    expect(await mutationDetail(store.db, account, String(posted.meta?.correlation_id))).toMatchObject({
      ok: true,
      value: {
        client: "agent",
        transport: "stdio",
        params: hello,
        result: posted.data,
        rollback: { undo_tool: "x_delete_tweet" },
        receipt: { state: "confirmed" },
      },
    });
    expect(await mutationDetail(store.db, account, "nobody")).toMatchObject({
      failure: { code: "not_found" },
    });
    expect((await recentMutations(store.db, "another account", { limit: 10 })).items).toEqual([]);
  });

  test("includes calls with bad arguments, in the audit log and the metrics", async () => {
    const sandbox = newSandbox();
    const store = await stores.open();
    const server = serverOn(store, sandbox);
    const { account } = server.session;
    const refused = await server.call("x_post_tweet", { text: 5, authorization: "Bearer secret" });
    expect(refused).toMatchObject({ error: { code: "invalid_input" } });
    await server.call("x_search_tweets", {});
    await server.flush();
    expect((await recentMutations(store.db, account, { limit: 10 })).items).toMatchObject([
      {
        tool_name: "x_post_tweet",
        status: "failure",
        decision: "none",
        params: { text: 5, authorization: "[secret]" },
        error_message: expect.stringContaining("text"),
        receipt_id: null,
      },
    ]);
    expect(await errorBreakdown(store.db, account, 0)).toMatchObject([
      { error_code: "invalid_input", count: 1 },
      { error_code: "invalid_input", count: 1 },
    ]);
    expect(sandbox.journal.entries).toEqual([]);
  });

  test("has the actual outcome of a call that timed out", async () => {
    const sandbox = newSandbox();
    const store = await stores.open();
    let passDeadline: (() => void) | undefined;
    const [hasPosted, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Store = {
      ...store,
      async transaction(work) {
        if (postedBy(sandbox).length > 0) {
          hasPosted.resolve();
          await mayEnd.promise;
        }
        return store.transaction(work);
      },
    };
    const server = serverOn(slow, sandbox, {}, sandbox.fetch, {
      now: () => sandbox.clock.now(),
      after: (_ms, callback) => {
        // The first timer of a call.
        passDeadline ??= callback;
        return () => {};
      },
    });
    const calling = server.call("x_post_tweet", hello);
    await hasPosted.promise;
    passDeadline?.();
    expect(await calling).toMatchObject({ success: false, error: { code: "x_network_error" } });
    const entries = async () => (await recentMutations(store.db, server.session.account, { limit: 5 })).items;
    // It may be out by now.
    expect(await entries()).toMatchObject([{ status: "pending", decision: "allow", result: null }]);

    mayEnd.resolve();
    await expect
      .poll(entries)
      .toMatchObject([
        { status: "success", decision: "allow", result: { text: hello.text }, error_message: null },
      ]);
    const [entry] = await entries();
    expect(await mutationDetail(store.db, server.session.account, entry?.correlation_id ?? "")).toMatchObject(
      {
        value: { rollback: { undo_tool: "x_delete_tweet" }, receipt: { state: "confirmed" } },
      },
    );
  });

  test("has a receipt written after the deadline by a process that then exits", async () => {
    const sandbox = newSandbox();
    const store = await stores.open();
    let passDeadline: (() => void) | undefined;
    const [isClaiming, mayClaim] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Store = {
      ...store,
      async transaction(work) {
        isClaiming.resolve();
        await mayClaim.promise;
        await store.transaction(work);
        return new Promise(() => {});
      },
    };
    const server = serverOn(slow, sandbox, {}, sandbox.fetch, {
      now: () => sandbox.clock.now(),
      after: (_ms, callback) => {
        passDeadline ??= callback;
        return () => {};
      },
    });
    const calling = server.call("x_post_tweet", hello);
    await isClaiming.promise;
    passDeadline?.();
    await calling;
    mayClaim.resolve();
    await expect.poll(() => recordOf(store)).toEqual([["pending", "pending"]]);
    sandbox.clock.advance(3_600_000);
    await serverOn(store, sandbox).settle();
    expect(await recordOf(store)).toEqual([["failed", "failure"]]);
  });

  test("has a receipt whose write was reported as failed", async () => {
    const sandbox = newSandbox();
    const store = await stores.open();
    const broken: Store = {
      ...store,
      async transaction(work) {
        await store.transaction(work);
        throw new StorageError("unreachable", "The connection was lost.");
      },
    };
    const server = serverOn(broken, sandbox);
    expect(await server.call("x_post_tweet", hello)).toMatchObject({ error: { code: "db_error" } });
    expect(await recordOf(store)).toEqual([["pending", "pending"]]);
    sandbox.clock.advance(3_600_000);
    await serverOn(store, sandbox).settle();
    expect(await recordOf(store)).toEqual([["failed", "failure"]]);
    expect(postedBy(sandbox)).toEqual([]);
  });

  test("has the effect of a failed call whose lost answer was found at X", async () => {
    const store = await stores.open();
    const server = serverOn(store, newSandbox());
    const { meta, data } = await server.call("x_post_tweet", hello);
    const id = String(meta?.correlation_id);
    const record = { decision: "allow", receiptId: id, receiptState: "confirmed" };
    const late = { ...stoppedCall("x_post_tweet", expect.fail), id, context: { planned: { record } } };
    await audit(() => server.session).observer.ended(late as never);
    expect(await mutationDetail(store.db, server.session.account, id)).toMatchObject({
      value: { status: "success", result: data },
    });
  });

  test("has every call and its decision once the database is writable again", async () => {
    const sandbox = newSandbox();
    const store = await stores.open();
    const { session } = serverOn(store, sandbox);
    let open: typeof session | undefined;
    const log = audit(() => open);
    const warnings: string[] = [];
    // Both were stopped in the account guard, where nothing has been decided yet.
    const end = (name: string) => log.observer.ended(stoppedCall(name, (warning) => warnings.push(warning)));
    await end("x_like_tweet");
    open = session;
    await sql`alter table audit rename column at to lost`.execute(store.db);
    await end("approve_item");
    expect(warnings).toEqual(["This call could not be written to the audit log."]);
    await sql`alter table audit rename column lost to at`.execute(store.db);
    await log.flush();
    const { items: listed } = await recentMutations(store.db, session.account, { limit: 10 });
    expect(Object.fromEntries(listed.map(({ tool_name, decision }) => [tool_name, decision]))).toEqual({
      x_like_tweet: "none",
      approve_item: "local",
    });
  });

  test("has a call whose process ended at any point, with its outcome", async () => {
    const sandbox = newSandbox();
    const store = await stores.open();
    const { account } = serverOn(store, sandbox).session;
    const shown = async () => {
      const { items } = await recentMutations(store.db, account, { limit: 20 });
      return items.map(({ params, status }) => [(params as { text: string }).text, status]);
    };
    for (const [begun, text] of ["first", "second", "third", "fourth"].entries())
      await diesAfter(begun, store, (dying) =>
        serverOn(dying, sandbox, { observes: false }).call("x_post_tweet", { text }),
      );
    const receipts = () => store.db.selectFrom("receipts").select(["args_json", "state"]).execute();
    expect(await shown()).toHaveLength((await receipts()).length);
    sandbox.clock.advance(3_600_000);
    await serverOn(store, sandbox).settle();
    const states = new Map(
      (await receipts()).map(({ args_json, state }) => [
        (JSON.parse(args_json) as { text: string }).text,
        state === "confirmed" ? "success" : "failure",
      ]),
    );
    expect(new Map((await shown()) as [string, string][])).toEqual(states);
    expect(new Set(states.values())).toEqual(new Set(["success", "failure"]));
    const out = new Set(postedBy(sandbox).map(({ text }) => text));
    expect(out).toEqual(new Set([...states].filter(([, end]) => end === "success").map(([text]) => text)));
  });

  test("measures every call, and says nothing of an empty time", async () => {
    const sandbox = newSandbox();
    const store = await stores.open();
    const server = serverOn(store, sandbox);
    const { account } = server.session;
    expect((await toolMetrics(store.db, account, 0)).summary).toMatchObject({
      total_calls: 0,
      overall_success_rate: 0,
    });
    await server.call("x_post_tweet", hello);
    await server.call("x_post_tweet", hello);
    await server.call("x_get_user_by_username", { username: cast.friend });
    await server.flush();
    expect(await toolMetrics(store.db, account, 0)).toMatchObject({
      summary: { total_calls: 3, total_failures: 1, unique_tools: 2, policy_decisions: { allow: 2 } },
      tools: [
        { tool_name: "x_get_user_by_username", total_calls: 1, success_rate: 1 },
        { tool_name: "x_post_tweet", total_calls: 2, success_count: 1, success_rate: 0.5 },
      ],
    });
    expect(await errorBreakdown(store.db, account, 0)).toMatchObject([
      { tool_name: "x_post_tweet", error_code: "validation_error", count: 1 },
    ]);
  });

  test("adds up what X was asked and what it cost", async () => {
    const sandbox = newSandbox();
    const store = await stores.open();
    const server = serverOn(store, sandbox);
    const { account } = server.session;
    await server.call("x_post_tweet", hello);
    await server.call("x_get_user_by_username", { username: cast.friend });
    sandbox.clock.advance(86_400_000);
    // The sign-in has expired by then, which takes a request to find out.
    sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", count: 2 });
    await server.call("x_post_tweet", { text: "Good evening" });
    expect(await usageOf(store.db, account, 7, sandbox.clock.now())).toEqual({
      summary: {
        cost_today: 0,
        cost_7d: 0.025,
        cost_30d: 0.025,
        cost_all_time: 0.025,
        calls_today: 1,
        calls_7d: 3,
        calls_30d: 3,
        calls_all_time: 3,
      },
      daily: [
        { date: "2026-09-01", calls: 2, cost: 0.025 },
        { date: "2026-09-02", calls: 1, cost: 0 },
      ],
      endpoints: [
        { endpoint: "createPosts", calls: 2, cost: 0.015, error_count: 1 },
        { endpoint: "getUsersByUsername", calls: 1, cost: 0.01, error_count: 0 },
      ],
      callers: [{ caller: "agent", calls: 3, cost: 0.025, error_count: 1 }],
    });
  });

  test("predicts the decision about a call without using up a limit", async () => {
    const sandbox = newSandbox();
    const store = await stores.open();
    const server = serverOn(store, sandbox);
    const policy = policyFrom(
      configSchema.parse({ mcp_policy: { template: "safe_default" } }),
      { approvalMode: false, aiRepliesAgreed: false },
      fullCatalog.tools,
    );
    if (!policy.ok) throw new Error("The template is broken.");
    const now = sandbox.clock.now();
    const setting = {
      ...server.session,
      policy: policy.value,
      caps: { perDay: 1 },
      access: server.x.access,
      business: configSchema.parse({}).business,
      read: [],
      now,
    };
    const call = (name: string, input: Record<string, string>) => {
      const tool = fullCatalog.get(name) ?? expect.fail();
      const parsed = tool.parse(input);
      if (!parsed.ok) throw new Error(parsed.failure);
      return { ...parsed.value, tool, caller: { transport: "stdio" as const } };
    };
    expect(await previewMutation(call("x_post_tweet", { text: "x".repeat(281) }), setting)).toMatchObject({
      refusal: { code: "tweet_too_long" },
      budget: { reason: "budget" },
      decision: { kind: "require_approval", ruleId: "template:write" },
      estimatedUsd: 0.015,
      earlier: undefined,
      limits: [
        { key: "template:global", used: 0, max: 20 },
        { key: "tweets_per_day", used: 0, max: 10 },
      ],
    });
    await server.call("x_post_tweet", hello);
    expect(await previewMutation(call("x_post_tweet", hello), setting)).toMatchObject({
      earlier: "just_done",
    });
    expect(sandbox.journal.entries).toHaveLength(1);
    expect(await rateLimits(store.db, server.session.account, policy.value, now)).toMatchObject([
      { action_type: "template:global", request_count: 0, remaining: 20, period_seconds: 3_600 },
      { action_type: "template:engage" },
      { action_type: "replies_per_day" },
      // The post above was made by a server with another limit, under the same key.
      { action_type: "tweets_per_day", request_count: 1, max_requests: 10, remaining: 9 },
      { action_type: "threads_per_week" },
    ]);
  });

  test("only pretends where the operator wants that", async () => {
    const sandbox = newSandbox();
    const server = serverOn(await stores.open(), sandbox, {
      config: { mcp_policy: { dry_run_mutations: true } },
    });
    expect(await server.call("x_post_tweet", hello)).toMatchObject({
      success: false,
      error: {
        code: "policy_denied_user_rule",
        policy_decision: "dry_run",
        details: { dry_run: true, would_execute: "x_post_tweet", params: hello, estimated_cost: "$0.015" },
      },
    });
    expect(sandbox.journal.entries).toEqual([]);
  });

  test("stops all requests while it cannot be written", async () => {
    const sandbox = newSandbox();
    const store = await stores.open();
    const server = serverOn(store, sandbox);
    await sql`drop table steps`.execute(store.db);
    expect(await server.call("x_post_tweet", hello)).toMatchObject({
      success: false,
      error: { code: "db_error", retryable: true },
    });
    await sql`alter table receipts rename column claim to lost`.execute(store.db);
    expect(await server.call("x_post_tweet", hello)).toMatchObject({ error: { code: "db_error" } });
    expect(postedBy(sandbox)).toEqual([]);
  });
});
