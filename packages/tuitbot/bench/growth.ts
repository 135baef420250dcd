import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { cast, type Sandbox } from "@toolpact/x-sandbox";
import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { approvalDigest } from "../src/approval/digest.ts";
import { releaseItem } from "../src/approval/release.ts";
import { configInForce } from "../src/config/config-in-force.ts";
import { configSchema } from "../src/config/schema.ts";
import { catalogFor } from "../src/server/catalog.ts";
import { type Core, createCore } from "../src/server/core.ts";
import { openStore, type StorePlace } from "../src/storage/open-store.ts";
import type { Engine } from "../src/storage/store.ts";
import type { Services } from "../src/tools/product.ts";
import { sandboxWorld } from "../src/x/sandbox-account.ts";
import { newSchema, startOwnPostgres } from "../test/postgres/server.ts";
import { fillDatabase, type History } from "./growing-database.ts";

/** As a multiple of what the same costs with little behind it. */
const GOAL = 1.5;
const WINDOW_MS = 900_000;

export interface GrowthOptions {
  readonly engines?: readonly Engine[];
  readonly few?: History;
  readonly many?: History;
  /** Of each kind, with few and with many rows in turn, after as many that fill the caches. */
  readonly calls?: number;
}

/**
 * What each call that needs no answer of X costs as its database grows, and a post and an approval, through the
 * pipeline. Both databases are asked in turn, so that a busy machine slows both.
 */
export async function benchGrowth({
  engines = ["sqlite", "postgres"],
  few = { posts: 10_000, waiting: 10 },
  many = { posts: 1_000_000, waiting: 100_000 },
  calls = 30,
}: GrowthOptions = {}): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "tuitbot-growth-"));
  const figures: Figure[] = [];
  for (const engine of engines) {
    const postgres = engine === "postgres" ? await startOwnPostgres(["-c", "fsync=off"]) : undefined;
    const place = async (name: string): Promise<StorePlace> => ({
      path: join(folder, `${name}.db`),
      url: postgres && (await newSchema(postgres.url)),
    });
    const servers = [await openFilled(await place("few"), few), await openFilled(await place("many"), many)];
    for (const { name, run } of WORK) {
      const took: number[][] = servers.map(() => []);
      for (let nth = 0; nth < 2 * calls; nth++)
        for (const [index, server] of servers.entries()) {
          const prepared = await run(server, nth);
          const started = performance.now();
          await prepared();
          if (nth >= calls) took[index]?.push(performance.now() - started);
        }
      const [little = Number.NaN, much = Number.NaN] = took.map(median);
      figures.push(
        figure(`${name} on ${engine}, little behind it, p50`, little, "ms"),
        figure(`${name} on ${engine}, much behind it, p50`, much, "ms"),
        atMost(`${name} on ${engine}, much against little`, much / little, "times", GOAL),
      );
    }
    for (const { core } of servers) await core.close();
    await postgres?.stop();
  }
  rmSync(folder, { recursive: true });
  return figures;
}

interface FilledServer {
  readonly core: Core;
  readonly sandbox: Sandbox;
  readonly approvals: Services["approvals"];
  /** Ids of approval items that wait, counted up. */
  nextItem: number;
}

async function openFilled(store: StorePlace, history: History): Promise<FilledServer> {
  const { sandbox, account } = sandboxWorld("enterprise");
  sandbox.ledger.balanceUsd = 1e6;
  const opened = await openStore(store, { now: Date.now });
  if (!opened.ok) throw opened.failure;
  await fillDatabase(opened.value, sandbox.person(cast.owner).id, history);
  await opened.value.close();
  const values = configSchema.parse({
    approval_mode: false,
    limits: { max_tweets_per_day: 1_000_000 },
    budget: { unlimited: true },
    mcp_policy: { require_approval_for: [], max_mutations_per_hour: 1_000_000 },
  });
  const key = randomBytes(32);
  const core = createCore({
    profile: "write",
    catalog: catalogFor("write"),
    config: configInForce({ values, file: undefined, fromEnvironment: [] }, { env: {}, home: "/", cwd: "/" }),
    account,
    persistence: { store, approvalKey: async () => key },
  });
  const resolved = await core.services.resolve(["approvals"], {}, new AbortController().signal);
  if (!resolved.ok) throw new Error(JSON.stringify(resolved.failure));
  // Exactly the service that was named.
  const { approvals } = resolved.value as Pick<Services, "approvals">;
  return { core, sandbox, approvals, nextItem: 0 };
}

