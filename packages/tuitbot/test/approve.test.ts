import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { ok } from "@toolpact/outcome";
import { cast } from "@toolpact/x-sandbox";
import { describe, expect, test } from "vitest";
import { type How, type TestApp, testApp } from "./command-line.ts";
import { type MadeUpX, madeUpX, signIn } from "./made-up-x.ts";

const hello = "Good morning, all";

describe("approve", () => {
  test("shows each item in full and carries out what the person approves", async () => {
    await using world = await newWorld();
    await world.agent("x_post_tweet", { text: hello });
    await world.agent("x_post_tweet", { text: "Second\u202e thought" });
    const ran = await world.approve([], ["a", "s"]);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.out).toContain("1 of 2");
    expect(ran.out).toMatch(
      /Item 1 {2}@sandbox_owner · Publish a post · \$0\.015 · \d+ s old · expires in 23 h/,
    );
    expect(ran.out).toContain(`  text\n  │ ${hello}`);
    expect(ran.out).toContain("│ Second<U+202E> thought");
    expect(ran.out).toMatch(/Approved: Publish a post\. Done\. https:\/\/x\.com\/\S+/);
    expect(ran.out).toContain("1 approved, 0 rejected, 1 still waiting.");
    expect(world.posted()).toEqual([hello]);
    expect(await world.waiting()).toEqual([2]);
  });

  test("an edit is a new item to look at, and goes out as it was edited", async () => {
    await using world = await newWorld();
    await world.agent("x_post_tweet", { text: hello });
    let seen = "";
    const edit = async (text: string) => {
      seen = text;
      return ok("Good evening, see example.com\n");
    };
    const ran = await world.approve([], ["e", "a"], { edit });
    expect(ran.code, ran.out + ran.err).toBe(0);
    expect(seen).toBe(hello);
    // The link has its price, which is shown before anybody can approve it.
    expect(ran.out).toMatch(/Item 1 .* \$0\.20 /);
    expect(ran.out.indexOf("│ Good evening")).toBeGreaterThan(ran.out.indexOf(`│ ${hello}`));
    expect(world.posted()).toEqual(["Good evening, see example.com"]);
  });

  test("a script edits an item, which waits on, and cannot edit what has no text", async () => {
    await using world = await newWorld();
    await world.agent("x_post_tweet", { text: hello });
    const post = world.x.sandbox.say(cast.owner, "Keep this").id;
    await world.agent("x_delete_tweet", { tweet_id: post });
    const edited = await world.approve(["--id", "1", "--text", "Good evening", "--output", "json"]);
    expect(edited.json()).toMatchObject({
      items: [{ id: 1, status: "pending", args: { text: "Good evening" } }],
    });
    expect(await world.approve(["--id", "2", "--text", "Good evening"])).toMatchObject({ code: 1 });
    expect(world.posted()).toEqual(["Keep this"]);
    await world.approve(["--id", "1", "--yes"]);
    expect(world.posted()).toEqual(["Keep this", "Good evening"]);
  });

  test.each(["--posted", "--not-posted"])(
    "a script settles with %s what X never answered",
    async (option) => {
      await using world = await newWorld();
      await world.agent("x_post_tweet", { text: hello });
      const { faults } = world.x.sandbox;
      faults.add({ operation: "createPosts", kind: "drop", when: "after" });
      faults.add({ operation: "getUsersPosts", kind: "error", status: 403, count: 10 });
      expect(await world.approve(["--id", "1", "--yes"])).toMatchObject({ code: 1 });
      const settled = await world.approve(["--id", "1", option, "--output", "json"]);
      expect(settled.json()).toEqual({ id: 1, status: option === "--posted" ? "executed" : "rejected" });
      expect(await world.approve(["--id", "1", option])).toMatchObject({ code: 1 });
      expect(await world.waiting()).toEqual([]);
    },
  );

  test("arguments without a text are edited as JSON, in any words the tool takes", async () => {
    await using world = await newWorld();
    const { sandbox } = world.x;
    const [one, two] = [sandbox.say(cast.owner, "Keep this").id, sandbox.say(cast.owner, "Not this").id];
    await world.agent("x_delete_tweet", { tweet_id: one });
    const edit = async (text: string) => {
      expect(JSON.parse(text)).toEqual({ tweet_id: one });
      return ok(`{"tweet_id": "https://x.com/sandbox_owner/status/${two}"}`);
    };
    const ran = await world.approve([], ["e", "a"], { edit });
    expect(ran.out).toContain(`│ ${two}`);
    expect(ran.code, ran.out).toBe(0);
    expect([sandbox.world.posts.has(one), sandbox.world.posts.has(two)]).toEqual([true, false]);
  });

  test.each([
    ["something that is no arguments", () => ok("gone"), "not a JSON object"],
    ["arguments that the tool does not take", () => ok('{"tweet":1}'), "tweet_id"],
  ])("an edit to %s is reported", async (_, edit, message) => {
    await using world = await newWorld();
    await world.agent("x_delete_tweet", { tweet_id: world.x.sandbox.say(cast.owner, "Keep this").id });
    const ran = await world.approve([], ["e", "q"], { edit: async () => edit() });
    expect(ran.out).toContain(message);
    expect(await world.waiting()).toEqual([1]);
  });

  test.each([
    ["what X would refuse", () => ok("x".repeat(300)), "a post may weigh 280"],
    ["nothing but the line break of an editor", (text: string) => ok(`${text}\n`), "Nothing was changed."],
  ])("an edit to %s leaves the item as it was", async (_, edit, message) => {
    await using world = await newWorld();
    await world.agent("x_post_tweet", { text: hello });
    const ran = await world.approve([], ["e", "x", "a"], { edit: async (text) => edit(text) });
    expect(ran.out).toContain(message);
    expect(ran.out).toContain("press a, r, e, s or q");
    expect(world.posted()).toEqual([hello]);
  });

  test("rejecting takes it off the table; quitting and Ctrl-C leave the rest as it was", async () => {
    await using world = await newWorld();
    for (const text of ["One", "Two", "Three"]) await world.agent("x_post_tweet", { text });
    expect((await world.approve([], ["r", "q"])).out).toContain("0 approved, 1 rejected, 2 still waiting.");
    const stopped = new AbortController();
    const readKey = async () => {
      stopped.abort();
      return undefined;
    };
    expect((await world.approve([], [], { readKey }, stopped.signal)).code).toBe(130);
    expect(await world.waiting()).toEqual([2, 3]);
    expect(world.posted()).toEqual([]);
  });

  test("a script lists, approves and rejects by number", async () => {
    await using world = await newWorld();
    await world.agent("x_post_tweet", { text: hello });
    await world.agent("x_post_tweet", { text: "Not this" });
    const listed = (await world.approve(["--output", "json"])).json();
    expect(listed).toMatchObject({
      account: { username: "sandbox_owner" },
      items: [{ id: 1, tool: "x_post_tweet", args: { text: hello }, estimated_usd: 0.015 }, { id: 2 }],
    });
    expect((await world.approve(["--list"])).out).toContain(`│ ${hello}`);
    expect((await world.approve(["--id", "1", "--yes", "--output", "json"])).json()).toMatchObject({
      id: 1,
      status: "approved",
      result: { text: hello },
    });
    expect((await world.approve(["--id", "2", "--reject"])).out).toBe("Item 2 is rejected.\n");
    expect(world.posted()).toEqual([hello]);
    const again = await world.approve(["--id", "1", "--yes"]);
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.err).toContain("approved and carried out (person via terminal, user ");
    expect(world.posted()).toEqual([hello]);
    expect((await world.approve(["--list"])).out).toBe("Nothing waits for you.\n");
  });

  test("a refusal by X is reported with exit code 1", async () => {
    await using world = await newWorld();
    world.x.sandbox.say(cast.owner, hello);
    await world.agent("x_post_tweet", { text: hello });
    const ran = await world.approve([], ["a"]);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("0 approved, 0 rejected, 1 failed, 0 still waiting.");
  });

  test("the count of what still waits is of the queue, not of what was asked about", async () => {
    await using world = await newWorld();
    for (const text of ["One", "Two"]) await world.agent("x_post_tweet", { text });
    // X would take it later, so it waits again; the other was not asked about.
    world.x.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited" });
    expect((await world.approve(["--id", "1"], ["a"])).out).toContain("1 failed, 2 still waiting.");
    expect(await world.waiting()).toEqual([1, 2]);
  });

  test("a reply shows the post that it answers, its author, age and figures, and the thread above", async () => {
    await using world = await newWorld();
    const { sandbox } = world.x;
    const first = sandbox.say(cast.friend, "My bread is flat.");
    const second = sandbox.say(cast.stranger, `Ask @${cast.owner}, \u202ewho bakes.`, {
      inReplyTo: first.id,
    });
    const like = sandbox.world.relationKeyAt(sandbox.clock.now());
    sandbox.world.likes.add(sandbox.person(cast.friend).id, second.id, like);
    await world.agent("x_reply_to_tweet", { in_reply_to_id: second.id, text: "How warm is your kitchen?" });
    const { out } = await world.approve([], ["q"]);
    expect(out).toContain("│ How warm is your kitchen?");
    const [, thread = "", shown = ""] =
      /The thread above, the first post first:\n(.*)Answers this post, as X showed it(.*)Why you are/s.exec(
        out,
      ) ?? [];
    expect(thread).toMatch(/┊ @sandbox_friend · \d+ s old · .*\n {2}┊ {3}My bread is flat\./);
    expect(shown).toMatch(
      /┊ @sandbox_unknown · \d+ s old · 1 likes · .*\n {2}┊ {3}@sandbox_friend Ask @sandbox_owner, .*who bakes\./,
    );
    expect(out).not.toContain("\u202e");
  });

  test("a delete shows what it deletes, and a rejection the person's reason", async () => {
    await using world = await newWorld();
    const { sandbox } = world.x;
    const post = sandbox.say(cast.owner, "Which flour do you take?").id;
    await world.agent("x_delete_tweet", { tweet_id: post });
    const words = ["It is still true"];
    const how = { ...world.x.how, typed: () => words.shift() ?? "" };
    const keys = ["r"];
    const ran = await world.desk.run(["approve"], {
      ...how,
      machine: { ...how.machine, readKey: async () => keys.shift() },
    });
    expect(ran.out).toMatch(
      /This post, as X showed it \d+ s ago:\n {2}┊ @sandbox_owner · .*\n {2}┊ {3}Which flour/,
    );
    expect(ran.out).toContain("0 approved, 1 rejected, 0 still waiting.");
    const listed = await world.desk.run(["call", "list_pending_approvals"], world.x.how);
    expect(listed.json()).toMatchObject({
      data: { decided: [{ id: 1, status: "rejected", person_says: "It is still true" }] },
    });
    await world.agent("x_delete_tweet", { tweet_id: post });
    await world.approve(["--id", "2", "--reject", "--reason", "Keep it"]);
    expect((await world.approve(["--id", "2", "--reason", "Keep it"])).code).toBe(2);
    const { decided } = (
      (await world.desk.run(["call", "list_pending_approvals"], world.x.how)).json() as {
        data: { decided: unknown };
      }
    ).data;
    expect(decided).toMatchObject([{ id: 2, person_says: "Keep it" }, { id: 1 }]);
  });

  test.each([
    [[], "This is not a terminal, so nobody can be asked."],
    [["--yes"], "--yes needs --id"],
    [["--reject"], "--reject needs --id"],
    [["--id", "1", "--yes", "--reject"], "contradict"],
    [["--id", "one"], '"one" is not the number of an item.'],
  ])("%j is not understood", async (words, message) => {
    await using desk = testApp();
    const ran = await desk.run(["approve", ...words]);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain(message);
  });

  test("a failing database is reported in one line, and nothing is sent", async () => {
    await using world = await newWorld();
    await world.agent("x_post_tweet", { text: hello });
    const readKey = async () => {
      const database = new DatabaseSync(`${world.desk.home}/.tuitbot/tuitbot.db`);
      database.exec("alter table approvals rename to gone");
      database.close();
      return "a";
    };
    const ran = await world.approve([], [], { readKey });
    expect(ran.code).toBe(1);
    expect(ran.err).toBe("tuitbot: The database could not be used. Run `tuitbot doctor`.\n");
    expect(world.posted()).toEqual([]);
  });

  test("an item that is not there, and nobody signed in, say so", async () => {
    await using world = await newWorld();
    expect((await world.approve(["--id", "9", "--yes"])).err).toContain(
      "There is no approval item 9. See tuitbot approve --list.",
    );
    await world.agent("x_post_tweet", { text: "For later." });
    rmSync(`${world.desk.home}/.tuitbot/tokens.json`);
    const ran = await world.approve(["--id", "1", "--yes"]);
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("tuitbot auth login")]);
    expect((await world.approve(["--list"])).out).toContain("For later.");
  });
});

