import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Asking, type JsonObject, ok } from "@toolpact/contract";
import { DAY_MS } from "@toolpact/contract/internal";
import { cast, type Sandbox } from "@toolpact/x-sandbox";
import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import type { Services } from "../src/app/services.ts";
import { approvalDigest } from "../src/approval/item.ts";
import { releaseItem } from "../src/approval/release.ts";
import { effectiveConfig } from "../src/config/effective-config.ts";
import { configSchema } from "../src/config/schema.ts";
import { catalogFor } from "../src/server/catalog.ts";
import { type Core, createCore } from "../src/server/core.ts";
import { openStore, type StorePlace } from "../src/storage/open-store.ts";
import type { Engine } from "../src/storage/store.ts";
import { standIn } from "../src/writing/stand-in.ts";
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
  /** Measured calls per kind, alternating between few and many rows, after the same number of warm-up calls. */
  readonly calls?: number;
}

/**
 * The cost, through the pipeline, of each tool that reads or writes stored rows itself as the database grows. Calls
 * alternate between the two databases, so a busy machine slows both. One posting tool represents all tools that only
 * send a request to X, because they store the same rows.
 */
export async function benchGrowth({
  engines = ["sqlite", "postgres"],
  few = { posts: 10_000, waiting: 10 },
  many = { posts: 1_000_000, waiting: 100_000 },
  calls = 12,
}: GrowthOptions = {}): Promise<readonly Figure[]> {
  const forgotten = catalogFor("admin").tools.filter(
    ({ name, needs }) =>
      needs.includes("db") &&
      !NEEDS_KNOWN_POSTS.has(name) &&
      !ENDS_THE_RUN.has(name) &&
      !WORK.some((work) => work.name === name),
  );
  if (forgotten.length > 0)
    throw new Error(`Not measured: ${forgotten.map(({ name }) => name).join(", ")}. Add them to WORK.`);
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
    business: { industry_topics: ["bread"] },
    mcp_policy: { require_approval_for: [], max_mutations_per_hour: 1_000_000 },
  });
  const key = randomBytes(32);
  const core = createCore({
    profile: "write",
    catalog: catalogFor("write"),
    config: effectiveConfig(
      { values, file: undefined, fromEnvironment: [] },
      { env: {}, home: "/", cwd: "/" },
    ),
    account,
    persistence: { store, approvalKey: async () => key },
    llm: async () => ok(standIn()),
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
  const answer = await core.pipeline.call({ tool, args, caller: { transport: "stdio" }, ask: somebody });
  // A question to the person is all that the agent can get of some tools.
  if (answer.kind === "asks") return {};
  if (answer.kind !== "rendered" || answer.failed) throw new Error(`${tool}: ${JSON.stringify(answer)}`);
  return (answer.envelope as { readonly data: JsonObject }).data;
}

/** Can be asked, and has not answered yet. */
const somebody: Asking = {
  can: () => true,
  unreachable: false,
  reply: () => ({ kind: "missing" }),
  state: undefined,
};

const AUTHORS = 100;

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
  x_post_thread_dry_run: (nth) => ({ tweets: [`Only thought ${nth}`, "And another."] }),
  create_draft: (nth) => ({ texts: [`Own words ${nth}`] }),
  create_recurring_posts: (nth) => ({
    variants: [`Office hours ${nth}`],
    repeats: "Mon 09:30",
    until: new Date(Date.now() + 20 * DAY_MS).toISOString(),
  }),
  suggest_topics: () => ({ count: 3 }),
  approve_all: () => ({}),
  find_reply_opportunities: (nth) => ({ query: `rust ${nth}`, min_score: 0 }),
  generate_tweet: () => ({ topic: "bread" }),
  generate_thread: () => ({ topic: "bread" }),
  generate_thread_plan: () => ({
    topic: "bread",
    objective: "calm",
    target_audience: "bakers",
    structure: "mistakes",
  }),
  generate_reply: (nth) => ({
    tweet_text: "My loaf is flat.",
    tweet_author: `@person_${(nth % AUTHORS) + 1}`,
  }),
  compose_tweet: (nth) => ({ topic: `bread ${nth}` }),
};

/** A stop refuses every call after it, and an undo needs a change that was made just before. */
const ENDS_THE_RUN: ReadonlySet<string> = new Set(["stop_everything", "undo_last"]);

/** They look up posts that X has, one by one; those behind these databases are made up. */
const NEEDS_KNOWN_POSTS: ReadonlySet<string> = new Set([
  "draft_replies_for_candidates",
  "propose_and_queue_replies",
  "refresh_analytics",
]);

const IN_AN_HOUR_MS = 3_600_000;

/** Something that is done with a draft, which is made before. */
function withDraft(tool: string, args: () => JsonObject = () => ({})): Work {
  return {
    name: tool,
    async run(server, nth) {
      if (nth % 50 === 0) server.sandbox.clock.advance(WINDOW_MS);
      const { draft_id: id } = await call(server, "create_draft", { texts: [`For ${tool} ${nth}`] });
      return () => call(server, tool, { id, ...args() });
    },
  };
}

/** The arguments that name a new post: deleting one that X does not have is refused. */
function ofNewPost({ sandbox }: FilledServer, nth: number): JsonObject {
  if (nth % 50 === 0) sandbox.clock.advance(WINDOW_MS);
  return { tweet_id: sandbox.say(cast.owner, `To be deleted ${nth}`).id };
}

/** Something that is done with a call that waits, which is queued before. */
function withItem(tool: string): Work {
  return {
    name: tool,
    async run(server, nth) {
      await call(server, "x_delete_tweet", ofNewPost(server, nth));
      const { store, account } = server.approvals;
      const { id } = await store.db
        .selectFrom("approvals")
        .select("id")
        .where("account", "=", account)
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirstOrThrow();
      return () => call(server, tool, { id });
    },
  };
}

const WORK: readonly Work[] = [
  ...Object.entries(QUESTIONS).map(
    ([name, args]): Work => ({
      name,
      run: async (server, nth) => () => call(server, name.split(" ")[0] ?? name, args(nth)),
    }),
  ),
  withDraft("edit_draft", () => ({ texts: ["Other words"] })),
  withDraft("schedule_draft", () => ({
    scheduled_for: new Date(Date.now() + IN_AN_HOUR_MS).toISOString(),
  })),
  withDraft("publish_draft"),
  withDraft("discard_draft"),
  withItem("approve_item"),
  withItem("reject_item"),
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
    async run(server, nth) {
      const args = ofNewPost(server, nth);
      return () => call(server, "x_delete_tweet", args);
    },
  },
  {
    name: "make_calls",
    async run(server, nth) {
      const args = ofNewPost(server, nth);
      return () => call(server, "make_calls", { calls: [{ tool: "x_delete_tweet", args }] });
    },
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