/** Something to measure: what `run` returns is timed, what it does before is not. */
interface Work {
  readonly name: string;
  readonly run: (server: FilledServer, nth: number) => Promise<() => Promise<unknown>>;
}

async function call({ core }: FilledServer, tool: string, args: JsonObject): Promise<JsonObject> {
  const answer = await core.pipeline.call({ tool, args, caller: { transport: "stdio" } });
  if (answer.kind !== "rendered" || answer.failed) throw new Error(`${tool}: ${JSON.stringify(answer)}`);
  return answer.envelope as JsonObject;
}

const QUESTIONS: Readonly<Record<string, (nth: number) => JsonObject>> = {
  // As many as there are in the small one.
  list_pending_approvals: () => ({ limit: 10 }),
  get_pending_count: () => ({}),
  list_drafts: () => ({ limit: 10 }),
  get_draft: () => ({ id: 3 }),
  get_recent_mutations: () => ({}),
  "get_recent_mutations that failed": () => ({ tool_name: "x_post_tweet", status: "failure" }),
  get_mutation_detail: (nth) => ({ correlation_id: `r${nth + 1}` }),
  get_action_log: () => ({}),
  get_action_counts: () => ({}),
  get_x_usage: () => ({}),
  get_mcp_tool_metrics: () => ({}),
  get_mcp_error_breakdown: () => ({}),
  get_rate_limits: () => ({}),
  get_policy_status: () => ({}),
  health_check: () => ({}),
  get_stats: () => ({}),
  get_analytics_summary: () => ({}),
  get_follower_trend: () => ({}),
  get_recent_replies: () => ({}),
  get_reply_count_today: () => ({}),
  get_discovery_feed: (nth) => ({ min_score: nth % 90 }),
  list_unreplied_tweets: () => ({}),
  list_target_accounts: () => ({}),
  get_author_context: (nth) => ({ identifier: `@person_${(nth % AUTHORS) + 1}` }),
  recommend_engagement_action: (nth) => ({
    author_username: `@person_${(nth % AUTHORS) + 1}`,
    tweet_text: "A post about rust",
  }),
  topic_performance_snapshot: () => ({}),
  x_post_tweet_dry_run: (nth) => ({ text: `Only thought ${nth}` }),
  create_draft: (nth) => ({ texts: [`Own words ${nth}`] }),
};

const AUTHORS = 100;

const WORK: readonly Work[] = [
  ...Object.entries(QUESTIONS).map(
    ([name, args]): Work => ({
      name,
      run: async (server, nth) => () => call(server, name.split(" ")[0] ?? name, args(nth)),
    }),
  ),
  {
    name: "x_post_tweet",
    async run(server, nth) {
      // X allows 100 posts in a window.
      if (nth % 50 === 0) server.sandbox.clock.advance(WINDOW_MS);
      return () => call(server, "x_post_tweet", { text: `Number ${nth}` });
    },
  },
  {
    name: "a call that is queued",
    run: async (server, nth) => () => call(server, "x_delete_tweet", { tweet_id: String(10_000 + nth) }),
  },
  {
    name: "approving a post",
    async run(server, nth) {
      const { approvals } = server;
      if (nth % 50 === 0) server.sandbox.clock.advance(WINDOW_MS);
      const { store, account, key } = approvals;
      const item = await store.db
        .selectFrom("approvals")
        .selectAll()
        .where("account", "=", account)
        .where("status", "=", "pending")
        .where("tool", "=", "x_post_tweet")
        .where("id", ">", server.nextItem)
        .orderBy("id")
        .limit(1)
        .executeTakeFirst();
      // Few wait: the same one is approved again.
      const id = item?.id ?? server.nextItem;
      server.nextItem = id;
      const args = { text: `Approved ${nth}` };
      const digest = approvalDigest(key, {
        id,
        account,
        tool: "x_post_tweet",
        args,
        media: [],
        schedule: undefined,
      });
      await store.db
        .updateTable("approvals")
        .set({ status: "pending", args_json: JSON.stringify(args), digest, receipt_id: null })
        .where("account", "=", account)
        .where("id", "=", id)
        .execute();
      await store.db
        .updateTable("receipts")
        .set({ approval_claim: null })
        .where("account", "=", account)
        .where("approval_claim", "=", id)
        .execute();
      return async () => {
        const released = await releaseItem(approvals, id, { digest, by: "bench" });
        if (!released.ok) throw new Error(JSON.stringify(released.failure));
      };
    },
  },
];

if (import.meta.main) console.table(await benchGrowth());
