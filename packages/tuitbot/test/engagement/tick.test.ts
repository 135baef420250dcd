import { ok } from "@toolpact/contract";
import { cast } from "@toolpact/x-sandbox";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Llm } from "../../src/content/llm.ts";
import { standIn } from "../../src/content/stand-in.ts";
import { takeLease } from "../../src/loop/lease.ts";
import type { LoopEnd, LoopName } from "../../src/loop/pass.ts";
import { run } from "../../src/loop/run.ts";
import { type TickWish, tick } from "../../src/loop/tick.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import { type Desk, type DeskSetting, openDesk, ownerOf } from "./desk.ts";

let desk: Desk;
afterEach(() => desk?.close());

const DAY = 86_400_000;
const never = new AbortController().signal;
const bread = { business: { product_keywords: ["sourdough"], industry_topics: ["crust"] } };

async function open(setting: DeskSetting = {}): Promise<void> {
  desk = await openDesk({ ...setting, config: { ...bread, ...setting.config } });
}

function loopSetting() {
  const { db, x, workflow, config } = desk.services;
  return { ...db, x, workflow, config: config.values, random: () => 0.9 };
}

async function pass(...loops: LoopName[]): Promise<Record<string, LoopEnd>> {
  return passWith({ ...(loops.length > 0 && { loops }) });
}

async function passWith(wish: Partial<TickWish>): Promise<Record<string, LoopEnd>> {
  const ticked = await tick(loopSetting(), { isDryRun: false, ignoresSchedule: false, ...wish }, never);
  if (!ticked.ok) throw new Error(ticked.failure.message);
  return Object.fromEntries(ticked.value.loops);
}

function postsOf(desk: Desk) {
  const owner = ownerOf(desk);
  return [...desk.sandbox.world.posts.values()].filter(
    ({ authorId, at }) => authorId === owner && at >= desk.sandbox.clock.start,
  );
}

describe("mentions", () => {
  test("are answered once each, however many passes there are", async () => {
    await open({ sandbox: { plan: "self_serve" } });
    const { sandbox } = desk;
    const first = await pass("mentions");
    const asked = sandbox.say(cast.friend, `@${cast.owner} what about rye?`);
    sandbox.clock.advance(60_000);
    expect(await pass("mentions")).toMatchObject({
      mentions: { status: "completed", counts: { found: 1, sent: 1 } },
    });
    expect(await pass("mentions")).toMatchObject({ mentions: { counts: { found: 0, sent: 0 } } });
    expect(postsOf(desk).filter(({ replyTo }) => replyTo?.postId === asked.id)).toHaveLength(1);
    expect(first.mentions?.status).toBe("completed");
  });

  test("wait for a person in approval mode, and in composer mode are only read", async () => {
    await open({ config: { approval_mode: true } });
    desk.sandbox.say(cast.friend, `@${cast.owner} what about rye?`);
    desk.sandbox.clock.advance(60_000);
    const { mentions } = await pass("mentions");
    expect(mentions).toMatchObject({ counts: { sent: 0 } });
    const { pending_count } = (await desk.call("get_pending_count")).data as { pending_count: number };
    expect(pending_count).toBeGreaterThan(0);
    expect(await pass("mentions")).toMatchObject({ mentions: { counts: { found: 0, queued: 0 } } });
    expect(postsOf(desk)).toEqual([]);
    await desk.close();

    await open({ config: { mode: "composer" } });
    desk.sandbox.say(cast.friend, `@${cast.owner} what about rye?`);
    desk.sandbox.clock.advance(60_000);
    await passWith({});
    expect((await desk.call("get_pending_count")).data).toEqual({ pending_count: 0 });
    const { tweets } = (await desk.call("list_unreplied_tweets")).data as { tweets: { content: string }[] };
    expect(tweets.map(({ content }) => content)).toContain(`@${cast.owner} what about rye?`);
  });

  test("are answered again once replies that nobody decided about have run out", async () => {
    await open({ config: { approval_mode: true, limits: { max_replies_per_day: 1 } } });
    const queuedFor = async (who: string) => {
      desk.sandbox.say(who, `@${cast.owner} what about rye?`);
      desk.sandbox.clock.advance(60_000);
      return pass("mentions");
    };
    expect(await queuedFor(cast.friend)).toMatchObject({ mentions: { counts: { queued: 1 } } });
    expect(await queuedFor(cast.stranger)).toMatchObject({ mentions: { counts: { queued: 0 } } });
    desk.sandbox.clock.advance(desk.config.approvals.expires_hours * 3_600_000);
    expect(await queuedFor(cast.friend)).toMatchObject({ mentions: { counts: { queued: 1 } } });
  });

  test("that failed for now are taken up later", async () => {
    await open();
    await pass("mentions");
    const asked = desk.sandbox.say(cast.friend, `@${cast.owner} what about rye?`);
    desk.sandbox.clock.advance(60_000);
    desk.sandbox.faults.add({ operation: "createPosts", kind: "error", status: 503 });
    expect(await pass("mentions")).toMatchObject({ mentions: { counts: { sent: 0, later: 1 } } });
    desk.sandbox.clock.advance(60_000);
    expect(await pass("mentions")).toMatchObject({ mentions: { counts: { found: 0, sent: 1 } } });
    expect(postsOf(desk).filter(({ replyTo }) => replyTo?.postId === asked.id)).toHaveLength(1);
  });
});

