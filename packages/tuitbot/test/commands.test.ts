import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { program } from "../src/cli/program.ts";
import { profiles } from "../src/profiles.ts";
import { testApp } from "./command-line.ts";

describe("call", () => {
  test("answers with the envelope an MCP client gets", async () => {
    await using desk = testApp();
    const words = ["call", "x_get_user_by_username", "--json", '{"username":"sandbox_friend"}', "--sandbox"];
    const ran = await desk.run(words);
    expect(ran.code).toBe(0);
    expect(ran.json()).toMatchObject({
      success: true,
      data: { username: "sandbox_friend" },
      meta: { tool_version: "1.0", mode: "autopilot", approval_mode: true },
    });
    const utility = await desk.run([...words, "--profile", "utility-readonly", "--output", "json"]);
    expect(utility.json()).not.toHaveProperty("meta");
  });

  test("a tool that fails is exit code 1, and still the envelope", async () => {
    await using desk = testApp();
    const ran = await desk.run(["call", "get_tweet_by_id", "--json", '{"tweet_id":"1"}', "--sandbox"]);
    expect(ran.code).toBe(1);
    expect(ran.json()).toMatchObject({
      success: false,
      data: null,
      error: { code: "not_found", retryable: false },
    });
  });

  test.each([
    [["call", "get_config", "--json", "[1]", "--sandbox"], "--json is not a JSON object."],
    [["call", "x_post_tweets", "--sandbox"], "Unknown tool `x_post_tweets`. Did you mean `x_post_tweet`?"],
    [["call", "x_post_tweet", "--sandbox", "--profile", "readonly"], "Unknown tool `x_post_tweet`."],
    [
      ["call", "get_config", "--sandbox", "--tools", "get_confg"],
      'has no tool "get_confg". Did you mean get_config?',
    ],
    [
      ["call", "get_config", "--sandbox", "--toolsets", "reads"],
      'has no toolset "reads". Did you mean read?',
    ],
    [["call", "get_config", "--sandbox", "--exclude-tools", "get_config"], "Unknown tool `get_config`."],
  ])("%j is not understood", async (words, message) => {
    await using desk = testApp();
    const ran = await desk.run(words);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain(message);
  });

  test("with nobody signed in it says what to run", async () => {
    await using desk = testApp();
    expect(await desk.run(["call", "get_config"])).toMatchObject({
      code: 1,
      out: "",
      err: "tuitbot: Nobody is signed in to X. Run `tuitbot auth login`, or try it without: tuitbot mcp serve --sandbox.\n",
    });
  });

  test("the common plan shows what X refuses, without asking X", async () => {
    await using desk = testApp();
    const words = ["call", "x_like_tweet", "--json", '{"tweet_id":"2122001811748425728"}'];
    const ran = await desk.run([...words, "--sandbox-plan", "self_serve"]);
    expect(ran.json()).toMatchObject({ error: { code: "x_forbidden", reason: "unavailable_on_plan" } });
    expect(ran.json().meta).not.toHaveProperty("cost");
  });
});

describe("config", () => {
  test("show prints what is in force, secrets masked", async () => {
    await using desk = testApp();
    writeFileSync(join(desk.home, "my.toml"), '[llm]\nprovider = "openai"\napi_key = "hunter2"\n');
    const ran = await desk.run(["-c", "my.toml", "config", "show"], { env: { TUITBOT_MODE: "composer" } });
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('api_key = "********"');
    expect(ran.out).toContain("# set by the environment: mode");
    expect(ran.out).not.toContain("hunter2");
    const json = await desk.run(["config", "show", "--output", "json"]);
    expect(json.json()).toMatchObject({ file: null, config: { mode: "autopilot" } });
  });

  test("validate names everything at once", async () => {
    await using desk = testApp();
    writeFileSync(join(desk.home, "my.toml"), 'mode = "x"\n[server]\npot = 1\n');
    const ran = await desk.run(["-c", "my.toml", "config", "validate"]);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("2 problems");
    expect(ran.out).toContain("server.pot is not a setting. Did you mean server.port?");
    expect((await desk.run(["config", "validate"])).out).toContain("the defaults are in force): fine");
  });

  test("a broken configuration stops whatever needs it", async () => {
    await using desk = testApp();
    const ran = await desk.run(["-c", "absent.toml", "mcp", "serve"]);
    const file = join(desk.home, "absent.toml");
    expect(ran).toMatchObject({
      code: 1,
      out: "",
      err: `tuitbot: The configuration ${file} is wrong: The file does not exist.\n`,
    });
  });

  test("path says where it is read from", async () => {
    await using desk = testApp();
    expect((await desk.run(["config", "path"])).out).toBe(`${join(desk.home, ".tuitbot/config.toml")}\n`);
  });
});

