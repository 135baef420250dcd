import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { handshakeOf } from "@toolpact/contract/internal/preload";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { handshakeFor, hasDefaultEnvironment } from "../src/cli/mcp/preload-serve.ts";
import { configSchema } from "../src/config/schema.ts";
import { isWorkflowProfile, profiles } from "../src/profiles.ts";
import { catalogFor } from "../src/server/catalog.ts";
import { narrowSurface } from "../src/server/load-surface.ts";
import { everydayTools, selectTools } from "../src/server/selection.ts";
import { createServer, type ServerSetting } from "../src/server/server.ts";
import { surfaceFor, toolNames } from "../src/server/surface.ts";
import { cleanEnv, tuitbotCommand } from "./live-server.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tuitbot-preload-"));
  mkdirSync(join(home, ".tuitbot"));
  writeFileSync(join(home, ".tuitbot/tokens.json"), SIGN_IN);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const configured = (toml: string) => writeFileSync(join(home, ".tuitbot/config.toml"), toml);
const handshake = (words: readonly string[]) => handshakeFor(words, { env: {}, home, cwd: home });

describe("the handshake before the command is loaded", () => {
  test.each(profiles)("has the surface of the selected tools of %s", async (profile) => {
    const whole = surfaceFor(profile);
    const names = catalogFor(profile).tools.map(({ name }) => name);
    const check = (tools: readonly string[]): void => {
      const made = surfaceFor(profile, catalogFor(profile).select({ tools }));
      expect(narrowSurface(whole, profile, tools, toolNames())).toEqual(made);
    };
    check(names);
    for (const left of ["list_drafts", "list_pending_approvals", "x_post_tweet"])
      check(names.filter((name) => name !== left));
    for (const toolset of new Set(catalogFor(profile).tools.map(({ category }) => category))) {
      const selected = await selectTools(profile, { toolsets: [toolset] });
      if (!selected.ok) throw new Error(selected.failure);
      expect(selected.value).toEqual(
        catalogFor(profile)
          .select({ toolsets: [toolset] })
          .tools.map(({ name }) => name),
      );
      check(selected.value);
    }
    fc.assert(fc.property(fc.subarray(names, { minLength: 1 }), check), { numRuns: 4 });
  });

  const names = [...everydayTools(), "find_tools"];
  const everyday = { listed: { names, hasOutputSchemas: false } };
  test.each<[words: string, served: Partial<ServerSetting>]>([
    ...profiles.map((profile): [string, Partial<ServerSetting>] => [
      `--profile ${profile}`,
      { profile, ...(isWorkflowProfile(profile) && everyday) },
    ]),
    ["--list all", {}],
    ["--list everyday", everyday],
    ["--output-schemas", { listed: { names, hasOutputSchemas: true } }],
    ["--profile=admin --list=everyday", { ...everyday, profile: "admin" }],
    ["--list all --no-output-schemas", { outputSchemas: false }],
    ["--list everyday --no-output-schemas", { ...everyday, outputSchemas: false }],
    ["--profile readonly --list everyday", { profile: "readonly" }],
    ["--list all --toolsets everyday", { selected: everydayTools() }],
    ["--tools x_get_me,x_post_tweet --sandbox", { selected: ["x_get_me", "x_post_tweet"] }],
  ])("with %s is the server's own", async (words, served) => {
    const { app, profile } = await createServer({
      profile: "write",
      config: { values: configSchema.parse({}), file: undefined, fromEnvironment: [] },
      place: { env: {}, home, cwd: home },
      account: async () => Promise.reject(new Error("nothing is called")),
      isStored: false,
      isSandbox: false,
      ...served,
    });
    const expected = handshakeOf(app.surface, {
      toolsChange: served.listed !== undefined,
      hasTasks: isWorkflowProfile(profile),
    });
    expect({ ...(await handshake(words.split(" "))) }).toEqual({ ...expected });
  });

  test.each([
    ["an unknown option", ["--profil", "write"], ""],
    ["an unknown profile", ["--profile", "writ"], ""],
    ["a missing value", ["--profile"], ""],
    ["HTTP", ["--http"], ""],
    ["help", ["--help"], ""],
    ["an unknown toolset", ["--toolsets", "reads"], ""],
    ["several accounts", [], "[accounts.news]"],
  ])("is left to the command with %s", async (_, words, toml) => {
    configured(toml);
    expect(await handshake(words)).toBeUndefined();
  });

  test("is left to the command if the environment has an agent's token or telemetry", () => {
    expect(hasDefaultEnvironment({ HOME: home, TUITBOT_SANDBOX: "until_signed_in", TUITBOT_MODE: "x" })).toBe(
      true,
    );
    for (const name of ["TUITBOT_AGENT_TOKEN", "OTEL_TRACES_EXPORTER"])
      expect(hasDefaultEnvironment({ [name]: "x" })).toBe(false);
  });
});