test("mentions that are too many for one pass are read by the next", async () => {
  await open({ config: { mode: "composer" } });
  await pass("mentions");
  const calls = Array.from({ length: 620 }, (_, n) =>
    desk.sandbox.say(cast.friend, `@${cast.owner} call ${n}`),
  );
  desk.sandbox.clock.advance(60_000);
  expect(await pass("mentions")).toMatchObject({ mentions: { counts: { found: 500 } } });
  calls.push(desk.sandbox.say(cast.friend, `@${cast.owner} one more`));
  desk.sandbox.clock.advance(60_000);
  expect(await pass("mentions")).toMatchObject({ mentions: { counts: { found: 120 } } });
  expect(await pass("mentions")).toMatchObject({ mentions: { counts: { found: 1 } } });
  expect(await pass("mentions")).toMatchObject({ mentions: { counts: { found: 0 } } });
  const kept = await desk.services.db.store.db.selectFrom("discovered_posts").select("id").execute();
  expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining(calls.map(({ id }) => id)));
});

describe("discovery", () => {
  test("on most plans finds and writes nothing", async () => {
    await open({ sandbox: { plan: "self_serve" }, config: { scoring: { threshold: 10 } } });
    desk.sandbox.say(cast.stranger, "sourdough for everybody");
    desk.sandbox.clock.advance(60_000);
    const { discovery } = await pass("discovery");
    expect(discovery).toMatchObject({ status: "completed", counts: { sent: 0, queued: 0, refused: 0 } });
    const usage = await desk.services.db.store.db.selectFrom("llm_usage").select("id").execute();
    expect(usage).toEqual([]);
    const { tweets } = (await desk.call("get_discovery_feed", { min_score: 10 })).data as {
      tweets: { can_reply: boolean }[];
    };
    expect(tweets.length).toBeGreaterThan(0);
    expect(tweets.every(({ can_reply }) => !can_reply)).toBe(true);
  });

  test("goes round the keywords", async () => {
    await open({ config: { business: { product_keywords: ["rye", "spelt"] } } });
    for (let round = 0; round < 3; round++) await pass("discovery");
    const queries = desk.sandbox.journal
      .of("searchPostsRecent")
      .map(({ path, query }) => new URL(`http://x${path}?${query ?? ""}`).searchParams.get("query"));
    expect(queries).toEqual(["(rye) -is:retweet", "(spelt) -is:retweet", "(rye) -is:retweet"]);
  });
});

