import { randomBytes } from "node:crypto";
import { cast } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillDatabase } from "../../bench/growing-database.ts";
import { effectiveConfig } from "../../src/config/effective-config.ts";
import { configSchema } from "../../src/config/schema.ts";
import { catalogFor } from "../../src/server/catalog.ts";
import { type Core, createCore } from "../../src/server/core.ts";
import type { Store } from "../../src/storage/store.ts";
import { sandboxWorld } from "../../src/x/sandbox-account.ts";
import type { Envelope } from "../live-server.ts";
import { onBothEngines } from "../postgres/both-engines.ts";

onBothEngines("a list in pages", (stores) => {
  let core: Core;
  let store: Store;
  let account: string;

  beforeAll(async () => {
    const place = await stores.place();
    const world = sandboxWorld("enterprise");
    account = world.sandbox.person(cast.owner).id;
    store = await stores.open(place);
    await fillDatabase(store, account, { posts: 500, waiting: 250 });
    // Some were sent and got no answer; they come first, whatever their ids are.
    await store.db
      .updateTable("approvals")
      .set({ status: "releasing", error_json: '{"code":"x_network_error","message":"No answer."}' })
      .where("id", "in", [4, 300, 302])
      .execute();
    const values = configSchema.parse({});
    const key = randomBytes(32);
    core = createCore({
      profile: "write",
      catalog: catalogFor("write"),
      config: effectiveConfig(
        { values, file: undefined, fromEnvironment: [] },
        { env: {}, home: "/", cwd: "/" },
      ),
      account: world.account,
      persistence: { store: place, approvalKey: async () => key },
    });
  }, 60_000);
  afterAll(() => core.close());

  async function call(tool: string, args: object): Promise<Envelope> {
    const answer = await core.pipeline.call({
      tool,
      args: { ...args },
      caller: { transport: "stdio" },
    });
    if (answer.kind !== "rendered") throw new Error(JSON.stringify(answer));
    // Every answer is the envelope.
    return answer.envelope as unknown as Envelope;
  }

  /** The ids of all pages, each page turned round where it has the oldest first. */
  async function walk(tool: string, args: object, list: string, id: string, isReversed = false) {
    const ids: unknown[] = [];
    let pages = 0;
    let token: unknown;
    do {
      const { data, meta } = await call(tool, { ...args, ...(token ? { pagination_token: token } : {}) });
      const entries = (data as Record<string, Record<string, unknown>[]>)[list] ?? [];
      const page = entries.map((entry) => entry[id]);
      const { next_token, has_more, result_count } = (meta?.pagination ?? {}) as Record<string, unknown>;
      expect(meta).not.toHaveProperty("truncated");
      expect([result_count, has_more]).toEqual([page.length, next_token !== undefined]);
      ids.push(...(isReversed ? page.reverse() : page));
      token = next_token;
      pages += 1;
    } while (token !== undefined);
    expect(pages).toBeGreaterThan(2);
    return ids;
  }

  test("returns each waiting item once and in order, sent items first", async () => {
    const rows = await store.db
      .selectFrom("approvals")
      .select(["id", "status"])
      .where("status", "in", ["pending", "releasing"])
      .execute();
    const ids = rows.toSorted((a, b) => (a.status < b.status ? 1 : a.status > b.status ? -1 : a.id - b.id));
    for (const args of [{}, { limit: 2 }, { limit: 100 }])
      expect(await walk("list_pending_approvals", args, "items", "id")).toEqual(ids.map(({ id }) => id));
    expect(await call("get_pending_count", {})).toMatchObject({ data: { pending_count: ids.length - 3 } });
  });

  test("returns each draft once and in order, for all statuses and for one", async () => {
    const rows = await store.db.selectFrom("drafts").select(["id", "status"]).orderBy("id", "desc").execute();
    expect(await walk("list_drafts", { limit: 100 }, "drafts", "draft_id")).toEqual(rows.map(({ id }) => id));
    expect(await walk("list_drafts", { limit: 7, status: "queued" }, "drafts", "draft_id")).toEqual(
      rows.filter(({ status }) => status === "queued").map(({ id }) => id),
    );
  });

  test("returns each change and action once and in order, even with equal times", async () => {
    await store.db
      .updateTable("audit")
      .set({ at: 1_790_000_000_000 })
      .where("status", "=", "failure")
      .execute();
    const rows = await store.db
      .selectFrom("audit")
      .select(["correlation_id", "tool", "status", "at"])
      .orderBy("at", "desc")
      .orderBy("correlation_id", "desc")
      .execute();
    const idsOf = (of: typeof rows) => of.map(({ correlation_id }) => correlation_id);
    expect(await walk("get_recent_mutations", { limit: 60 }, "mutations", "correlation_id")).toEqual(
      idsOf(rows),
    );
    expect(
      await walk("get_recent_mutations", { limit: 3, status: "failure" }, "mutations", "correlation_id"),
    ).toEqual(idsOf(rows.filter(({ status }) => status === "failure")));
    const since = Date.now() - 2 * 3_600_000;
    expect(
      await walk(
        "get_action_log",
        { since_hours: 2, limit: 40, action_type: "x_post_tweet" },
        "actions",
        "id",
        true,
      ),
    ).toEqual(idsOf(rows.filter(({ at, tool }) => at >= since && tool === "x_post_tweet")));
  });

  test("returns each found post once, best first", async () => {
    const rows = await store.db
      .selectFrom("discovered_posts")
      .selectAll()
      .where("answered", "=", 0)
      .execute();
    const ids = rows.toSorted((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1)).map(({ id }) => id);
    expect(await walk("get_discovery_feed", { min_score: 0, limit: 30 }, "tweets", "id")).toEqual(ids);
    expect(await walk("list_unreplied_tweets", {}, "tweets", "id")).toEqual(ids);
  });

  test.each(["list_pending_approvals", "list_drafts", "get_recent_mutations", "get_discovery_feed"])(
    "%s rejects a foreign token",
    async (tool) => {
      for (const pagination_token of ["x", Buffer.from("[{}]").toString("base64url")])
        expect(await call(tool, { pagination_token })).toMatchObject({
          success: false,
          error: { code: "invalid_input", message: expect.stringContaining("next_token") },
        });
    },
  );
});
