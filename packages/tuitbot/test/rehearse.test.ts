import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cast } from "@toolpact/x-sandbox";
import { describe, expect, test } from "vitest";
import type { Rehearsal } from "../src/rehearsal/rehearsal.ts";
import { type How, type Ran, type TestApp, testApp } from "./command-line.ts";
import { type MadeUpX, madeUpX, signIn } from "./made-up-x.ts";

const HOUR = 3_600_000;
/** X's price of a post without a link. */
const POST_USD = 0.015;

/** Posts go out at once, at any hour; nobody is asked, and the loops act by themselves. */
const FREE = {
  TUITBOT_MODE: "autopilot",
  TUITBOT_APPROVAL_MODE: "false",
  TUITBOT_MCP_POLICY__REQUIRE_APPROVAL_FOR: "",
  TUITBOT_X_API__PLAN: "enterprise",
  TUITBOT_X_API__AI_REPLIES_AGREED: "true",
  TUITBOT_SCHEDULE__TIMEZONE: "UTC",
  TUITBOT_BUSINESS__PRODUCT_KEYWORDS: "sourdough",
  TUITBOT_BUSINESS__INDUSTRY_TOPICS: "crust",
  TUITBOT_INTERVALS__MENTIONS_CHECK_SECONDS: "3600",
  TUITBOT_INTERVALS__DISCOVERY_SEARCH_SECONDS: "3600",
};

/** A model that is set up and would fail, if anybody asked it. */
const MODEL = {
  TUITBOT_LLM__PROVIDER: "ollama",
  TUITBOT_LLM__MODEL: "a-model",
  TUITBOT_LLM__BASE_URL: "http://127.0.0.1:9",
};

interface World extends AsyncDisposable {
  readonly desk: TestApp;
  readonly x: MadeUpX;
  readonly run: (words: readonly string[], how?: How) => Promise<Ran>;
  readonly call: (tool: string, args: object) => Promise<Readonly<Record<string, unknown>>>;
  readonly rehearse: (words?: readonly string[], how?: How) => Promise<Rehearsal>;
  /** A digest of every file of the person, and what X was asked: what a rehearsal must not change. */
  readonly everything: () => string;
}

async function newWorld(env: NodeJS.ProcessEnv = FREE): Promise<World> {
  const desk = testApp();
  const x = await madeUpX();
  await signIn(desk, x);
  const run: World["run"] = (words, how) =>
    desk.run(words, { ...x.how, ...how, env: { ...x.how.env, ...env, ...how?.env } });
  return {
    desk,
    x,
    run,
    async call(tool, args) {
      const answer = (await run(["call", tool, "--json", JSON.stringify(args)])).json();
      expect(answer).toMatchObject({ success: true });
      return answer;
    },
    async rehearse(words = [], how = {}) {
      const ran = await run(["rehearse", ...words, "--output", "json"], how);
      expect(ran.err).toBe("");
      return ran.json() as unknown as Rehearsal;
    },
    everything: () => {
      const hash = createHash("sha256");
      for (const file of readdirSync(desk.home, { recursive: true, withFileTypes: true }))
        if (file.isFile()) hash.update(file.name).update(readFileSync(join(file.parentPath, file.name)));
      return `${hash.digest("hex")} ${x.sandbox.journal.entries.length}`;
    },
    async [Symbol.asyncDispose]() {
      await x[Symbol.asyncDispose]();
      await desk[Symbol.asyncDispose]();
    },
  };
}

const at = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();

/** Data for the loops: two scheduled posts, a mention and a post about bread. */
async function withHistory(env: NodeJS.ProcessEnv = FREE): Promise<World> {
  const world = await newWorld(env);
  const { x, run, call } = world;
  x.sandbox.say(cast.friend, `@${cast.owner} how long do you proof in winter?`);
  x.sandbox.say("sandbox_unknown", "My sourdough comes out flat every time. What would you change?");
  await run(["tick", "--loops", "mentions,discovery", "--ignore-schedule"]);
  await call("create_draft", { texts: ["Tomorrow: rye."], scheduled_for: at(20) });
  await call("create_draft", { texts: ["In three days: spelt."], scheduled_for: at(68) });
  return world;
}