test("targets are read, and answered once a day at most as often as wanted", async () => {
  await open({
    config: { targets: { accounts: [`@${cast.friend}`, "nobody_there"], max_target_replies_per_day: 1 } },
  });
  const { sandbox } = desk;
  sandbox.say(cast.friend, "A thought on spelt");
  sandbox.clock.advance(60_000);
  expect(await pass("targets")).toMatchObject({ targets: { status: "completed", counts: { sent: 1 } } });
  sandbox.say(cast.friend, "A thought on rye");
  sandbox.clock.advance(60_000);
  expect(await pass("targets")).toMatchObject({ targets: { counts: { found: 1, sent: 0 } } });
  expect((await desk.call("list_target_accounts")).data).toMatchObject({
    targets: [
      { username: cast.friend, account_id: sandbox.person(cast.friend).id, total_replies_sent: 1 },
      { username: "nobody_there", account_id: null, total_replies_sent: 0 },
    ],
  });
});

onBothEngines("scheduled posts", ({ place }) => {
  async function schedule(texts: readonly string[], due_at: number): Promise<number> {
    const { id } = await desk.services.db.store.db
      .insertInto("scheduled_posts")
      .values({
        account: ownerOf(desk),
        draft_id: null,
        texts_json: JSON.stringify(texts),
        topic: "crust",
        format: "tip",
        due_at,
        status: "scheduled",
        created_at: due_at,
        lease_until: 0,
        tries: 0,
        approval_id: null,
        post_id: null,
        error_json: null,
        accepts_url_price: 0,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    return id;
  }
  const rows = () =>
    desk.services.db.store.db
      .selectFrom("scheduled_posts")
      .select(["status", "post_id", "approval_id", "tries"])
      .orderBy("id")
      .execute();

  test("go out when they are due, once, with their topic", async () => {
    await open({ store: await place() });
    const now = desk.sandbox.clock.now();
    await schedule(["Due now"], now);
    await schedule(["One", "Two"], now - 60_000);
    await schedule(["Not yet"], now + 1);
    await schedule(["Long ago"], now - 2 * DAY);
    expect(await pass("scheduled")).toMatchObject({ scheduled: { counts: { posted: 2, failed: 1 } } });
    expect(await pass("scheduled")).toMatchObject({ scheduled: { counts: { posted: 0 } } });
    expect(postsOf(desk).map(({ submitted }) => submitted)).toEqual(["One", "Two", "Due now"]);
    expect((await rows()).map(({ status }) => status)).toEqual(["posted", "posted", "scheduled", "failed"]);
    const topics = await desk.services.db.store.db
      .selectFrom("publications")
      .select(["topic", "format"])
      .where("position", "=", 0)
      .execute();
    expect(topics).toEqual([
      { topic: "crust", format: "tip" },
      { topic: "crust", format: "tip" },
    ]);
  });

  test("that X refuses are not tried again, and say why", async () => {
    await open();
    await schedule(["Refused"], desk.sandbox.clock.now());
    desk.sandbox.faults.add({ operation: "createPosts", kind: "error", status: 403 });
    expect(await pass("scheduled")).toMatchObject({
      scheduled: { counts: { failed: 1 }, codes: ["x_forbidden"] },
    });
    expect(await rows()).toMatchObject([{ status: "failed", post_id: null }]);
  });

  test("are left to another process that has taken over", async () => {
    await open();
    const now = desk.sandbox.clock.now();
    await schedule(["Mine"], now - 1);
    await schedule(["Theirs"], now);
    const rest = async () => {
      desk.sandbox.clock.advance(31 * 60_000);
      const wish = { name: "tick", holder: "other", now: () => desk.sandbox.clock.now(), lifeMs: 60_000 };
      await takeLease(desk.services.db, wish);
    };
    expect(Object.keys(await passWith({ rest }))).toEqual(["scheduled"]);
    expect(postsOf(desk).map(({ submitted }) => submitted)).toEqual(["Mine"]);
  });

  test("wait for a person in approval mode", async () => {
    await open({ config: { approval_mode: true } });
    await schedule(["Due now"], desk.sandbox.clock.now());
    expect(await pass("scheduled")).toMatchObject({ scheduled: { counts: { queued: 1 } } });
    expect(await rows()).toMatchObject([{ status: "queued", approval_id: 1, post_id: null }]);
  });

  test("wait for as long as X says", async () => {
    await open();
    await schedule(["Patient"], desk.sandbox.clock.now());
    desk.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited" });
    const setting = loopSetting();
    const call: typeof setting.workflow.call = async (...given) => {
      const executed = await setting.workflow.call(...given);
      return executed.ok ? executed : { ...executed, failure: { ...executed.failure, retryAfterMs: DAY } };
    };
    const wish = { loops: ["scheduled"], isDryRun: false, ignoresSchedule: false } as const;
    await tick({ ...setting, workflow: { ...setting.workflow, call } }, wish, never);
    desk.sandbox.clock.advance(DAY - 1);
    expect(await pass("scheduled")).toMatchObject({ scheduled: { counts: { posted: 0, later: 0 } } });
    desk.sandbox.clock.advance(1);
    expect(await pass("scheduled")).toMatchObject({ scheduled: { counts: { posted: 1 } } });
  });

  test("are tried again after trouble, and posted once even if the answer got lost", async () => {
    await open();
    await schedule(["Stubborn"], desk.sandbox.clock.now());
    desk.sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    desk.sandbox.faults.add({ operation: "getUsersPosts", kind: "error", status: 403 });
    await pass("scheduled");
    expect(await rows()).toMatchObject([{ status: "publishing", tries: 1 }]);
    desk.sandbox.clock.advance(2 * 60_000);
    expect(await pass("scheduled")).toMatchObject({ scheduled: { counts: { posted: 1 } } });
    expect(postsOf(desk)).toHaveLength(1);
  });
});

describe("content", () => {
  test("is written when it is due, sent or queued, and not before the last one is old enough", async () => {
    await open();
    expect(await pass("content")).toMatchObject({ content: { counts: { sent: 1 } } });
    expect(await pass("content")).toMatchObject({ content: { status: "skipped", reason: "nothing is due" } });
    desk.sandbox.clock.advance(3 * 3_600_000);
    expect(await pass("content")).toMatchObject({ content: { counts: { sent: 1 } } });
    expect(await pass("threads")).toMatchObject({ threads: { counts: { sent: 1 } } });
    expect(await pass("threads")).toMatchObject({ threads: { status: "skipped" } });
    await desk.close();

    await open({ config: { approval_mode: true } });
    expect(await pass("content", "threads")).toMatchObject({
      content: { counts: { queued: 1 } },
      threads: { counts: { queued: 1 } },
    });
    desk.sandbox.clock.advance(3 * 3_600_000);
    expect(await pass("content")).toMatchObject({ content: { status: "skipped" } });
    expect(postsOf(desk)).toEqual([]);
  });

  test("has no link, since nobody is there to say yes to its price", async () => {
    const business = { ...bread.business, product_name: "Crumb", product_url: "https://crumb.example.com" };
    await open({ config: { business } });
    await pass("mentions");
    desk.sandbox.say(cast.friend, `@${cast.owner} how do you keep notes?`);
    desk.sandbox.clock.advance(60_000);
    const setting = { ...loopSetting(), random: () => 0 };
    const plain = standIn();
    const llm: Llm = {
      ...plain,
      async write(assignment, signal) {
        const { product_url } = assignment.business;
        const written = await plain.write(assignment, signal);
        return product_url === undefined || !written.ok
          ? written
          : ok({ ...written.value, text: `Notes on dough: ${product_url}` });
      },
    };
    const workflow = { ...setting.workflow, llm: async () => ok(llm) };
    const wish = { loops: ["mentions", "content"], isDryRun: false, ignoresSchedule: false } as const;
    const ticked = await tick({ ...setting, workflow }, wish, never);
    expect(ticked.ok && Object.fromEntries(ticked.value.loops)).toMatchObject({
      mentions: { counts: { sent: 1, refused: 0 } },
      content: { counts: { sent: 1 } },
    });
  });

  test("is written again once nobody has decided about the last one in time", async () => {
    await open({ config: { approval_mode: true } });
    await pass("content");
    desk.sandbox.clock.advance(desk.config.approvals.expires_hours * 3_600_000);
    expect(await passWith({ loops: ["content"], isDryRun: true })).toMatchObject({
      content: { counts: { due: 1 } },
    });
    expect(await pass("content")).toMatchObject({ content: { counts: { queued: 1 } } });
  });

  test("is not written anew while nobody knows whether the last one is out", async () => {
    await open();
    desk.sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    desk.sandbox.faults.add({ operation: "getUsersPosts", kind: "error", status: 403, count: 20 });
    await pass("content");
    expect(await pass("content")).toMatchObject({ content: { status: "skipped", reason: "nothing is due" } });
    desk.sandbox.faults.clear();
    desk.sandbox.clock.advance(2 * 60_000);
    expect(await pass("scheduled", "content")).toMatchObject({ scheduled: { counts: { posted: 1 } } });
    expect(postsOf(desk)).toHaveLength(1);
  });

  test("that was not sent leaves nothing to be sent later", async () => {
    await open();
    desk.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited" });
    expect(await pass("content")).toMatchObject({ content: { status: "failed" } });
    desk.sandbox.clock.advance(3_600_000);
    expect(await pass("scheduled", "content")).toMatchObject({
      scheduled: { counts: { posted: 0 } },
      content: { counts: { sent: 1 } },
    });
    expect(postsOf(desk)).toHaveLength(1);
  });

  test("goes on with a thread that was cut", async () => {
    await open();
    desk.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 3 });
    await pass("threads");
    const cut = postsOf(desk);
    expect(cut).toHaveLength(2);
    desk.sandbox.clock.advance(3_600_000);
    expect(await pass("scheduled", "threads")).toMatchObject({
      scheduled: { counts: { posted: 1 } },
      threads: { status: "skipped", reason: "nothing is due" },
    });
    const [first, ...rest] = postsOf(desk);
    expect(rest.length).toBeGreaterThan(2);
    expect(rest.map(({ replyTo }) => replyTo?.postId)).toEqual(
      postsOf(desk)
        .slice(0, -1)
        .map(({ id }) => id),
    );
    expect(first?.id).toBe(cut[0]?.id);
  });
});

