import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { cast } from "@toolpact/x-sandbox";
import { describe, expect, test } from "vitest";
import { type How, type Ran, type TestApp, testApp } from "./command-line.ts";
import { type MadeUpX, madeUpX, signIn } from "./made-up-x.ts";

/** A signed-in user whose posts are published immediately, to have data to show. */
interface World extends AsyncDisposable {
  readonly desk: TestApp;
  readonly x: MadeUpX;
  readonly run: (words: readonly string[], how?: How) => Promise<Ran>;
  readonly call: (tool: string, args: object) => Promise<Readonly<Record<string, unknown>>>;
}

const FREE = {
  TUITBOT_APPROVAL_MODE: "false",
  TUITBOT_MCP_POLICY__REQUIRE_APPROVAL_FOR: "",
  TUITBOT_X_API__PLAN: "enterprise",
  // At any hour of the day.
  TUITBOT_SCHEDULE__ACTIVE_HOURS_START: "0",
  TUITBOT_SCHEDULE__ACTIVE_HOURS_END: "0",
};

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
    call: async (tool, args) => {
      const ran = await run(["call", tool, "--json", JSON.stringify(args)]);
      return ran.json();
    },
    async [Symbol.asyncDispose]() {
      await x[Symbol.asyncDispose]();
      await desk[Symbol.asyncDispose]();
    },
  };
}

describe("status", () => {
  test("says what waits, what went out, what it cost and what is next", async () => {
    await using world = await newWorld();
    await world.call("x_post_tweet", { text: "One for today" });
    const { out, code } = await world.run(["status"]);
    expect(code).toBe(0);
    expect(out).toMatch(/waits for you +nothing/);
    expect(out).toMatch(/today +1 of 10 posts, 0 of 5 replies/);
    expect(out).toMatch(/spent today +\$0\.\d{2,3} of \$5\.00 {2}▏/);
    expect(out).toMatch(/followers +not measured yet: tuitbot tick --loops analytics/);
    expect(out).toMatch(/next post +none is scheduled/);
    expect(out).toMatch(/runner +none/);
    expect((await world.run(["status", "--output", "json"])).json()).toMatchObject({
      pending_approvals: 0,
      posts_today: { used: 1, max: 10 },
      followers: { current: null, change_7d: null, trend: [] },
      runner: { alive: false },
    });
  });

  test("counts what waits for approval, and names the command", async () => {
    await using world = await newWorld({});
    await world.call("x_post_tweet", { text: "May I?" });
    expect((await world.run(["status"])).out).toMatch(/waits for you +1 to approve: tuitbot approve/);
  });

  test("names the account in what it suggests", async () => {
    await using desk = testApp();
    mkdirSync(join(desk.home, ".tuitbot"));
    writeFileSync(
      join(desk.home, ".tuitbot/config.toml"),
      '[x_api]\nclient_id = "an-app"\n[accounts.cafe]\n',
    );
    for (const words of [["status"], ["doctor"], ["auth", "status"]]) {
      const { out, err } = await desk.run([...words, "--account", "cafe"]);
      expect(out + err, words.join(" ")).toContain("`tuitbot auth login --account cafe`");
    }
  });

  test("fits a narrow terminal", async () => {
    await using world = await newWorld();
    const { out } = await world.run(["status"], { width: 40 });
    expect(out).not.toContain("▏");
    expect(out).toContain("waits for you");
  });
});