test.each([
  ["an unknown key", "approval_mod = true", "approval_mod"],
  ["a wrong value", 'mode = "x"', "mode"],
  ["keys that contradict each other", "[limits]\nmin_action_delay_seconds = 500", "max_action_delay_seconds"],
  ["an unknown tool in the policy", '[mcp_policy]\nblocked_tools = ["x_post_twet"]', "x_post_twet"],
])(
  "a configuration with %s ends the server with a message about it, and no call is answered",
  async (_, toml, named) => {
    configured(toml);
    const { answers, stderr, code } = await talk();
    expect(code).toBe(1);
    expect(stderr).toContain(`The configuration ${join(home, ".tuitbot/config.toml")} is wrong:`);
    expect(stderr).toContain(named);
    expect(answers.map(({ id }) => id)).not.toContain(3);
  },
);

test.each(["", "garbage", "{}", "[]"])(
  "a server whose token file holds %j ends before it answers anything",
  async (content) => {
    writeFileSync(join(home, ".tuitbot/tokens.json"), content);
    const { answers, stderr, code } = await talk();
    expect(code).toBe(1);
    expect(answers).toEqual([]);
    expect(stderr).toContain("The file with the X tokens does not hold tokens. Run `tuitbot auth login`");
  },
);

test.each([
  ["", "the default place"],
  ['[auth]\ntoken_file = "elsewhere.json"', "the configured place"],
])(
  "a server without a sign-in (%j) ends before it answers anything, with a message that tells how to sign in",
  async (toml) => {
    rmSync(join(home, ".tuitbot/tokens.json"));
    configured(toml);
    const { answers, stderr, code } = await talk();
    expect(code).toBe(1);
    expect(answers).toEqual([]);
    expect(stderr).toContain("Nobody is signed in to X. Run `tuitbot auth login`");
  },
);

test.each([
  ["the default place", "", ".tuitbot/tokens.json"],
  ["a configured place", '[auth]\nkeep_in = "file"\ntoken_file = "../mine.json"\n[llm]', "mine.json"],
  ["a place in the home folder", "[auth]\ntoken_file = '~/mine.json'", "mine.json"],
])("the handshake does not wait for the command if the sign-in is in %s", async (_, toml, file) => {
  rmSync(join(home, ".tuitbot/tokens.json"));
  configured(toml);
  expect(await handshake([])).toBeUndefined();
  writeFileSync(join(home, file), SIGN_IN);
  expect(await handshake([])).toBeDefined();
  rmSync(join(home, file));
  expect(await handshake(["--sandbox"])).toBeDefined();
});

test("a client on stdio gets handshake, list and calls in one conversation", async () => {
  const { answers, code } = await talk();
  expect(code).toBe(0);
  expect(answers.map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(answers[2]?.result).toMatchObject({ structuredContent: { data: expect.anything() } });
});

/** A sign-in that has ended and cannot be renewed, so X is not asked. */
const SIGN_IN = JSON.stringify({ version: 1, access_token: "t", expires_at: 0, scopes: [] });

/** Sends a handshake, a list and a call to `tuitbot mcp serve`, and waits until it ends. */
async function talk() {
  const child = spawn(tuitbotCommand.command, [...tuitbotCommand.args, "mcp", "serve"], {
    env: cleanEnv(home),
    stdio: ["pipe", "pipe", "pipe"],
  });
  // A server that ends early closes the pipe.
  child.stdin.on("error", () => {});
  const exit = once(child, "exit");
  const stderr = child.stderr.setEncoding("utf8").toArray();
  const send = (id: number, method: string, params: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  const clientInfo = { name: "raw", version: "1" };
  send(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  send(2, "tools/list", {});
  send(3, "tools/call", { name: "get_capabilities", arguments: {} });
  const answers: { readonly id: number; readonly result: object }[] = [];
  let rest = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    answers.push(...lines.map((line) => JSON.parse(line)));
    if (answers.length === 3) child.stdin.end();
  }
  const [code] = await exit;
  return { answers, stderr: (await stderr).join(""), code };
}
