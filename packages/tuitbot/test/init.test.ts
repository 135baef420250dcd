import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cast } from "@toolpact/x-sandbox";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import type { Prompts } from "../src/app/prompts.ts";
import { type TestApp, testApp } from "./command-line.ts";
import { type MadeUpX, madeUpX } from "./made-up-x.ts";
import { modelServer } from "./model-server.ts";

/** A person who answers by what the question contains, and takes what is proposed otherwise. */
function person(answers: Readonly<Record<string, string | boolean | (() => never)>>) {
  const screen: string[] = [];
  const answer = <T>(message: string, proposed: T): T => {
    screen.push(`? ${message} [${String(proposed)}]`);
    const found = Object.entries(answers).find(([part]) => message.includes(part))?.[1];
    if (typeof found === "function") return found();
    // The tests give each question an answer of its kind.
    return (found as T | undefined) ?? proposed;
  };
  const prompts: Prompts = {
    intro: (title) => screen.push(title),
    note: (title, text) => screen.push(title, text),
    step: (text) => screen.push(text),
    warn: (text) => screen.push(`! ${text}`),
    outro: (text) => screen.push(text),
    text: async ({ message, initial = "", check }) => {
      const given = answer(message, initial);
      expect(check?.(given), message).toBeUndefined();
      return given;
    },
    secret: async (message) => answer(message, ""),
    confirm: async (message, initial) => answer(message, initial),
    choose: async (message, options, initial) => {
      const chosen = answer(message, initial);
      expect(options.map(({ value }) => value)).toContain(chosen);
      return chosen;
    },
  };
  return { prompts, screen: () => screen.join("\n") };
}

function init(desk: TestApp, x: MadeUpX, answers: Parameters<typeof person>[0], env: NodeJS.ProcessEnv = {}) {
  const who = person(answers);
  const { TUITBOT_X_API__CLIENT_ID: _, ...others } = x.env;
  const ran = desk.run(["init"], {
    env: { ...others, ...env },
    machine: { ...x.how.machine, prompts: async () => who.prompts },
    typed: () => "y",
  });
  return ran.then((result) => ({ ...result, screen: who.screen() }));
}

const file = (desk: TestApp) => join(desk.home, ".tuitbot/config.toml");
const app = { "Client ID": "desk-app", "Open https": false };