describe("spend", () => {
  test("shows the caps, each day and each operation, and agrees with the tool", async () => {
    await using world = await newWorld();
    await world.call("x_post_tweet", { text: "This one costs" });
    const usage = await world.call("get_x_usage", {});
    const { out } = await world.run(["spend", "--days", "3"]);
    expect(out).toMatch(/today +\$0\.\d{2,3} of \$5\.00/);
    expect(out).toMatch(/this month +\$0\.\d{2,3} of \$50\.00/);
    expect(out.match(/^\d{4}-\d\d-\d\d /gm)).toHaveLength(3);
    expect(out).toMatch(/█+\n/);
    expect(out).toMatch(/^\$0\.015 +1 request +Publishing posts$/m);
    // No name of a request, a loop or a tool.
    expect(out).not.toMatch(/createPosts|getUsers|loop:|x_post/);
    const report = (await world.run(["spend", "--output", "json"])).json();
    expect(report).toMatchObject({ day_cap_usd: 5, month_cap_usd: 50 });
    const { summary } = usage.data as { readonly summary: Readonly<Record<string, number>> };
    // The cost of this command's own question to X, where it asks one, is not in what the tool saw before.
    expect((report.summary as typeof summary).cost_30d).toBeGreaterThanOrEqual(summary.cost_30d ?? 0);
    expect(report.daily).toHaveLength(14);
  });

  test("says that there is no cap", async () => {
    await using world = await newWorld({ ...FREE, TUITBOT_BUDGET__UNLIMITED: "true" });
    expect((await world.run(["spend"])).out).toMatch(/today +\$0\.\d+, no cap/);
  });
});

describe("loops list", () => {
  test("says of every loop without effect why, and never that it is due", async () => {
    await using world = await newWorld({ ...FREE, TUITBOT_MODE: "composer" });
    const { out } = await world.run(["loops", "list"]);
    expect(out).toMatch(/^scheduled +on +never ran +checks every minute/m);
    expect(out).toMatch(/^targets +on +never ran +no effect: no accounts are set: targets\.accounts$/m);
    expect(out).toMatch(/^content +on +never ran +no effect: in composer mode you write the posts$/m);
    expect(out).toMatch(/^mentions +on +never ran +due/m);
  });
});

describe("stats", () => {
  test("says how to measure while nothing is measured", async () => {
    await using world = await newWorld();
    const { out } = await world.run(["stats"]);
    expect(out).toContain("tuitbot tick --loops analytics");
    expect(out).toContain("Nothing was published yet.");
  });

  test("shows followers and posts once they are measured", async () => {
    await using world = await newWorld();
    await world.call("x_post_tweet", { text: "Look at me" });
    await world.run(["tick", "--loops", "analytics"]);
    const { out } = await world.run(["stats"]);
    expect(out).toMatch(/Followers\n\d+ {2}the change is known from the second day on/);
    expect(out).toContain("▅");
    expect(out).toMatch(/posts +1 /);
    // One post is no sample for anything best.
    expect(out).not.toMatch(/best/i);
    // Measures a second day, which shows a change, but not yet a weekly one.
    const stored = new DatabaseSync(join(world.desk.home, ".tuitbot/tuitbot.db"));
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    stored.exec(
      `insert into follower_snapshots select account, '${yesterday}', at, followers - 2, following, posts from follower_snapshots`,
    );
    stored.close();
    expect((await world.run(["stats"])).out).toMatch(
      new RegExp(`Followers\\n\\d+ {2}\\+2 since ${yesterday}\\n`),
    );
    expect((await world.run(["status"])).out).toContain(`(+2 since ${yesterday})`);
    expect((await world.run(["stats", "--output", "json"])).json()).toMatchObject({
      followers: { current: expect.any(Number) },
      kinds: [{ content_type: "tweet", count: 1 }],
    });
  });
});

describe("log", () => {
  test("shows what was done, what failed and what waits, newest first, without hidden characters", async () => {
    await using world = await newWorld();
    await world.call("x_post_tweet", { text: "First\u202e of\nall" });
    await world.call("x_like_tweet", { tweet_id: "12345" });
    const lines = (await world.run(["log"])).out.split("\n");
    expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}failed +Like a post +/);
    expect(lines[1]).toMatch(/ done +Publish a post +First<U\+202E> of all$/);
    const report = (await world.run(["log", "-n", "1", "--output", "json"])).json();
    expect(report.entries).toMatchObject([{ tool_name: "x_like_tweet", status: "failure" }]);
    for (const ending of ["done", "success"]) {
      const { out } = await world.run(["log", "--status", ending]);
      expect(out).toContain("First");
      expect(out).not.toContain("Like a post");
    }
    expect((await world.run(["log", "--tool", "like a post"])).out).not.toContain("First");
    expect((await world.run(["log", "--tool", "x_post_twet"])).err).toContain("x_post_tweet");
  });

  test("says that there is nothing", async () => {
    await using world = await newWorld();
    expect((await world.run(["log"])).out).toBe("Nothing was done here yet.\n");
  });
});

