import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { effectiveConfig } from "./effective-config.ts";
import { configKeys } from "./keys.ts";
import { configPath, type LoadedConfig, loadConfig } from "./load.ts";
import { problemLine } from "./problem.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tuitbot-config-"));
  mkdirSync(join(home, ".tuitbot"));
});

afterEach(() => rmSync(home, { recursive: true }));

function place(env: NodeJS.ProcessEnv = {}, argument?: string) {
  return { home, cwd: home, env, argument };
}

function write(toml: string, file = ".tuitbot/config.toml"): void {
  writeFileSync(join(home, file), toml);
}

async function loaded(env?: NodeJS.ProcessEnv, argument?: string): Promise<LoadedConfig> {
  const result = await loadConfig(place(env, argument));
  if (!result.ok) throw new Error(result.failure.problems.map(problemLine).join("\n"));
  return result.value;
}

async function problems(env?: NodeJS.ProcessEnv, argument?: string): Promise<string[]> {
  const result = await loadConfig(place(env, argument));
  return result.ok ? [] : result.failure.problems.map(problemLine);
}

describe("where it comes from", () => {
  test("no file and an empty file mean the same", async () => {
    const without = await loaded();
    write("");
    const empty = await loaded();
    expect(empty.values).toEqual(without.values);
    expect(without.file).toBeUndefined();
    expect(empty.values).toMatchObject({ approval_mode: true, max_batch_approve: 25, mode: "autopilot" });
  });

  test("every path that begins at home is there, also of keys that are new", async () => {
    expect(JSON.stringify((await loaded()).values)).not.toContain('"~');
  });

  test("the argument wins over TUITBOT_CONFIG, which wins over the usual place", async () => {
    write('[x_api]\nclient_id = "usual"');
    write('[x_api]\nclient_id = "variable"', "variable.toml");
    write('[x_api]\nclient_id = "argument"', "argument.toml");
    expect((await loaded()).values.x_api.client_id).toBe("usual");
    expect((await loaded({ TUITBOT_CONFIG: "~/variable.toml" })).values.x_api.client_id).toBe("variable");
    const both = await loaded({ TUITBOT_CONFIG: "~/variable.toml" }, "argument.toml");
    expect(both.values.x_api.client_id).toBe("argument");
    expect(both.file).toBe(join(home, "argument.toml"));
  });

  test("a file that is named must be there", async () => {
    expect(await problems({}, "absent.toml")).toEqual(["The file does not exist."]);
    expect(configPath(place()).path).toBe(join(home, ".tuitbot/config.toml"));
  });

  test("paths are made whole: ~ is home, the rest is relative to the file", async () => {
    write('[storage]\ndb_path = "data/t.db"\n[media]\nroots = ["~/pictures", "/srv/media"]');
    const { storage, media, auth } = (await loaded()).values;
    expect(storage.db_path).toBe(join(home, ".tuitbot/data/t.db"));
    expect(media.roots).toEqual([join(home, "pictures"), "/srv/media"]);
    expect(auth.token_file).toBe(join(home, ".tuitbot/tokens.json"));
  });
});

