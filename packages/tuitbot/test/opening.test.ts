import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { handshakeOf } from "@toolpact/contract/preload";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { usualOpening } from "../src/cli/mcp/open.early.ts";
import { isUsual } from "../src/cli/mcp/usual-environment.ts";
import { form } from "../src/config/form.prebuilt.ts";
import { fitted } from "../src/config/form.ts";
import { configKeys } from "../src/config/keys.ts";
import { configSchema } from "../src/config/schema.ts";
import { isWorkflowProfile, profiles } from "../src/profiles.ts";
import { catalogFor } from "../src/server/catalog.ts";
import { everydayTools } from "../src/server/everyday.ts";
import { narrowSurface } from "../src/server/narrow-surface.ts";
import { selectTools } from "../src/server/selection.ts";
import { createServer, type ServerSetting } from "../src/server/server.ts";
import { surfaceFor } from "../src/server/surface.ts";
import { cleanEnv, tuitbotCommand } from "./live-server.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tuitbot-opening-"));
  mkdirSync(join(home, ".tuitbot"));
  writeFileSync(join(home, ".tuitbot/tokens.json"), "{}");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const configured = (toml: string) => writeFileSync(join(home, ".tuitbot/config.toml"), toml);
const opened = (words: readonly string[]) => usualOpening(words, { env: {}, home, cwd: home });