describe("undo", () => {
  const posts = ({ x }: World) => [...x.sandbox.world.posts.values()].map(({ submitted }) => submitted);

  test("shows the last action, asks, and takes it back; then the one before", async () => {
    await using world = await newWorld();
    await world.call("x_post_tweet", { text: "Stays for now" });
    await world.call("x_post_tweet", { text: "Sent too early" });
    const asked: string[] = [];
    const refused = await world.run(["undo"], {
      typed: (question) => {
        asked.push(question);
        return "n";
      },
    });
    expect(refused.out).toMatch(
      /^Publish a post, \d+ s ago\n {2}│ Sent too early\n {2}https:\/\/x\.com\/\S+\nUndo: Delete a post, for \$0\.\d+\.\n/,
    );
    expect(refused.out).toContain("Nothing was changed.");
    expect(asked).toEqual(["Undo it? [y/N] "]);
    expect(posts(world)).toContain("Sent too early");

    expect((await world.run(["undo"], { typed: () => "y" })).out).toContain("Undone.");
    expect(posts(world)).not.toContain("Sent too early");
    expect(posts(world)).toContain("Stays for now");
    expect((await world.run(["undo", "--yes", "--output", "json"])).json()).toMatchObject({
      undone: true,
      tool: "x_post_tweet",
    });
    expect(posts(world)).not.toContain("Stays for now");
    expect((await world.run(["undo", "--yes"])).out).toBe("Nothing can be undone.\n");
  });

  test("a like is taken back, and not given again by the next undo", async () => {
    await using world = await newWorld();
    const { sandbox } = world.x;
    const tweet_id = sandbox.say(cast.friend, "Do you like it?").id;
    expect(await world.call("x_like_tweet", { tweet_id })).toMatchObject({ success: true });
    expect((await world.run(["undo", "--yes"])).out).toContain("Undo: Remove a like");
    expect((await world.run(["undo", "--yes"])).out).toBe("Nothing can be undone.\n");
  });

  test("every post of a thread is deleted", async () => {
    await using world = await newWorld();
    await world.call("x_post_thread", { tweets: ["One of two", "Two of two"] });
    expect((await world.run(["undo", "--yes"])).out).toContain("Undo: Delete a post 2 times");
    expect(posts(world).filter((text) => text.endsWith("of two"))).toEqual([]);
    expect((await world.run(["undo", "--list"])).out).toBe("Nothing can be undone.\n");
  });

  test("the person's yes is the approval where the rules want one", async () => {
    await using world = await newWorld({ ...FREE, TUITBOT_MCP_POLICY__TEMPLATE: "growth_aggressive" });
    const earlier = await world.call("x_post_tweet", { text: "Stays" });
    await world.call("x_post_tweet", { text: "Deleting needs a person" });
    const { id } = earlier.data as { readonly id: string };
    expect(await world.call("x_delete_tweet", { tweet_id: id })).toMatchObject({
      data: { status: "queued" },
    });
    expect((await world.run(["undo"], { typed: () => "y" })).out).toContain("Undone.");
    expect(posts(world)).not.toContain("Deleting needs a person");
  });

  test("without a terminal it says what it would do, and does nothing", async () => {
    await using world = await newWorld();
    await world.call("x_post_tweet", { text: "Still there" });
    const ran = await world.run(["undo"]);
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining("Add --yes") });
    expect((await world.run(["undo", "--output", "json"])).json()).toMatchObject({
      undone: false,
      would_undo: { tool: "x_post_tweet", undo: [{ tool: "x_delete_tweet" }] },
    });
    expect(posts(world)).toContain("Still there");
    expect((await world.run(["undo", "--id", "nothing"])).err).toContain("tuitbot undo --list");
  });
});

