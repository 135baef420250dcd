import type { JsonObject } from "@toolpact/contract";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import { pendingItems } from "../src/approval/queue.ts";
import { rejectItem } from "../src/approval/reject.ts";
import { releaseItem } from "../src/approval/release.ts";
import { tick } from "../src/autopilot/tick.ts";
import type { StorePlace } from "../src/storage/open-store.ts";
import { agent, type Desk, openDesk, ownerOf } from "./engagement/desk.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY: number = 24 * HOUR;

/** A Tuesday, at midnight. */
export const START: number = Date.UTC(2026, 8, 1);
export const DAYS = 14;

const KEYWORDS = ["sourdough", "rye", "spelt"];

const CONFIG: JsonObject = {
  approval_mode: true,
  x_api: { owns_app: false },
  business: { product_name: "Crumb", product_keywords: KEYWORDS, industry_topics: ["crust", "hydration"] },
  scoring: { threshold: 40 },
  targets: { accounts: [cast.friend] },
  limits: {
    max_replies_per_day: 5,
    max_tweets_per_day: 6,
    max_threads_per_week: 1,
    max_replies_per_author_per_day: 1,
  },
  intervals: { mentions_check_seconds: 900 },
};

/**
 * Two weeks on a made-up X: the loops run every quarter of an hour; people post, like and follow; an agent writes
 * and schedules; twice a day a person decides about what waits.
 */
export async function liveFortnight(
  random: () => number,
  { days = DAYS, store }: { readonly days?: number; readonly store?: StorePlace } = {},
): Promise<Desk> {
  const sandbox = new Sandbox({
    seed: 7,
    plan: "enterprise",
    start: START,
    // The account does not own its app, so reading its own data is not cheaper.
    apps: [{ clientId: "somebody-elses-app", owner: cast.stranger }],
    creditsUsd: 10_000,
    size: { people: 24, posts: 60 },
  });
  const desk = await openDesk({ sandbox, config: CONFIG, ...(store && { store }) });
  for (let quarter = 0; quarter < days * 96; quarter++) {
    sandbox.clock.set(START + quarter * 15 * MINUTE);
    const hour = (quarter % 96) / 4;
    if (quarter % 4 === 0) people(desk, random);
    if (hour === 9) await agentWorks(desk, quarter / 96);
    if (hour === 12 || hour === 18) await personDecides(desk, random);
    await pass(desk, random);
  }
  // The last posts are measured a day later; nothing else happens.
  for (let hours = 0; hours <= 25; hours++) {
    sandbox.clock.set(START + days * DAY + hours * HOUR);
    await pass(desk, random, ["analytics"]);
  }
  return desk;
}

async function pass(desk: Desk, random: () => number, loops?: readonly ["analytics"]): Promise<void> {
  const { db, x, workflow, config } = desk.services;
  const ticked = await tick(
    { ...db, x, workflow, config: config.values, random },
    { isDryRun: false, ignoresSchedule: false, loops },
    new AbortController().signal,
  );
  if (!ticked.ok) throw new Error(ticked.failure.message);
  // A writer may have a bad day; X and the database do not here.
  for (const [name, end] of ticked.value.loops)
    if (end.status === "failed" && end.failure.code !== "llm_error")
      throw new Error(`${name}: ${end.failure.message}`);
}

/** An hour on X. Users who like a post of ours do so on its first day, so measurements stay accurate. */
function people(desk: Desk, random: () => number): void {
  const { sandbox } = desk;
  const { world, clock } = sandbox;
  const me = ownerOf(desk);
  const others = [...world.people.values()].filter(
    ({ id, protected: isShy, accountStatus }) => id !== me && !isShy && accountStatus === "active",
  );
  const somebody = () => others[Math.floor(random() * others.length)] ?? others[0];
  const topic = KEYWORDS[Math.floor(random() * KEYWORDS.length)] ?? "";
  const said = `${topic} thought ${Math.floor(random() * 1e6)}`;
  if (random() < 0.5) sandbox.say(somebody()?.username ?? cast.stranger, `A ${said}`);
  if (random() < 0.15)
    sandbox.say(somebody()?.username ?? cast.friend, `@${cast.owner} what of this ${said}?`);
  if (random() < 0.1) sandbox.say(cast.friend, `Today's ${said}`);
  if (random() < 0.1) {
    const follower = somebody()?.id ?? "";
    if (!world.follows.has(follower, me)) world.follows.add(follower, me, world.relationKeyAt(clock.now()));
  }
  for (const post of world.posts.values()) {
    if (post.authorId !== me || post.at < START || clock.now() - post.at >= DAY) continue;
    post.impressions += Math.floor(random() * 40);
    const liker = somebody()?.id ?? "";
    if (random() < 0.2 && !world.likes.has(liker, post.id))
      world.likes.add(liker, post.id, world.relationKeyAt(clock.now()));
  }
}

/** An agent publishes a post and has a draft scheduled for the afternoon. */
async function agentWorks({ call, sandbox }: Desk, day: number): Promise<void> {
  await call(
    "x_post_tweet",
    { text: `Day ${Math.floor(day)}: a note on ${KEYWORDS[Math.floor(day) % 3]}` },
    agent,
  );
  const { data } = await call("compose_tweet", { topic: "crust" }, agent);
  const id = (data as { readonly draft_id?: number } | null)?.draft_id;
  if (id === undefined) return;
  const scheduled_for = new Date(sandbox.clock.now() + 6 * HOUR).toISOString();
  await call("schedule_draft", { id, scheduled_for }, agent);
}

/** The person looks at everything that waits, and agrees to every thread and most of the rest. */
async function personDecides({ services, sandbox }: Desk, random: () => number): Promise<void> {
  const { store, account } = services.db;
  for (const item of await pendingItems(store.db, account, sandbox.clock.now())) {
    if (item.tool !== "x_post_thread" && random() < 0.15)
      await rejectItem(store.db, account, item.id, {
        digest: item.digest,
        by: "person",
        now: sandbox.clock.now(),
      });
    else await releaseItem(services.approvals, item.id, { digest: item.digest, by: "person" });
    sandbox.clock.advance(1_000);
  }
}

/** The same numbers in the same order for the same seed. */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