onBothEngines("a whole pass", ({ place }) => {
  test("runs every loop", async () => {
    await open({ store: await place(), config: { targets: { accounts: [cast.friend] } } });
    desk.sandbox.say(cast.friend, `@${cast.owner} what about rye?`);
    desk.sandbox.clock.advance(60_000);
    const ends = await pass();
    expect(Object.values(ends).map(({ status }) => status)).toEqual(Array(8).fill("completed"));
    desk.sandbox.clock.advance(DAY);
    expect((await pass()).analytics).toMatchObject({ counts: { gone: 0, measured: expect.any(Number) } });
    expect(
      (await desk.call("recommend_engagement_action", { author_username: cast.friend, tweet_text: "rye" }))
        .success,
    ).toBe(true);
  });
});

describe("a pass", () => {
  test("keeps the active hours, except for what does not depend on them", async () => {
    await open({ config: { schedule: { active_hours_start: 1, active_hours_end: 2 } } });
    const ends = await pass();
    const hushed = Object.entries(ends).filter(([, end]) => end.status === "skipped");
    expect(hushed.map(([name]) => name)).toEqual(["mentions", "targets", "discovery", "content", "threads"]);
    expect((await passWith({ ignoresSchedule: true })).mentions?.status).toBe("completed");
  });

  test("runs only what is due, and what failed after a while", async () => {
    await open();
    desk.sandbox.faults.add({ operation: "getUsersMentions", kind: "error", status: 400 });
    const first = await pass();
    expect(first).toMatchObject({
      mentions: { status: "failed", failure: { code: "invalid_input" } },
      discovery: { status: "completed" },
      analytics: { status: "completed" },
      retention: { status: "completed" },
    });
    const due = async () => {
      const ends = await pass();
      return Object.keys(ends).filter((name) => ends[name]?.status === "completed");
    };
    expect(await due()).toEqual(["scheduled"]);
    desk.sandbox.clock.advance(300_000);
    expect(await due()).toEqual(["scheduled"]);
    desk.sandbox.clock.advance(300_000);
    expect(await due()).toEqual(["scheduled", "mentions"]);
    desk.sandbox.clock.advance(3_000_000);
    expect(await due()).toEqual(["scheduled", "mentions", "discovery", "analytics"]);
  });

  test("never runs twice at once, and goes on where a process died", async () => {
    await open();
    const now = () => desk.sandbox.clock.now();
    const wish = { name: "tick", holder: "somebody", now, lifeMs: 60_000 };
    expect(await takeLease(desk.services.db, wish)).toHaveProperty("release");
    const refused = await tick(loopSetting(), { isDryRun: false, ignoresSchedule: true }, never);
    expect(refused).toMatchObject({ ok: false, failure: { code: "validation_error" } });
    desk.sandbox.clock.advance(60_000);
    expect(await pass("retention")).toMatchObject({ retention: { status: "completed" } });
    // And lets go when it ends.
    expect(await pass("retention")).toMatchObject({ retention: { status: "completed" } });
  });

  test("keeps its turn while it lives, and loses it minutes after it died", async () => {
    await open();
    const { db } = desk.services;
    const beats: (() => void)[] = [];
    const setting = loopSetting();
    const after = (_: number, beat: () => void) => {
      beats.push(beat);
      return () => {};
    };
    const until = async () =>
      (await db.store.db.selectFrom("leases").select("until").executeTakeFirstOrThrow()).until;
    const seen: number[] = [];
    await tick(
      {
        ...setting,
        workflow: {
          ...setting.workflow,
          after,
          async settle() {
            seen.push((await until()) - desk.sandbox.clock.now());
            desk.sandbox.clock.advance(60_000);
            beats.shift()?.();
            await vi.waitFor(async () => expect((await until()) - desk.sandbox.clock.now()).toBe(seen[0]));
            seen.push((await until()) - desk.sandbox.clock.now());
          },
        },
      },
      { isDryRun: false, ignoresSchedule: false, loops: ["retention"] },
      never,
    );
    expect(seen[0]).toBeLessThanOrEqual(3 * 60_000);
    expect(seen[1]).toBe(seen[0]);
  });

  test("goes on when the clock was ahead for a while", async () => {
    await open();
    const { store, account } = desk.services.db;
    await pass();
    const future = desk.sandbox.clock.now() + 365 * DAY;
    await store.db.updateTable("loops").set({ ran_at: future }).execute();
    await store.db
      .insertInto("leases")
      .values({ account, name: "tick", holder: "somebody", until: future })
      .execute();
    expect(await pass()).toMatchObject({
      mentions: { status: "completed" },
      analytics: { status: "completed" },
    });
    expect(await pass()).toMatchObject({ mentions: { status: "skipped", reason: "not due yet" } });
  });

  test("that is dry looks and changes nothing", async () => {
    await open();
    desk.sandbox.say(cast.friend, `@${cast.owner} what about rye?`);
    desk.sandbox.clock.advance(60_000);
    const dry = await passWith({ isDryRun: true });
    expect(dry).toMatchObject({ content: { counts: { due: 1 } }, analytics: { status: "skipped" } });
    expect(postsOf(desk)).toEqual([]);
    const { db } = desk.services.db.store;
    expect(await db.selectFrom("approvals").select("id").execute()).toEqual([]);
    expect(await db.selectFrom("loops").select("name").execute()).toEqual([]);
    expect(await pass("mentions")).toMatchObject({
      mentions: { counts: dry.mentions && { sent: expect.any(Number) } },
    });
  });

  test("says so when the database cannot be used", async () => {
    await open();
    const { db } = desk.services.db.store;
    await db.schema.alterTable("leases").renameTo("gone").execute();
    const ticked = await tick(loopSetting(), { isDryRun: false, ignoresSchedule: true }, never);
    expect(ticked).toMatchObject({ ok: false, failure: { code: "db_error" } });
  });

  test("in composer mode every answer says that a person approves", async () => {
    await open({ config: { mode: "composer" } });
    for (const tool of ["get_stats", "get_discovery_feed", "find_reply_opportunities"])
      expect((await desk.call(tool, {})).meta).toMatchObject({ mode: "composer", approval_mode: true });
  });

  test("puts what it reads on the ledger, and keeps within the caps", async () => {
    await open({ config: { budget: { max_usd_per_day: 0.001 } } });
    expect(await pass("discovery")).toMatchObject({
      discovery: { status: "failed", failure: { code: "policy_denied_rate_limited", reason: "budget" } },
    });
    expect(desk.sandbox.journal.of("searchPostsRecent")).toEqual([]);
  });
});

