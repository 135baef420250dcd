import { mkdirSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { ok } from "@toolpact/outcome";
import { cast } from "@toolpact/x-sandbox";
import { expect, test } from "vitest";
import { type How, testApp } from "../command-line.ts";
import { madeUpX, signIn } from "../made-up-x.ts";
import { modelServer } from "../model-server.ts";

async function newWorld(env: NodeJS.ProcessEnv = {}) {
  const desk = testApp();
  // First, since the port for signing in is picked before anything listens there.
  const model = await modelServer();
  const x = await madeUpX();
  await signIn(desk, x);
  const how: How = {
    env: {
      ...x.env,
      TUITBOT_X_API__PLAN: "enterprise",
      TUITBOT_APPROVAL_MODE: "false",
      TUITBOT_MCP_POLICY__REQUIRE_APPROVAL_FOR: "[]",
      TUITBOT_LLM__PROVIDER: "ollama",
      TUITBOT_LLM__BASE_URL: model.url,
      ...env,
    },
  };
  return {
    home: desk.home,
    sandbox: x.sandbox,
    database: `${desk.home}/.tuitbot/tuitbot.db`,
    run: (words: readonly string[], machine: How["machine"] = {}) =>
      desk.run(["drafts", ...words], { ...how, machine }),
    approve: (words: readonly string[]) => desk.run(["approve", ...words], how),
    async compose(text: string, args: object = { topic: "bread" }) {
      model.says(text);
      const ran = await desk.run(["call", "compose_tweet", "--json", JSON.stringify(args)], how);
      expect(ran.json()).toMatchObject({
        success: true,
        data: { stand_in: false, written_by: "ollama/llama3.1" },
      });
    },
    posted: () => {
      const { id } = x.sandbox.person(cast.owner);
      const posts = [...x.sandbox.world.posts.values()];
      return posts
        .filter(({ authorId, at }) => authorId === id && at >= x.sandbox.clock.start)
        .map(({ text }) => text);
    },
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await x[Symbol.asyncDispose]();
      await desk[Symbol.asyncDispose]();
    },
  };
}

test("a draft is looked at, edited in the editor, and published", async () => {
  await using world = await newWorld();
  await world.compose("Dough rests.");
  expect((await world.run(["list"])).out).toBe("1  draft  Dough rests.\n");
  let seen = "";
  const edit = async (text: string) => {
    seen = text;
    return ok("Dough rests.\n---\nSo should you.\n");
  };
  const edited = await world.run(["edit", "1"], { edit });
  expect(edited).toMatchObject({ code: 0, out: "1  draft  Dough rests. (and 1 more)\n" });
  expect(seen).toBe("Dough rests.\n");
  const published = await world.run(["publish", "1"]);
  expect(published.out, published.err).toMatch(
    /^Draft 1 is published: https:\/\/x\.com\/\S+\nX charged \$0\.03\.\n$/,
  );
  expect(world.posted()).toEqual(["Dough rests.", "So should you."]);
  const shown = await world.run(["show", "1"]);
  expect(shown.out).toMatch(/Draft 1 {2}published · bread · \w+ · ollama\/llama3\.1/);
  expect(shown.out).toContain("  │ So should you.\n  14 of 280");
  expect(shown.out).toMatch(
    /1\. \S+ \S+ composed by ollama\/llama3\.1\n {2}2\. \S+ \S+ edited by terminal\n/,
  );
});

test("where approval is on, publishing says how to approve", async () => {
  await using world = await newWorld({ TUITBOT_APPROVAL_MODE: "true" });
  await world.compose("Dough rests.");
  const ran = await world.run(["publish", "1", "--output", "json"]);
  expect(ran.json()).toMatchObject({ draft_id: 1, status: "queued", approval_queue_id: 1 });
  expect(world.posted()).toEqual([]);
  expect((await world.run(["list", "--status", "queued"])).out).toContain("1  queued");
});