describe("tuitbot rehearse", () => {
  test("says by day what would go out and cost, sends nothing, and leaves every byte as it was", async () => {
    await using world = await withHistory();
    const before = world.everything();
    const report = await world.rehearse(["--days", "4"]);
    expect(world.everything()).toBe(before);
    expect(report.entries).toMatchObject([
      { loop: "scheduled", outcome: "goes_out", texts: ["Tomorrow: rye."], cost_usd: POST_USD },
      { loop: "scheduled", outcome: "goes_out", texts: ["In three days: spelt."], cost_usd: POST_USD },
    ]);
    const [first, second] = report.entries;
    expect(first?.date).toBe(at(20).slice(0, 10));
    expect(second?.date).toBe(at(68).slice(0, 10));
    expect(report.totals).toMatchObject({ goes_out: 2, waits: 0, refused: 0 });
    expect(report.days.map(({ goes_out }) => goes_out)).toEqual(
      report.days.map(({ date }) => (date === first?.date || date === second?.date ? 1 : 0)),
    );
    // Reads and publications are summed in different ways.
    const together = report.days.reduce((sum, day) => sum + day.reads_usd, 2 * POST_USD);
    expect(together).toBeCloseTo(report.totals.cost_usd, 6);
    expect(report.operations.reduce((sum, one) => sum + one.cost_usd, 0)).toBeCloseTo(together, 6);
    expect(report.operations).toContainEqual({
      operation: "createPosts",
      requests: 2,
      cost_usd: 2 * POST_USD,
    });
    expect(report.left_out).toEqual(
      expect.arrayContaining([
        { loop: "content", reason: expect.stringContaining("no language model is set up") },
        { loop: "mentions", reason: expect.stringContaining("It reads, and answers nothing") },
        { loop: "targets", reason: "targets.accounts is empty." },
      ]),
    );
    // The mention of today comes again tomorrow, and is found.
    expect(report.loops.find(({ name }) => name === "mentions")?.counts.found).toBeGreaterThan(0);
  });

  test("lets what needs a person wait with its rule, keeps to the budget, and asks no model", async () => {
    await using world = await withHistory({
      ...FREE,
      ...MODEL,
      TUITBOT_MCP_POLICY__REQUIRE_APPROVAL_FOR: "x_post_tweet,x_reply_to_tweet",
      TUITBOT_BUDGET__MAX_USD_PER_DAY: "0.5",
    });
    const { out } = await world.run(["rehearse", "--days", "2"], { width: 120 });
    const report = await world.rehearse(["--days", "2"]);
    const loops = new Set(report.entries.map(({ loop }) => loop));
    expect([...loops].sort()).toEqual(expect.arrayContaining(["mentions", "scheduled", "threads"]));
    for (const entry of report.entries)
      expect(entry).toMatchObject({ outcome: "waits", reason: expect.any(String) });
    // The post that a waiting reply answers is read for the person, at a price on each day that X counts anew.
    expect(report.operations.map(({ operation }) => operation)).not.toContain("createPosts");
    const reply = report.entries.find(({ loop }) => loop === "mentions");
    expect(reply).toMatchObject({
      tool: "x_reply_to_tweet",
      answers: { author: expect.any(String), text: expect.stringContaining(`@${cast.owner}`) },
      rule_id: expect.any(String),
    });
    expect(report.assumptions.join()).toContain("ollama/a-model was not asked");
    expect(report.caps.dearest_day_usd).toBeLessThanOrEqual(0.5);
    // How much there is to read depends on the hour of the day; half a cent is too little at any.
    const poor = await world.rehearse(["--days", "2"], { env: { TUITBOT_BUDGET__MAX_USD_PER_DAY: "0.005" } });
    expect(poor.totals.cost_usd).toBeLessThanOrEqual(3 * 0.005);
    const held = poor.loops.flatMap(({ held_back }) => held_back.map(({ reason }) => reason));
    expect(held.join()).toContain("budget.max_usd_per_day");
    // Two days from now on are on three dates.
    expect(out).toContain("the next 2 days in ");
    expect(out).toMatch(/^day +goes out +waits +refused +cost$/m);
    expect(out).toMatch(/ waits +mentions +to @\w+: ".+ {2}\S/);
    expect(out).toMatch(/most expensive day \(UTC\) +\$0\.\d+ of \$0\.50/);
  });

  test("ends at Ctrl-C, asks X nothing for a sign-in it has not seen, and needs something stored", async () => {
    await using world = await newWorld();
    const none = await world.run(["rehearse"]);
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining("Nothing is stored here yet.") });
    await world.run(["tick", "--loops", "analytics"]);
    const before = world.everything();
    const stop = new AbortController();
    const ran = await world.run(["rehearse"], {
      signal: stop.signal,
      typed: () => "",
      onErr: (text) => {
        if (text.includes("day 1 of 7")) stop.abort();
      },
    });
    expect(ran.code).toBe(130);
    expect(world.everything()).toBe(before);
    await signIn(world.desk, world.x);
    const requests = world.x.sandbox.journal.entries.length;
    const unseen = await world.run(["rehearse"]);
    expect(unseen).toMatchObject({ code: 1, err: expect.stringContaining("whose data this is") });
    expect(world.x.sandbox.journal.entries.length).toBe(requests);
  });
});