describe("the environment", () => {
  test("sets keys of every kind and wins over the file", async () => {
    write('mode = "autopilot"\n[x_api]\nclient_id = "file"\npremium = true');
    const { values, fromEnvironment } = await loaded({
      TUITBOT_MODE: "composer",
      TUITBOT_X_API__CLIENT_ID: "variable",
      TUITBOT_X_API__PREMIUM: "no",
      TUITBOT_SERVER__PORT: "4000",
      TUITBOT_SCORING__THRESHOLD: "62.5",
      TUITBOT_TARGETS__ACCOUNTS: "ada, grace ,",
      TUITBOT_SCHEDULE__PREFERRED_TIMES_OVERRIDE: '{"Mon":["09:00"]}',
    });
    expect(values.mode).toBe("composer");
    expect(values.x_api).toMatchObject({ client_id: "variable", premium: false });
    expect(values.server.port).toBe(4000);
    expect(values.scoring.threshold).toBe(62.5);
    expect(values.targets.accounts).toEqual(["ada", "grace"]);
    expect(values.schedule.preferred_times_override).toEqual({ Mon: ["09:00"] });
    expect(fromEnvironment).toContain("x_api.client_id");
  });

  test("has one variable for every key, and no two keys share one", () => {
    const names = configKeys().map(({ env }) => env);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^TUITBOT_[A-Z_]+$/);
  });

  test("a mistyped variable is named with the one it looks like", async () => {
    expect(await problems({ TUITBOT_X_API__CLIENTID: "x" })).toEqual([
      "TUITBOT_X_API__CLIENTID is not a setting. Did you mean TUITBOT_X_API__CLIENT_ID?",
    ]);
    expect(await problems({ TUITBOT_X_API_CLIENT_ID: "x", TUITBOT_APROVAL_MODE: "true" })).toEqual([
      "TUITBOT_X_API_CLIENT_ID is not a setting. Did you mean TUITBOT_X_API__CLIENT_ID?",
      "TUITBOT_APROVAL_MODE is not a setting. Did you mean TUITBOT_APPROVAL_MODE?",
    ]);
    expect(await problems({ TUITBOT_CONFG: "x" })).toEqual([
      "TUITBOT_CONFG is not a setting. Did you mean TUITBOT_CONFIG?",
    ]);
    expect(await problems({ TUITBOT_SOMETHING_ELSE_ENTIRELY: "x" })).toEqual([
      "TUITBOT_SOMETHING_ELSE_ENTIRELY is not a setting.",
    ]);
  });

  test("a bad value names the variable that set it", async () => {
    expect(await problems({ TUITBOT_SERVER__PORT: "many", TUITBOT_APPROVAL_MODE: "maybe" })).toEqual([
      "approval_mode must be true or false (set by TUITBOT_APPROVAL_MODE).",
      "server.port must be a number (set by TUITBOT_SERVER__PORT).",
    ]);
  });

  test("under a host of unattended agents a person approves, unless the operator says otherwise", async () => {
    write("approval_mode = false");
    expect((await loaded()).values.approval_mode).toBe(false);
    expect((await loaded({ OPENCLAW_HOME: "/x" })).values.approval_mode).toBe(true);
    const overruled = await loaded({ OPENCLAW_HOME: "/x", TUITBOT_APPROVAL_MODE: "0" });
    expect(overruled.values.approval_mode).toBe(false);
  });
});

describe("what is wrong", () => {
  test("is reported all at once, unknown keys with the nearest known one", async () => {
    write(`
mood = "calm"
client_id = "abc"
[x_api]
client_ident = "abc"
plan = "free"
base_url = "http://example.com"
[limits]
max_tweets_per_day = 0
[schedule]
timezone = "Mars/Olympus"
active_days = ["Monday"]
[lllm]
provider = "openai"
`);
    expect(await problems()).toMatchInlineSnapshot(`
      [
        "x_api.plan must be one of "self_serve", "enterprise".",
        "x_api.base_url must be an https address, or http on this machine.",
        "x_api.client_ident is not a setting. Did you mean x_api.client_id?",
        "limits.max_tweets_per_day must be 1 or more.",
        "schedule.timezone is not an IANA time zone such as Europe/Vienna.",
        "schedule.active_days.0 must be one of "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun".",
        "mood is not a setting.",
        "client_id is not a setting. Did you mean x_api.client_id?",
        "lllm is not a setting. Did you mean llm?",
      ]
    `);
  });

  test("rules between keys hold", async () => {
    write(`
[ads]
consumer_key = "a"
[limits]
min_action_delay_seconds = 200
max_tweets_per_day = 2
[llm]
provider = "openai"
[mcp_policy]
blocked_tools = ["x_like_tweet"]
rules = [{ id = "a", action = { type = "allow" } }, { id = "a", action = { type = "dry_run" } }]
[schedule]
preferred_times = ["auto"]
[server]
host = "0.0.0.0"
[storage]
url = "mysql://x"
`);
    expect((await problems()).map((line) => line.split(" ")[0])).toEqual([
      "ads",
      "limits.min_action_delay_seconds",
      "llm.api_key",
      "mcp_policy.blocked_tools",
      "mcp_policy.rules",
      "schedule.preferred_times",
      "server.token",
      "storage.url",
    ]);
  });

  test("is reported without its line, which may hold a secret", async () => {
    write('[llm]\napi_key = "hunter2-secret\n');
    const [line] = await problems();
    expect(line).toMatch(/^Line 2, column \d+ is not TOML: .+\.$/);
    expect(line).not.toContain("hunter2");
  });

  test.each([
    ["JSON", '{ "mode": "composer", "llm": { "api_key": "hunter2" } }'],
    ["JSON", '{\n  "mode": "composer",\n}'],
    ["YAML", "mode: composer\nllm:\n  api_key: hunter2\n"],
    ["YAML", "---\n# mine\nx_api:\n  client_id: hunter2\n"],
  ])("%s in place of TOML is recognized, and the error shows the TOML form", async (format, text) => {
    write(text);
    const lines = await problems();
    expect(lines).toEqual([
      expect.stringMatching(`^The file is ${format}, and tuitbot reads TOML\\. Write `),
    ]);
    expect(lines.join()).toContain('mode = "composer"');
    expect(lines.join()).not.toContain("hunter2");
  });

  test("a file with another ending in the usual place is named, not passed over", async () => {
    write("mode: composer", ".tuitbot/config.yaml");
    expect(await problems()).toEqual([
      `${join(home, ".tuitbot/config.yaml")} is not read: tuitbot reads ${join(home, ".tuitbot/config.toml")}, in TOML. Write \`mode = "composer"\` for \`mode: composer\`, and the line \`[x_api]\` above the keys of x_api. \`tuitbot config init\` writes a file to start from.`,
    ]);
    write('mode = "composer"');
    expect((await loaded()).values.mode).toBe("composer");
  });

  const APPROVAL_KEY = "0f".repeat(32);
  /** In recognizable formats. */
  const SECRETS: Readonly<Record<string, string>> = {
    "storage.url": "postgres://u:hunter2@h/d",
    "notify.smtp_url": "smtps://u:hunter2@h",
    "approvals.key": APPROVAL_KEY,
  };

  test("a secret never shows", async () => {
    const people = [{ name: "Ana", ntfy_topic: "hunter2", webhook_url: "https://hook.example/hunter2" }];
    const env: Record<string, string> = {
      ...Object.fromEntries(
        configKeys()
          .filter(({ isSecret }) => isSecret)
          .map((key) => [key.env, SECRETS[key.name] ?? "hunter2"]),
      ),
      TUITBOT_NOTIFY__PEOPLE: JSON.stringify(people),
    };
    const config = effectiveConfig(await loaded(env), place(env));
    expect(Object.keys(env)).toHaveLength(18);
    for (const secret of ["hunter2", APPROVAL_KEY])
      expect(JSON.stringify(config.masked())).not.toContain(secret);
    expect(config.masked().x_api).toMatchObject({ client_secret: "********" });
    expect(config.masked().notify).toMatchObject({ people: [{ name: "Ana", ntfy_topic: "********" }] });
  });

  test("credentials in an address that is called are refused, and in any other never show", async () => {
    const address = "https://ana:hunter2@proxy.example";
    const lines = await problems({ TUITBOT_X_API__BASE_URL: address, TUITBOT_LLM__BASE_URL: address });
    expect(lines).toEqual([
      expect.stringMatching(/^x_api.base_url must not contain a user name or password/),
      expect.stringMatching(/^llm.base_url must not contain a user name or password/),
    ]);
    expect(lines.join()).not.toContain("hunter2");
    const env = {
      TUITBOT_BUSINESS__PRODUCT_URL: address,
      TUITBOT_LLM__BASE_URL: "https://llm.example/v1?deployment=hunter2&key=hunter2#a",
    };
    const shown = effectiveConfig(await loaded(env), place(env)).masked();
    expect(shown.business).toMatchObject({ product_url: "https://[secret]@proxy.example" });
    expect(shown.llm).toMatchObject({ base_url: "https://llm.example/v1?********#a" });
  });
});