describe("run", () => {
  test("repeats until it is stopped, pausing at random", async () => {
    await open();
    const stop = new AbortController();
    const pauses: number[] = [];
    const reports: LoopName[][] = [];
    const ended = await run(
      {
        ...loopSetting(),
        pause: async (ms) => {
          pauses.push(ms);
          desk.sandbox.clock.advance(ms);
          if (pauses.length === 30) stop.abort();
        },
        onPass: ({ loops }) =>
          reports.push([...loops].flatMap(([name, end]) => (end.status === "completed" ? [name] : []))),
        onLeftOut: () => {},
      },
      stop.signal,
    );
    expect(ended).toEqual({ ok: true, value: "stopped" });
    expect(reports[0]).toContain("analytics");
    expect(reports.filter((names) => names.includes("mentions")).length).toBeGreaterThan(5);
    // The limits say 45 to 180 seconds, and this is the dice at 0.9.
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(166_500);
    expect(await desk.services.db.store.db.selectFrom("leases").selectAll().execute()).toEqual([]);
  });

  test("that is stopped lets the post that is under way finish, and sends no other", async () => {
    await open();
    for (const topic of ["rye", "spelt"]) {
      await desk.call("compose_tweet", { topic, format: "tip" });
      const id = topic === "rye" ? 1 : 2;
      const scheduled_for = new Date(desk.sandbox.clock.now()).toISOString();
      await desk.call("schedule_draft", { id, scheduled_for });
    }
    const stop = new AbortController();
    const setting = loopSetting();
    const call: typeof setting.workflow.call = (...given) => {
      const called = setting.workflow.call(...given);
      stop.abort();
      return called;
    };
    const ended = await run(
      {
        ...setting,
        workflow: { ...setting.workflow, call },
        pause: async () => {},
        onPass: () => {},
        onLeftOut: () => {},
      },
      stop.signal,
    );
    expect(ended).toEqual({ ok: true, value: "stopped" });
    expect(await desk.call("get_draft", { id: 1 })).toMatchObject({ data: { status: "published" } });
    expect(await desk.call("get_draft", { id: 2 })).toMatchObject({ data: { status: "scheduled" } });
    expect(postsOf(desk)).toHaveLength(1);
  });

  test("ends when nobody is signed in any more", async () => {
    await open();
    desk.sandbox.faults.add({ operation: "getUsersMentions", kind: "unauthorized", count: 9 });
    const ended = await run(
      { ...loopSetting(), pause: async () => {}, onPass: () => {}, onLeftOut: () => {} },
      never,
    );
    expect(ended).toMatchObject({ ok: false, failure: { code: "x_auth_expired" } });
  });

  test("stops publishing for a while when X refuses too often", async () => {
    await open({ config: { intervals: { mentions_check_seconds: 1, discovery_search_seconds: 1 } } });
    const stop = new AbortController();
    desk.sandbox.faults.add({ operation: "getUsersMentions", kind: "error", status: 403, count: 99 });
    desk.sandbox.faults.add({ operation: "searchPostsRecent", kind: "error", status: 403, count: 99 });
    let passes = 0;
    const reasons: unknown[] = [];
    await run(
      {
        ...loopSetting(),
        random: () => 0,
        pause: async () => desk.sandbox.clock.advance(61_000),
        onPass: ({ loops }) => {
          const scheduled = loops.get("scheduled");
          reasons.push(scheduled?.status === "skipped" ? scheduled.reason : scheduled?.status);
          passes += 1;
          if (passes === 8) stop.abort();
        },
        onLeftOut: () => {},
      },
      stop.signal,
    );
    expect(reasons.slice(0, 2)).toEqual(["completed", "completed"]);
    expect(reasons.at(-1)).toBe("the circuit breaker is open");
  });
});