test.each([["status"], ["stats"], ["spend"], ["log"], ["undo", "--list"]])(
  "%s %s works with X out of reach, and costs nothing",
  async (...words) => {
    await using world = await newWorld();
    await world.call("x_post_tweet", { text: "Before X went away" });
    const before = (await world.run(["spend", "--output", "json"])).json();
    const away = { env: { TUITBOT_X_API__BASE_URL: "http://127.0.0.1:9" } };
    const ran = await world.run(
      words.filter((word) => word !== undefined),
      away,
    );
    expect(ran.code, ran.err).toBe(0);
    expect(ran.out).toMatch(words[0] === "log" || words[0] === "undo" ? /Before X went away/ : /\d/);
    expect((await world.run(["spend", "--output", "json"], away)).json()).toEqual(before);
  },
);

describe("run", () => {
  /** Runs until so many pauses have begun. */
  async function runFor(world: World, pauses: number, words: readonly string[] = []): Promise<Ran> {
    const stop = new AbortController();
    let left = pauses;
    return world.run(["run", ...words], {
      signal: stop.signal,
      machine: {
        ...world.x.how.machine,
        pause: async () => {
          left -= 1;
          if (left <= 0) stop.abort();
        },
      },
    });
  }

  test("says at once who it works for, what it may spend and what is next, then what each pass did and cost", async () => {
    await using world = await newWorld({ ...FREE, TUITBOT_MODE: "composer" });
    const { out, code } = await runFor(world, 1);
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines[0]).toMatch(
      /^\d{4}-\S+Z @sandbox_owner, composer: a person approves what is sent\. Spent today: \$\d\.\d+ of \$5\.00\.$/,
    );
    expect(lines[1]).toMatch(/Z next: mentions now, .*Ctrl-C stops it\.$/);
    expect(lines.at(-1)).toMatch(/^X charged \$0\.\d+\.$/);
    expect(lines.at(-3)).toMatch(
      /Z pass 1: \$\d+\.\d+, today \$\d\.\d+ of \$5\.00; next: \w+ in \d+ (s|min|h)/,
    );
    expect(lines.at(-2)).toBe("Stopped after 1 pass.");
  });

  test("prints each pass as a line of JSON, with its cost and what is next", async () => {
    await using world = await newWorld();
    const { out } = await runFor(world, 1, ["--output", "json"]);
    const [first = ""] = out.split("\n");
    expect(JSON.parse(first)).toMatchObject({
      loops: { analytics: { status: "completed" } },
      cost_usd: expect.any(Number),
      spent_today_usd: expect.any(Number),
    });
    expect(JSON.parse(first).next[0]).toEqual({ loop: expect.any(String), at: expect.any(String) });
  });

  test("a pass that did nothing and cost nothing prints nothing", async () => {
    await using world = await newWorld({ ...FREE, TUITBOT_MODE: "composer" });
    const { out } = await runFor(world, 4);
    expect(out.match(/ pass \d+:/g)).toEqual([" pass 1:"]);
    expect(out).toMatch(/Stopped after \d+ passes\./);
  });
});

test("tick --dry-run sends nothing to X and costs nothing", async () => {
  await using world = await newWorld();
  await world.run(["drafts", "list"]);
  const { journal } = world.x.sandbox;
  const before = journal.entries.length;
  const ran = await world.run(["tick", "--dry-run", "--ignore-schedule", "--output", "json"]);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.json()).toMatchObject({ dry_run: true, success: true });
  expect(journal.entries.slice(before)).toEqual([]);
});