test.each([
  "http://169.254.169.254/hook",
  "http://[::ffff:169.254.169.254]/hook",
  "http://[fe80::1]/hook",
  "http://10.0.0.1/hook",
  "http://0.0.0.0/hook",
  "http://127.0.0.1.example.com/hook",
  "http://localhost.example.com/hook",
  "ftp://127.0.0.1/hook",
  "file:///etc/passwd",
  "https://ana:secret@hook.example/",
])("no address such as %s is called", async (address) => {
  const people = JSON.stringify([{ name: "Ana", webhook_url: address }]);
  for (const env of [
    { TUITBOT_NOTIFY__PEOPLE: people },
    { TUITBOT_LLM__BASE_URL: address },
    { TUITBOT_X_API__BASE_URL: address },
    { TUITBOT_NOTIFY__NTFY_URL: address },
    { TUITBOT_NOTIFY__SLACK_API_URL: address },
    { TUITBOT_NOTIFY__TELEGRAM_API_URL: address },
  ])
    expect(await problems(env)).not.toEqual([]);
});

test("composer mode always asks for approval", async () => {
  const env = { TUITBOT_MODE: "composer", TUITBOT_APPROVAL_MODE: "false" };
  expect(effectiveConfig(await loaded(env), place(env)).approvalMode).toBe(true);
});

test("a running server sees what the file says now", async () => {
  const config = effectiveConfig(await loaded(), place());
  expect(await config.check()).toMatchObject({ valid: true, errors: [] });
  expect((await config.check()).warnings).toContain(
    "x_api.client_id is not set: `tuitbot auth login` needs it.",
  );
  write('mode = "turbo"');
  expect(await config.check()).toEqual({
    valid: false,
    errors: ['mode must be one of "autopilot", "composer".'],
    warnings: [],
  });
});