describe("what is said before the tools are loaded", () => {
  test.each(profiles)("of a part of %s is what a catalogue of these tools alone says", async (profile) => {
    const whole = surfaceFor(profile);
    const names = catalogFor(profile).tools.map(({ name }) => name);
    const check = (tools: readonly string[]): void => {
      const made = surfaceFor(profile, catalogFor(profile).select({ tools }));
      expect(narrowSurface(whole, profile, tools)).toEqual(made);
    };
    check(names);
    for (const telling of ["list_drafts", "list_pending_approvals", "x_post_tweet"])
      check(names.filter((name) => name !== telling));
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

  const everyday = { listed: [...everydayTools, "find_tools"] };
  test.each<[words: string, served: Partial<ServerSetting>]>([
    ...profiles.map((profile): [string, Partial<ServerSetting>] => [`--profile ${profile}`, { profile }]),
    ["--list everyday", everyday],
    ["--profile=admin --list=everyday", { ...everyday, profile: "admin" }],
    ["--no-output-schemas", { outputSchemas: false }],
    ["--list everyday --no-output-schemas", { ...everyday, outputSchemas: false }],
    ["--list all --toolsets everyday", { selected: everydayTools }],
  ])("with %s is what the server says", async (words, served) => {
    const { app, profile } = await createServer({
      profile: "write",
      config: { values: configSchema.parse({}), file: undefined, fromEnvironment: [] },
      place: { env: {}, home, cwd: home },
      account: async () => Promise.reject(new Error("nothing is called")),
      isStored: false,
      isSandbox: false,
      ...served,
    });
    const opening = handshakeOf(app.surface, {
      toolsChange: served.listed !== undefined,
      hasTasks: isWorkflowProfile(profile),
    });
    expect({ ...(await opened(words.split(" "))) }).toEqual({ ...opening });
  });

  test.each([
    ["an option that is none", ["--profil", "write"], ""],
    ["a profile that is none", ["--profile", "writ"], ""],
    ["a value that is missing", ["--profile"], ""],
    ["an option twice", ["--profile", "write", "--profile", "readonly"], ""],
    ["HTTP", ["--http"], ""],
    ["the sandbox", ["--sandbox"], ""],
    ["a toolset that is none", ["--toolsets", "reads"], ""],
    ["a short list of a profile without one", ["--profile", "readonly", "--list", "everyday"], ""],
    ["a file that is not there", ["--config", "none.toml"], ""],
    ["a file that is no TOML", [], "mode: composer"],
    ["a key that is none", [], "approval_mod = true"],
    ["a value that is wrong", [], 'mode = "x"'],
    ["an address that is not trusted", [], '[x_api]\nbase_url = "http://x.example"'],
    ["keys that contradict each other", [], "[limits]\nmin_action_delay_seconds = 500"],
    ["a tool that is none", [], '[mcp_policy]\nblocked_tools = ["x_post_twet"]'],
    ["several accounts", [], "[accounts.news]"],
  ])("leaves %s to the command", async (_, words, toml) => {
    configured(toml);
    expect(await opened(words)).toBeUndefined();
  });

  test("is not said to anybody while nobody is signed in, or where the environment says more", async () => {
    rmSync(join(home, ".tuitbot/tokens.json"));
    expect(await opened([])).toBeUndefined();
    expect(isUsual({ HOME: home, TUITBOT_SANDBOX: "until_signed_in" })).toBe(true);
    for (const name of ["TUITBOT_AGENT_TOKEN", "TUITBOT_ACCOUNT", "TUITBOT_MODE", "OTEL_TRACES_EXPORTER"])
      expect(isUsual({ [name]: "x" })).toBe(false);
  });

  test("with a policy is said at once", async () => {
    configured(`[mcp_policy]
blocked_tools = ["x_delete_tweet"]
[[mcp_policy.rules]]
id = "no-deletes"
conditions = { tools = ["x_delete_tweet"], categories = ["delete"], modes = ["autopilot"] }
action = { type = "deny", reason = "Deleting waits." }
`);
    expect(await opened([])).toMatchObject({ name: "tuitbot" });
  });
});

describe("a configuration that is checked without its schema", () => {
  test("is what the schema makes of it", () => {
    const usual = {
      mode: "composer",
      x_api: { client_id: "a", base_url: "http://127.0.0.1:8080/x", timeout_ms: 100 },
      business: { product_keywords: ["rye", "sourdough"] },
      mcp_policy: { rules: [{ id: "a", action: { type: "deny" } }] },
      server: { port: 3001, token: "t" },
    };
    expect(fitted(form, {})).toEqual({ value: configSchema.parse({}) });
    expect(fitted(form, usual)).toEqual({ value: configSchema.parse(usual) });
  });

  test("is never taken where the schema refuses it, nor read otherwise", () => {
    const value = fc.oneof(
      fc.constantFrom(
        "",
        "a",
        "autopilot",
        "https://a.example",
        "http://a.example",
        "https://u:p@a.example",
        "22:00",
      ),
      fc.constantFrom(-1, 0, 1, 2.5, 100, 70_000, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60),
      fc.boolean(),
      fc.constantFrom([], ["a"], [""], [1], {}, null, [{ id: "x" }], new Date(0)),
    );
    const settings = fc.array(fc.tuple(fc.constantFrom(...configKeys()), value), { maxLength: 3 });
    let taken = 0;
    fc.assert(
      fc.property(settings, (chosen) => {
        const toml: Record<string, Record<string, unknown>> = {};
        const put = (section: string, key: string, said: unknown) =>
          section === ""
            ? Object.assign(toml, { [key]: said })
            : Object.assign(toml, { [section]: { ...toml[section], [key]: said } });
        for (const [{ section, key, fallback, choices }, said] of chosen)
          put(section, key, said === true && fallback !== undefined ? (choices[0] ?? fallback) : said);
        const fit = fitted(form, toml);
        if (fit === undefined) return;
        taken++;
        expect(fit.value).toEqual(configSchema.parse(toml));
      }),
      { numRuns: 2_000 },
    );
    expect(taken).toBeGreaterThan(200);
  });
});

test("a client on stdio is opened to, listed to and served in one conversation", async () => {
  const child = spawn(tuitbotCommand.command, [...tuitbotCommand.args, "mcp", "serve"], {
    env: cleanEnv(home),
    stdio: ["pipe", "pipe", "pipe"],
  });
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
  expect(answers.map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(answers[2]?.result).toMatchObject({ structuredContent: { data: expect.anything() } });
});