test("a link is published only with a yes to its price", async () => {
  await using world = await newWorld();
  await world.compose("Read example.com", { topic: "read example.com" });
  const refused = await world.run(["publish", "1"]);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("accept_url_price");
  expect(await world.run(["publish", "1", "--accept-url-price"])).toMatchObject({ code: 0 });
  expect(world.posted()).toHaveLength(1);
});

test("a script schedules and discards", async () => {
  await using world = await newWorld();
  await world.compose("Later.");
  const at = new Date(Date.now() + 3_600_000).toISOString();
  expect((await world.run(["schedule", "1", at, "--output", "json"])).json()).toMatchObject({
    status: "scheduled",
    scheduled_for: at,
  });
  expect((await world.run(["discard", "1"])).out).toBe("Draft 1 is discarded.\n");
  expect((await world.run(["list", "--output", "json"])).json()).toEqual({ drafts: [] });
});

test("a person schedules recurring posts, approves them at once, and ends them", async () => {
  await using world = await newWorld({ TUITBOT_APPROVAL_MODE: "true" });
  const until = new Date(Date.now() + 15 * 86_400_000).toISOString();
  const refused = await world.run(["repeat", "09:30", "--until", until, "--text", "One"]);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.err).toContain("at least 2 variants");
  expect(await world.run(["repeat", "09:30", "--text", "One"])).toMatchObject({ code: 2 });
  const edit = async () => ok("Loaves are out.\n---\nFresh bread again.\n");
  const ran = await world.run(["repeat", "09:30", "--until", until], { edit });
  expect(ran.out, ran.err).toMatch(
    /^15 posts go out from \S+ \S+ to \S+ \S+ \(UTC\) once you approve them, all together, with tuitbot approve --id 1\. No runner/,
  );
  const item = await world.approve(["--id", "1", "--list"]);
  expect(item.out).toContain("15 posts, 09:30 (UTC) until");
  expect(item.out).toMatch(
    /│ Loaves are out\.\n +goes out at: (.|\n)*│ Fresh bread again\.\n +goes out at: /,
  );
  expect((await world.approve(["--id", "1", "--yes"])).out).toMatch(
    /^Approved: 15 posts go out, the first at /,
  );
  expect((await world.run(["list"])).out).toMatch(
    /^1 {2}scheduled {2}\S+ \S+ {2}\(1 of 15, 09:30\) {2}Loaves are out\.\nTimes are in UTC\.\n$/,
  );
  expect((await world.run(["list", "--expand-series"])).out.split("\n")).toHaveLength(17);
  expect((await world.run(["discard", "4"])).out).toBe("Draft 4 is discarded.\n");
  expect((await world.run(["discard", "1", "--series", "--output", "json"])).json()).toMatchObject({
    discarded: { length: 14 },
  });
  expect((await world.run(["list"])).out).toBe("There are no drafts.\n");
});

test("where X never answers, the person says what became of it", async () => {
  await using world = await newWorld();
  await world.compose("Dough rests.");
  const { faults } = world.sandbox;
  faults.add({ operation: "createPosts", kind: "drop", when: "after" });
  faults.add({ operation: "getUsersPosts", kind: "error", status: 403, count: 10 });
  expect(await world.run(["publish", "1"])).toMatchObject({ code: 1, out: "" });
  const { id } = [...world.sandbox.world.posts.values()].find(({ text }) => text === "Dough rests.") ?? {};
  const settled = await world.run(["settle", "1", "--post", `https://x.com/i/web/status/${id}`]);
  expect(settled).toMatchObject({ code: 0, out: "Noted. Draft 1 is published.\n" });
  expect((await world.run(["show", "1", "--output", "json"])).json()).toMatchObject({
    status: "published",
    tweet_ids: [id],
  });
  expect(world.posted()).toEqual(["Dough rests."]);
});