test.each(["approve", "backup", "restore"])("%s explains itself, with examples", async (name) => {
  await using desk = testApp();
  const { out, code } = await desk.run([name, "--help"]);
  expect(code).toBe(0);
  expect(out).toContain(`Examples\n  tuitbot ${name}`);
});

interface World extends AsyncDisposable {
  readonly desk: TestApp;
  readonly x: MadeUpX;
  /** A call of an agent, which a person has to approve. */
  readonly agent: (tool: string, args: object) => Promise<void>;
  readonly approve: (
    words: readonly string[],
    keys?: readonly string[],
    machine?: How["machine"],
    signal?: AbortSignal,
  ) => ReturnType<TestApp["run"]>;
  readonly waiting: () => Promise<readonly number[]>;
  readonly posted: () => readonly string[];
}

async function newWorld(): Promise<World> {
  const desk = testApp();
  const x = await madeUpX();
  await signIn(desk, x);
  const before = new Set(x.sandbox.world.posts.keys());
  const owner = x.sandbox.person(cast.owner).id;
  return {
    desk,
    x,
    async agent(tool, args) {
      const ran = await desk.run(["call", tool, "--json", JSON.stringify(args)], x.how);
      expect(ran.json()).toMatchObject({ data: { status: "queued", policy_decision: "routed_to_approval" } });
    },
    approve(words, keys, machine, signal) {
      const pressed = [...(keys ?? [])];
      return desk.run(["approve", ...words], {
        ...x.how,
        ...(keys !== undefined && { typed: () => "" }),
        machine: { ...x.how.machine, readKey: async () => pressed.shift(), ...machine },
        ...(signal && { signal }),
      });
    },
    async waiting() {
      const { items } = (await desk.run(["approve", "--output", "json"], x.how)).json();
      return (items as readonly { id: number }[]).map(({ id }) => id);
    },
    posted: () =>
      [...x.sandbox.world.posts.values()]
        .filter(({ id, authorId }) => authorId === owner && !before.has(id))
        .map(({ submitted }) => submitted),
    async [Symbol.asyncDispose]() {
      await x[Symbol.asyncDispose]();
      await desk[Symbol.asyncDispose]();
    },
  };
}