describe("mcp manifest", () => {
  test.each(profiles)("%s has the fields that machines rely on", async (profile) => {
    await using desk = testApp();
    const manifest = (await desk.run(["mcp", "manifest", "--profile", profile])).json();
    expect(manifest).toMatchObject({ name: "tuitbot", profile, tool_count: expect.any(Number) });
    for (const tool of manifest.tools as readonly object[])
      expect(tool).toMatchObject({
        name: expect.any(String),
        category: expect.any(String),
        lane: expect.stringMatching(/^(shared|workflow)$/),
        mutation: expect.any(Boolean),
        requires_x_client: expect.any(Boolean),
        requires_llm: expect.any(Boolean),
        requires_db: expect.any(Boolean),
        profiles: expect.arrayContaining([profile]),
        possible_error_codes: expect.any(Array),
      });
  });

  test("comes as a table and as Markdown too", async () => {
    await using desk = testApp();
    const table = await desk.run(["mcp", "manifest", "--profile", "readonly", "--format", "table"]);
    expect(table.out.split("\n").at(-2)).toBe("10 tools");
    const markdown = await desk.run(["mcp", "manifest", "--profile", "readonly", "--format", "markdown"]);
    expect(markdown.out).toContain("### `get_tweet_by_id`");
  });
});

test("the demo tells its whole story and ends by itself", async () => {
  await using desk = testApp();
  const ran = await desk.run(["demo", "--fast"]);
  expect(ran.code).toBe(0);
  for (const word of [
    "of 100, by",
    "The reply: “",
    '"status":"queued"',
    "You approve item 2: it is posted.",
    "duplicate_request",
    "x_rate_limited",
    "thread_partial_failure",
    "6 posts were measured",
    "6 posts, each of them once",
  ])
    expect(ran.out).toContain(word);
  const json = await desk.run(["demo", "--fast", "--output", "json"]);
  expect(json.json()).toMatchObject({ posts_out: 6 });
});

test.each([
  [["run", "--sandbox", "--status-interval", "soon"], '--status-interval cannot be "soon".'],
  [["run", "--sandbox", "--status-interval=-1"], '--status-interval cannot be "-1".'],
  [["tick", "--sandbox", "--loops", "mention"], 'There is no loop "mention".'],
  [["tick", "--sandbox", "--loops", ""], "--loops names no loop."],
  [["sandbox", "--port", "high"], '--port cannot be "high".'],
  [["approve", "--id", "first"], '"first" is not the number of an item.'],
  [["drafts", "show", "first"], '"first" is not the number of a draft.'],
])("%j is not understood", async (words, message) => {
  await using desk = testApp();
  const ran = await desk.run(words);
  expect(ran).toMatchObject({ code: 2, out: "" });
  expect(ran.err).toContain(message);
});

test("completion scripts know every command", async () => {
  await using desk = testApp();
  for (const shell of ["bash", "zsh", "fish"]) {
    const { out } = await desk.run(["completion", shell]);
    for (const path of ["mcp serve", "auth login", "config validate"]) expect(out).toContain(`"${path}"`);
  }
});

test("help is there at every level, with examples", async () => {
  await using desk = testApp();
  for (const words of [[], ...wordsOf(program.commands)]) {
    const { out, code } = await desk.run([...words, "--help"]);
    expect(code).toBe(0);
    expect(out, words.join(" ")).toContain("Examples\n  ");
  }
});

function wordsOf(commands: typeof program.commands = []): readonly (readonly string[])[] {
  return commands.flatMap(({ name, commands }) => [
    [name],
    ...wordsOf(commands).map((rest) => [name, ...rest]),
  ]);
}