test("a failing database is reported in one line", async () => {
  await using world = await newWorld();
  await world.compose("Dough rests.");
  const database = new DatabaseSync(world.database);
  database.exec("drop table draft_revisions");
  database.close();
  const ran = await world.run(["discard", "1"]);
  expect(ran).toMatchObject({ code: 1, out: "" });
  expect(ran.err).toBe("tuitbot: The database could not be used. Run `tuitbot doctor`.\n");
});

test.each([
  { words: ["show", "one"], code: 2, says: "is not the number of a draft" },
  { words: ["show", "7"], code: 1, says: "There is no draft 7." },
  { words: ["schedule", "1", "tomorrow"], code: 2, says: "is not a time with a zone" },
  { words: ["settle", "1"], code: 2, says: "Give either --post or --not-out." },
  { words: ["settle", "1", "--post", "x"], code: 2, says: "is not a post" },
  { words: ["settle", "1", "--not-out"], code: 1, says: "The outcome of draft 1 is known" },
  { words: ["edit", "1"], code: 1, says: "There is no editor." },
  { words: ["edit", "1", "--text", "x".repeat(281)], code: 1, says: "a post may weigh 280" },
  { words: ["edit", "1", "--text", " "], code: 1, says: "nothing was changed" },
])("$words fails with what to do", async ({ words, code, says }) => {
  await using world = await newWorld();
  await world.compose("Dough rests.");
  const ran = await world.run(words);
  expect(ran).toMatchObject({ code, out: "" });
  expect(ran.err).toContain(says);
});

test("a user writes a draft with a picture and schedules it", async () => {
  const world = await newWorld({
    TUITBOT_LLM__PROVIDER: "",
    TUITBOT_MEDIA__ROOTS: JSON.stringify(["~/pictures"]),
  });
  const { home, run } = world;
  mkdirSync(`${home}/pictures`);
  writeFileSync(`${home}/pictures/loaf, whole.png`, Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
  const words = [
    "new",
    "--text",
    "My own words.",
    "--media",
    `${home}/pictures/loaf, whole.png`,
    "--alt",
    "Bread",
  ];
  expect(await run([...words, "--at", "2099-01-01T00:00:00Z"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("more than a year away"),
  });
  const at = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 3_600_000).toISOString();
  const made = await run([...words, "--at", at]);
  expect(made.out).toContain(
    `Draft 1 goes out at ${local(at)} (UTC). No runner is alive; none has worked yet.`,
  );
  expect((await run(["list"])).out).toContain(`1  scheduled  ${local(at)}  My own words.`);
  expect((await run(["show", "1"])).out).toContain("loaf, whole.png (Bread)");
  expect(await run(["new"], { edit: async () => ok("One\n---\nTwo\n") })).toMatchObject({
    out: "Stored as draft 2.\n",
  });
  expect((await run(["list", "--output", "json"])).json()).toMatchObject({
    drafts: [{ texts: ["One", "Two"] }, { texts: ["My own words."] }],
  });
});

/** A time in UTC as the lists print it. */
function local(at: string): string {
  return at.slice(0, 16).replace("T", " ");
}

test("times are read and printed in the time zone of the schedule, the next one first", async () => {
  await using world = await newWorld({ TUITBOT_SCHEDULE__TIMEZONE: "America/New_York" });
  const made = await world.run(["new", "--text", "In the week after.", "--at", "tomorrow 18:00"]);
  const [, at = ""] = /^Draft 1 goes out at (\S+ 18:00) \(America\/New_York\)/.exec(made.out) ?? [];
  expect(await world.run(["new", "--text", "First.", "--at", `${at.slice(0, 10)} 9:15`])).toMatchObject({
    code: 0,
  });
  expect((await world.run(["list"])).out).toBe(
    `2  scheduled  ${at.slice(0, 10)} 09:15  First.\n1  scheduled  ${at}  In the week after.\nTimes are in America/New_York.\n`,
  );
  expect(await world.run(["schedule", "1", "soon"])).toMatchObject({
    code: 2,
    err: expect.stringContaining('"soon" is not a time'),
  });
});
