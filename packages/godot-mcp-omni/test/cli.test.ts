import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { runInMemory } from "@toolpact/cli/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { program } from "../src/cli/program.ts";
import { childEnvironment, GAME, writeFiles } from "./server-project.ts";

function commandLine(files: Readonly<Record<string, string>> = GAME) {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "godot-cli-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = path.join(base, "game");
  writeFiles(root, files);
  mkdirSync(path.join(base, "home"));
  const env = { ...childEnvironment(base), GODOT_PATH: "" };
  let printed = "";
  const runUntil = async (signal: AbortSignal, ...words: string[]) => {
    printed = "";
    const machine = {
      home: path.join(base, "home"),
      cwd: root,
      platform: "linux",
      pause: async () => {},
      runtime: "/usr/bin/node",
      script: "/opt/godot-mcp-omni/bin/godot-mcp-omni.js",
    } as const;
    const onOut = (text: string) => {
      printed += text;
    };
    return runInMemory(program, words, machine, { env, signal, onOut });
  };
  const run = (...words: string[]) => runUntil(new AbortController().signal, ...words);
  return { root, base, run, runUntil, printed: () => printed };
}

describe("the command line", () => {
  it("prints help with examples and exit codes", async () => {
    const { run } = commandLine();
    const help = await run("--help");
    expect(help.code).toBe(0);
    expect(help.out).toContain("Exit codes");
    for (const words of [
      ["serve"],
      ["setup"],
      ["trust"],
      ["untrust"],
      ["doctor"],
      ["addon", "install"],
      ["call"],
      ["workflow", "run"],
      ["get-godot"],
    ])
      expect((await run(...words, "--help")).out, words.join(" ")).toContain("Examples");
    expect(await run("--version")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  it("offers every part of Godot that can be fetched", async () => {
    const { run } = commandLine();
    const script = readFileSync(path.join(import.meta.dirname, "../scripts/get-godot.sh"), "utf8");
    const parts = /--with ([a-z|]+)\]/.exec(script)?.[1]?.split("|") ?? [];
    expect(parts).toContain("template");
    expect((await run("get-godot", "--help")).out).toContain(`(${parts.join(", ")})`);
  });

  it("exits with different codes for wrong usage and for failure", async () => {
    const { run } = commandLine();
    expect(await run("serv")).toMatchObject({ code: 2, err: expect.stringContaining("Did you mean serve?") });
    expect(await run("call", "godot_meta", "--json", "{")).toMatchObject({ code: 2 });
    expect(await run("call", "godot_nope")).toMatchObject({ code: 2 });
    expect(await run("doctor", "--schema-style", "flatt")).toMatchObject({ code: 2 });
    expect(await run("doctor", "--toolsets", "scenes")).toMatchObject({
      code: 2,
      err: expect.stringContaining("toolset"),
    });
    expect(await run("call", "godot_scene", "--json", '{"action":"undo"}')).toMatchObject({ code: 1 });
    expect(await run("--project", "/nowhere", "addon", "status")).toMatchObject({ code: 1 });
  });

  it("calls a tool as a client would, of every toolset", async () => {
    const { run } = commandLine();
    const ran = await run("call", "godot_workflow", "--json", '{"action":"schema"}');
    expect(ran.code).toBe(0);
    expect(ran.json()).toMatchObject({ ok: true, meta: { tool: "godot_workflow" } });
  });

  it("finds the project above the working folder", async () => {
    const { run, root } = commandLine();
    const ran = await run("call", "godot_workspace", "--json", '{"action":"status"}');
    expect(ran.json()).toMatchObject({ result: { project: root } });
  });

  it("checks everything and says what to do, for people and for programs", async () => {
    const { run } = commandLine();
    const told = await run("doctor");
    expect(told).toMatchObject({ code: 0, out: expect.stringContaining("| ✓ | project |") });
    const json = await run("doctor", "--output", "json");
    expect(json.json()).toMatchObject({
      ok: true,
      checks: expect.arrayContaining([expect.objectContaining({ name: "addon", status: "warning" })]),
    });
    expect(await run("--project", "/nowhere", "doctor")).toMatchObject({ code: 1 });
  });

  it("installs and removes the addon, and leaves project.godot as it was", async () => {
    const { run, root } = commandLine();
    expect((await run("addon", "status")).out).toContain("Not installed");
    expect(await run("addon", "install")).toMatchObject({ code: 0 });
    expect(existsSync(path.join(root, "addons/godot_mcp_bridge/plugin.cfg"))).toBe(true);
    expect(readFileSync(path.join(root, "project.godot"), "utf8")).toContain(
      'enabled=PackedStringArray("res://addons/godot_mcp_bridge/plugin.cfg")',
    );
    expect((await run("addon", "status", "--output", "json")).json()).toMatchObject({
      installed: true,
      enabled: true,
      current: true,
    });
    // Godot puts a uid next to each script; other files there belong to the user.
    writeFiles(root, {
      "addons/godot_mcp_bridge/plugin.gd.uid": "uid://abc\n",
      "addons/godot_mcp_bridge/notes.txt": "mine\n",
    });
    expect(await run("addon", "remove")).toMatchObject({ code: 0 });
    expect(readdirSync(path.join(root, "addons/godot_mcp_bridge"))).toEqual(["notes.txt"]);
    expect(readFileSync(path.join(root, "project.godot"), "utf8").trimEnd()).toBe(
      GAME["project.godot"]?.trimEnd(),
    );
  });

  it("runs workflow files with variables, and says by its exit code how it went", async () => {
    const { run, root } = commandLine();
    const steps = [
      {
        tool: "godot_scene",
        args: { action: "create", scene: "res://main.tscn", type: "Node2D", name: `\${vars.name}` },
      },
    ];
    writeFileSync(path.join(root, "add.json"), JSON.stringify({ schemaVersion: 1, steps }));
    expect(await run("workflow", "run", "add.json", "--var", "name=Made", "--dry-run")).toMatchObject({
      code: 0,
    });
    expect(readFileSync(path.join(root, "main.tscn"), "utf8")).not.toContain('"Made"');
    expect(await run("workflow", "run", "add.json", "--var", "name=Made")).toMatchObject({
      code: 0,
      out: "1 of 1 steps passed.\n",
    });
    expect(readFileSync(path.join(root, "main.tscn"), "utf8")).toContain('"Made"');
    expect(await run("workflow", "run", "add.json")).toMatchObject({
      code: 1,
      err: expect.stringContaining("vars.name"),
    });
    expect(await run("workflow", "run", "none.json")).toMatchObject({ code: 1 });
    expect(await run("workflow", "run", "add.json", "--var", "name=Be,e")).toMatchObject({ code: 0 });
    expect(readFileSync(path.join(root, "main.tscn"), "utf8")).toContain('"Be,e"');
    expect(await run("workflow", "run", "add.json", "--var", "name=A", "--var", "nmae=B")).toMatchObject({
      code: 1,
      err: expect.stringContaining("nmae"),
    });
  });

  it("keeps running while a workflow pauses", async () => {
    const { base, root } = commandLine();
    const steps = [
      {
        tool: "godot_workspace",
        args: { action: "connect", timeoutMs: 100 },
        retries: 1,
        retryDelayMs: 100,
        expectOk: false,
      },
    ];
    const file = path.join(root, "wait.json");
    writeFileSync(file, JSON.stringify({ schemaVersion: 1, steps }));
    const cli = path.join(import.meta.dirname, "../src/main.ts");
    const ran = await promisify(execFile)(
      process.execPath,
      ["--conditions=toolpact-source", cli, "--project", root, "workflow", "run", file],
      { env: { ...childEnvironment(base), GODOT_PATH: "" } },
    );
    expect(ran.stdout).toBe("1 of 1 steps passed.\n");
  }, 60_000);

  it("shows what it would write into clients, and writes it on request", async () => {
    const { run, base, root } = commandLine();
    const shown = await run("setup", "--client", "claude-code,codex,cursor,vscode,opencode,qwen-code");
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining("Nothing was written") });
    expect(existsSync(path.join(base, "home/.claude.json"))).toBe(false);
    expect(await run("setup", "--client", "claude-code", "--read-only", "--yes")).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(path.join(base, "home/.claude.json"), "utf8"))).toMatchObject({
      mcpServers: {
        godot: {
          type: "stdio",
          command: "/usr/bin/node",
          args: [
            "/opt/godot-mcp-omni/bin/godot-mcp-omni.js",
            ...["--project", root, "--read-only", "--toolsets", "all", "serve"],
          ],
        },
      },
    });
  });

  it("gives all toolsets to clients that search them or never list again, unless some are chosen", async () => {
    const { run, base } = commandLine();
    const written = (file: string) => readFileSync(path.join(base, "home", file), "utf8");
    const clients = "codex,qwen-code,opencode,cursor";
    expect(await run("setup", "--client", clients, "--yes")).toMatchObject({ code: 0 });
    for (const file of [".codex/config.toml", ".qwen/settings.json"])
      expect(written(file), file).toMatch(/"--toolsets",\s*"all"/);
    for (const file of [".config/opencode/opencode.json", ".cursor/mcp.json"])
      expect(written(file), file).not.toContain("--toolsets");
    expect(await run("setup", "--client", clients, "--yes", "--toolsets", "scene")).toMatchObject({
      code: 0,
    });
    for (const file of [".codex/config.toml", ".config/opencode/opencode.json"])
      expect(written(file), file).toMatch(/"--toolsets",\s*"scene"/);
  });

  it("gives flat schemas to clients that drop tools or arguments of others", async () => {
    const { run, base } = commandLine();
    const written = (file: string) => readFileSync(path.join(base, "home", file), "utf8");
    const clients = "claude-code,codex,cursor";
    expect(await run("setup", "--client", clients, "--yes", "--schema-style", "oneOf")).toMatchObject({
      code: 0,
    });
    for (const file of [".claude.json", ".codex/config.toml"])
      expect(written(file), file).not.toContain("oneOf");
    expect(written(".cursor/mcp.json")).toMatch(/"--schema-style",\s*"oneOf"/);
  });

  it("trusts a project by its real path, shows what is trusted, and takes it back", async () => {
    const { run, base, root } = commandLine();
    const trusted = async () =>
      (await run("call", "godot_workspace", "--json", '{"action":"status"}')).json();
    const command = `/usr/bin/node /opt/godot-mcp-omni/bin/godot-mcp-omni.js trust ${root}`;
    expect(await trusted()).toMatchObject({
      result: { trusted: false },
      summary: expect.stringContaining(command),
    });
    expect((await run("setup", "--client", "cursor", "--yes")).out).toContain(command);
    expect((await run("addon", "install")).out).toContain(command);
    expect((await run("doctor")).out).toContain(command);

    symlinkSync(root, path.join(base, "link"));
    const ran = await run("trust", "../link");
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining(`${root} is trusted`) });
    expect(ran.out).toContain("editor plugin: res://addons/godot_mcp_bridge/plugin.cfg");
    expect((await run("trust", "--list")).out).toBe(`${root}\n`);
    expect(await trusted()).toMatchObject({ result: { trusted: true } });
    expect((await run("setup", "--client", "cursor")).out).not.toContain("not trusted");

    renameSync(root, path.join(base, "moved"));
    cpSync(path.join(base, "moved"), path.join(base, "copy"), { recursive: true });
    for (const other of ["moved", "copy"])
      expect((await run("--project", path.join(base, other), "doctor")).out).toContain("Not trusted");
    renameSync(path.join(base, "moved"), root);
    expect((await run("untrust")).out).toContain("is not trusted any more");
    expect((await run("trust", "--list")).out).toBe("No project is trusted.\n");
    expect(await trusted()).toMatchObject({ result: { trusted: false } });
  });

  it("stops every change of a project until it is resumed, and says so", async () => {
    const { run, root } = commandLine();
    const write = '{"action":"file.write","path":"res://a.txt","content":"x"}';
    const change = async () => (await run("call", "godot_code", "--json", write)).json();
    expect(await run("resume")).toMatchObject({ code: 0, out: expect.stringContaining("was not stopped") });
    expect(await run("stop")).toMatchObject({ code: 0, out: expect.stringContaining(root) });
    expect(await change()).toMatchObject({ error: { details: { gate: "STOPPED", by: "command" } } });
    expect((await run("doctor")).out).toContain("A person has stopped all changes by agents");
    expect(await run("resume")).toMatchObject({ code: 0, out: expect.stringContaining("again") });
    expect(await change()).toMatchObject({ ok: true });
  });

  it("says of a command for one project that several are named", async () => {
    const { run } = commandLine();
    for (const name of ["doctor", "stop", "trust"])
      expect(await run("--project", "a=x", "--project", "b=y", name)).toMatchObject({
        code: expect.toSatisfy((code: number) => code !== 0),
        err: expect.stringContaining("works on one project"),
      });
  });

  it("sets up a folder for a project that an agent will make, if the folder is there", async () => {
    const { run, base } = commandLine();
    const setup = ["setup", "--client", "claude-code"];
    mkdirSync(path.join(base, "empty"));
    expect(await run("--project", path.join(base, "empty"), ...setup)).toMatchObject({
      code: 0,
      out: expect.stringContaining(path.join(base, "empty")),
    });
    expect(await run("--project", path.join(base, "emtpy"), ...setup)).toMatchObject({
      code: 1,
      err: expect.stringContaining("There is no folder"),
    });
  });

  it("serves clients with the token over HTTP until it is stopped", async () => {
    const { runUntil, printed } = commandLine();
    const stopping = new AbortController();
    const running = runUntil(
      stopping.signal,
      "serve",
      "--http",
      "0",
      "--token",
      "sesame-sesame",
      "--output",
      "json",
    );
    await expect.poll(printed, { timeout: 20_000 }).toContain("http://127.0.0.1:");
    const { url } = JSON.parse(printed()) as { url: string };
    const ask = (headers: Record<string, string>) =>
      fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
      });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ authorization: "Bearer sesame-sesame" })).status).not.toBe(401);
    stopping.abort();
    expect((await running).code).toBe(0);
    const { run } = commandLine();
    expect(await run("serve", "--http", "0.0.0.0:0")).toMatchObject({
      code: 1,
      err: expect.stringContaining("token"),
    });
    expect(await run("serve", "--http", "nowhere:x")).toMatchObject({ code: 2 });
  });

  it("makes a token at the first start over HTTP, keeps it private, and asks for it on loopback too", async () => {
    const { base, run, runUntil, printed } = commandLine();
    const file = path.join(base, "home/.config/godot-mcp-omni/http.token");
    const servedWith = async (words: readonly string[], origin?: string) => {
      const stopping = new AbortController();
      const running = runUntil(stopping.signal, "serve", "--http", "0", "--output", "json", ...words);
      await expect.poll(printed, { timeout: 20_000 }).toContain("http://127.0.0.1:");
      const { url, token } = JSON.parse(printed()) as { url: string; token?: string };
      const ask = async (shown: string | undefined) =>
        (
          await fetch(url, {
            method: "POST",
            headers: {
              "content-type": "application/json",
              accept: "application/json, text/event-stream",
              ...(shown !== undefined && { authorization: `Bearer ${shown}` }),
              ...(origin !== undefined && { origin }),
            },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
          })
        ).status;
      const statuses = { without: await ask(undefined), with: await ask(token ?? "none") };
      stopping.abort();
      return { token, statuses, err: (await running).err };
    };
    const first = await servedWith([]);
    expect(first.statuses).toEqual({ without: 401, with: 200 });
    expect(readFileSync(file, "utf8")).toBe(first.token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = await servedWith([]);
    expect(second.token).toBe(first.token);

    const page = "http://localhost:3000";
    expect((await servedWith([], page)).statuses.with).toBe(403);
    expect((await servedWith(["--allowed-origins", page], page)).statuses.with).toBe(200);

    const open = await servedWith(["--no-token"]);
    expect(open).toMatchObject({ token: undefined, statuses: { without: 200 } });
    expect(open.err).toContain("every program and user on this machine may call");

    chmodSync(file, 0o644);
    expect(await run("serve", "--http", "0")).toMatchObject({
      code: 1,
      err: expect.stringContaining("Other users can read the token"),
    });
  });

  it("reads settings from the user's file, which a flag overrules", async () => {
    const { run, base } = commandLine();
    writeFiles(base, { "home/.config/godot-mcp-omni/config.json": '{"readOnly": true}' });
    const args = ["call", "godot_asset", "--json", '{"action":"create_folder","path":"res://x"}'];
    expect(await run(...args)).toMatchObject({ code: 1, out: expect.stringContaining("READ_ONLY") });
    writeFiles(base, { "other.json": "{}" });
    expect(await run("--config", path.join(base, "other.json"), ...args)).toMatchObject({ code: 0 });
    expect(await run("--config", path.join(base, "none.json"), ...args)).toMatchObject({ code: 1 });
  });
});