describe("tuitbot init", () => {
  test("leads from nothing to a signed-in account, a file, a client and a dry post, and posts nothing", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    for (const text of [
      "#sourdough needs time.",
      "My starter woke up. #sourdough",
      "Bakers, what is your #sourdough?",
    ])
      x.sandbox.say(cast.owner, text);
    mkdirSync(join(desk.home, ".cursor"));
    const before = x.sandbox.world.posts.size;
    const { code, err, screen } = await init(desk, x, {
      ...app,
      "dollars a day": "2",
      "dollars a month": "20",
      "What you post about": "Crumb",
      "in one sentence": "A timer for bakers.",
      "Your time zone": "America/New_York",
      "Times for posts": "08:15, Mon 18:30",
      "Hours of the day": "7-20",
      "Notify you": "ntfy",
      "ntfy topic": "crumb-8f3a2c",
      "Your name": "Ana",
    });
    expect(code, err).toBe(0);
    // Word for word what X's console asks for.
    for (const line of [
      "https://console.x.com",
      "App permissions              Read and write and Direct message",
      "Type of App                  Native App",
      `Callback URI / Redirect URL  http://127.0.0.1:${x.env.TUITBOT_AUTH__CALLBACK_PORT}/callback`,
    ])
      expect(screen).toContain(line);
    expect(screen).toContain("Signed in as @sandbox_owner");
    expect(screen).toMatch(/Read \d+ posts\..* X charged \$0\.\d+\./);
    expect(screen).toMatch(/\? Keywords to find posts by.* \[(.*, )?sourdough/);
    expect(screen).toMatch(/\? How you write.* \[short sentences, .*emoji, .*hashtags\]/);
    expect(screen).toContain("Dry run: nothing was sent");
    expect(screen).toContain("It would wait until you approve it");
    expect(x.sandbox.world.posts.size).toBe(before);

    const written = readFileSync(file(desk), "utf8");
    expect(structuredClone(parse(written))).toMatchObject({
      x_api: { client_id: "desk-app" },
      budget: { max_usd_per_day: 2, max_usd_per_month: 20 },
      business: { product_name: "Crumb", product_description: "A timer for bakers." },
      schedule: {
        timezone: "America/New_York",
        posting_slots: ["08:15", "Mon 18:30"],
        active_hours_start: 7,
        active_hours_end: 20,
      },
      notify: { people: [{ name: "Ana", role: "owner", ntfy_topic: "crumb-8f3a2c" }] },
    });
    expect(screen).toContain("tuitbot run --web");
    expect(written).toContain("# Maximum cost of an account per day (UTC).");
    expect(statSync(file(desk)).mode & 0o777).toBe(0o600);
    const { mcpServers } = JSON.parse(readFileSync(join(desk.home, ".cursor/mcp.json"), "utf8"));
    expect(mcpServers.tuitbot.args.slice(-2)).toEqual(["--list", "everyday"]);
    expect(readdirSync(join(desk.home, ".tuitbot")).filter((name) => name.includes(".new"))).toEqual([]);
  });

  test("again, it keeps everything and changes nothing", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    await init(desk, x, { ...app, "MCP clients": "later" });
    const first = readFileSync(file(desk), "utf8");
    const again = await init(desk, x, { "MCP clients": "later" });
    expect(again.code).toBe(0);
    expect(again.screen).toContain("Keep the X app with the client id desk-app?");
    expect(again.screen).toContain("Stay signed in as this account?");
    expect(again.screen).not.toContain("Write this?");
    expect(readFileSync(file(desk), "utf8")).toBe(first);
  });

  test("a file of one's own keeps its comments and order, and each change is shown before it is written", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    mkdirSync(join(desk.home, ".tuitbot"));
    writeFileSync(
      file(desk),
      '# mine\n[budget]\nmax_usd_per_day = 1 # enough\n\n[x_api]\nclient_id = "desk-app"\n',
    );
    const ran = await init(desk, x, { "Sign in": "later", "dollars a day": "3", "MCP clients": "later" });
    expect(ran.screen).toContain(`Changes of ${file(desk)}`);
    expect(ran.screen).toContain("budget.max_usd_per_day: 1 → 3");
    expect(readFileSync(file(desk), "utf8")).toMatch(/^# mine\n\[budget\]\nmax_usd_per_day = 3 # enough\n/);
  });

  test("a refusal writes nothing", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    const ran = await init(desk, x, { ...app, "Write this?": false });
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("Nothing was written.") });
    expect(existsSync(file(desk))).toBe(false);
    expect(existsSync(join(desk.home, ".tuitbot"))).toBe(false);
  });

  test.each(["Client ID", "Write this?"])("Ctrl-C at %j leaves no file", async (question) => {
    await using desk = testApp();
    await using x = await madeUpX();
    const stop = new AbortController();
    const who = person({
      ...app,
      [question]: () => {
        stop.abort();
        throw stop.signal.reason;
      },
    });
    const { TUITBOT_X_API__CLIENT_ID: _, ...env } = x.env;
    const machine = { ...x.how.machine, prompts: async () => who.prompts };
    const ran = await desk.run(["init"], { env, machine, typed: () => "y", signal: stop.signal });
    expect(ran.code).toBe(130);
    expect(readdirSync(desk.home)).toEqual([]);
  });

  test("the answers about a model are written, with the key never shown", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    const { screen } = await init(desk, x, {
      ...app,
      "Sign in": "later",
      "Language model": "openai",
      "API key": "hunter2",
      "Type of App": "web",
      "Client Secret": "hunter3",
      "MCP clients": "later",
    });
    expect(screen).not.toMatch(/hunter\d/);
    expect(structuredClone(parse(readFileSync(file(desk), "utf8")))).toMatchObject({
      x_api: { client_secret: "hunter3" },
      llm: { provider: "openai", api_key: "hunter2" },
    });
  });

  test("a language model describes the voice; one that fails is replaced by counting", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    await using model = await modelServer();
    model.says("wry, exact, no emoji\nand more", { status: 401 });
    const llm = { TUITBOT_LLM__BASE_URL: model.url };
    const answers = { ...app, "Language model": "openai", "API key": "k", "MCP clients": "later" };
    const described = await init(desk, x, answers, llm);
    expect(described.screen).toContain(
      "? How you write: the tone of drafts and replies [wry, exact, no emoji]",
    );
    expect(model.requests[0]?.system).toContain("never instructions");
    await using other = testApp();
    const counted = await init(other, x, answers, llm);
    expect(counted.screen).toContain("! The language model did not answer");
    expect(counted.screen).toMatch(/\? How you write.* \[short sentences/);
  });

  test("an invalid file is left alone, and the command reports it", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    mkdirSync(join(desk.home, ".tuitbot"));
    writeFileSync(file(desk), "moed = 1\n");
    const ran = await init(desk, x, {});
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("Did you mean mode?") });
    expect(readFileSync(file(desk), "utf8")).toBe("moed = 1\n");
  });

  test("without a terminal it says what to do instead", async () => {
    await using desk = testApp();
    const ran = await desk.run(["init"]);
    expect(ran.code).toBe(2);
    for (const line of ["tuitbot config init", "tuitbot auth login --manual", "tuitbot mcp setup"])
      expect(ran.err).toContain(line);
  });
});
