import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { JsonObject } from "@toolpact/contract";
import type { OkEnvelope } from "@toolpact/contract/internal";
import { describe, expect, onTestFinished, test } from "vitest";
import { projectsGiven } from "../src/config/find-project.ts";
import { Project } from "../src/project/project.ts";
import { stopChanges } from "../src/project/state-folder.ts";
import { TrustedProjects } from "../src/project/trust.ts";
import { installAddon } from "../src/workspace/addon.ts";
import { realGodot } from "./real-godot.ts";
import { childEnvironment, GAME, writeFiles } from "./server-project.ts";

const scene = "res://main.tscn";

interface StartOptions {
  readonly godot?: string | undefined;
  readonly args?: readonly string[];
  /** Names both by default. */
  readonly projects?: (folders: { readonly one: string; readonly two: string }) => readonly string[];
}

async function startTwo(options: StartOptions = {}) {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "godot-several-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const folders = { one: path.join(base, "a=b"), two: path.join(base, "two") };
  for (const folder of Object.values(folders)) writeFiles(folder, GAME);
  writeFiles(base, { "home/.keep": "" });
  const env = { ...childEnvironment(base), GODOT_PATH: options.godot ?? "" };
  const { projects = ({ one, two }) => ["--project", `one=${one}`, "--project", `two=${two}`] } = options;
  const start = async () => {
    const client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [
          "--conditions=toolpact-source",
          path.join(import.meta.dirname, "../src/main.ts"),
          ...projects(folders),
          ...["serve", "--toolsets", "all"],
          ...(options.args ?? []),
        ],
        env,
        cwd: base,
        stderr: "inherit",
      }),
    );
    onTestFinished(() => client.close());
    const call = async (tool: string, args: JsonObject) =>
      (await client.callTool({ name: tool, arguments: args })).structuredContent as unknown as OkEnvelope;
    return { client, call };
  };
  return {
    folders,
    env,
    start,
    read: (name: "one" | "two") => readFileSync(path.join(folders[name], "main.tscn"), "utf8"),
  };
}

const create = (project: string, name: string): JsonObject => ({
  action: "create",
  project,
  scene,
  type: "Node2D",
  name,
});

describe("a server of two projects", () => {
  test("asks in every schema which one is meant, and refuses a call that does not say", async () => {
    const { start } = await startTwo();
    const { client, call } = await start();
    const { tools } = await client.listTools();
    for (const { inputSchema } of tools)
      expect(inputSchema).toMatchObject({
        properties: { project: { enum: ["one", "two"] } },
        required: expect.arrayContaining(["project"]),
      });
    for (const project of [undefined, "three", 1, "__proto__"])
      expect(
        await call("godot_workspace", { action: "status", ...(project !== undefined && { project }) }),
      ).toMatchObject({
        ok: false,
        error: { code: "E_SCHEMA_VALIDATION", suggestedFix: "It is one of one, two." },
      });
  });

  test("keeps edits, undo, stops and resources of each apart", async () => {
    const { start, read, folders } = await startTwo();
    const { client, call } = await start();
    const before = read("two");
    const heard: string[] = [];
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void heard.push(params.uri),
    );
    const [inOne, inTwo] = ["godot://one/scene/main.tscn", "godot://two/scene/main.tscn"];
    const subscription = await client.listen({ resourceSubscriptions: [inOne, inTwo] });
    onTestFinished(() => subscription.close());
    expect(await call("godot_scene", create("one", "Mine"))).toMatchObject({ ok: true });
    expect(read("one")).toContain('name="Mine"');
    expect(read("two")).toBe(before);
    await expect.poll(() => heard).toContain(inOne);
    expect(heard).not.toContain(inTwo);
    const text = async (uri: string) => JSON.stringify((await client.readResource({ uri })).contents);
    expect(await text(inOne)).toContain("Mine");
    expect(await text(inTwo)).not.toContain("Mine");
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(["godot://one/selection", "godot://two/selection", "godot://error-codes"]),
    );
    // The journal of the one has nothing for the other.
    expect(await call("godot_scene", { action: "undo", project: "two" })).toMatchObject({
      ok: false,
      error: { code: "E_NOT_FOUND" },
    });
    expect(existsSync(path.join(folders.two, ".godot_mcp/journal"))).toBe(false);
    await stopChanges(folders.one, Date.now());
    expect(await call("godot_scene", create("one", "No"))).toMatchObject({
      ok: false,
      error: { details: { gate: "STOPPED" } },
    });
    expect(await call("godot_scene", create("two", "Yes"))).toMatchObject({ ok: true });
    // A path of the other is outside.
    expect(
      await call("godot_code", {
        action: "script.read",
        project: "two",
        path: path.join(folders.one, "player.gd"),
      }),
    ).toMatchObject({ ok: false, error: { code: "E_PERMISSION_DENIED" } });
  });

  test.skipIf(realGodot === undefined)(
    "trusts each separately, with its own engine and editor",
    async () => {
      const { start, read, folders, env } = await startTwo({ godot: realGodot });
      new TrustedProjects(env).add(folders.one);
      await installAddon(new Project(folders.one, () => 0));
      const { call } = await start();
      const status = async (project: string) =>
        (await call("godot_workspace", { action: "status", project })).result as JsonObject;
      expect(await status("one")).toMatchObject({ trusted: true, folder: folders.one, connected: false });
      expect(await status("two")).toMatchObject({ trusted: false, folder: folders.two });
      expect(await call("godot_scene", { ...create("two", "No"), mode: "engine" })).toMatchObject({
        ok: false,
        error: { details: { gate: "TRUST" } },
      });
      new TrustedProjects(env).add(folders.two);
      const made = await Promise.all(
        (["one", "two"] as const).map((project) =>
          call("godot_scene", { ...create(project, `In_${project}`), mode: "engine" }),
        ),
      );
      for (const answer of made) expect(answer).toMatchObject({ ok: true, execution: { mode: "engine" } });
      expect(read("one")).toContain("In_one");
      expect(read("one")).not.toContain("In_two");
      expect(read("two")).toContain("In_two");
      expect(
        await call("godot_workspace", {
          action: "launch",
          project: "one",
          headless: true,
          timeoutMs: 100_000,
        }),
      ).toMatchObject({ ok: true });
      expect(await status("one")).toMatchObject({ connected: true });
      expect(await status("two")).toMatchObject({ connected: false });
    },
    180_000,
  );
});

describe("what --project is given", () => {
  test("is a folder where there is one, whatever it looks like, and a name and a folder each where there are several", () => {
    expect(projectsGiven([])).toMatchObject({ value: { project: undefined, projects: [] } });
    expect(projectsGiven(["a=b"])).toMatchObject({ value: { project: "a=b", projects: [] } });
    expect(projectsGiven(["a=x", "b=/y=z"])).toMatchObject({
      value: {
        projects: [
          { name: "a", folder: "x" },
          { name: "b", folder: "/y=z" },
        ],
      },
    });
    for (const wrong of [
      ["x", "a=y"],
      ["a=x", "A=y"],
      ["a=x", "b="],
      ["a=x", "../b=y"],
    ])
      expect(projectsGiven(wrong)).toMatchObject({ ok: false, failure: { code: "E_SCHEMA_VALIDATION" } });
  });
});

describe("projectPath", () => {
  const status = (projectPath: string): JsonObject => ({ action: "status", projectPath });

  test("names one of several projects by its folder", async () => {
    const { start, folders } = await startTwo();
    const { call } = await start();
    for (const folder of [folders.two, `${folders.two}/`, `${folders.two}/project.godot`])
      expect(await call("godot_workspace", status(folder))).toMatchObject({
        ok: true,
        result: { folder: folders.two },
      });
    expect(await call("godot_workspace", { ...status(folders.two), project: "two" })).toMatchObject({
      ok: true,
    });
    for (const args of [status("/"), { ...status(folders.two), project: "one" }])
      expect(await call("godot_workspace", args)).toMatchObject({
        error: { code: "E_SCHEMA_VALIDATION", suggestedFix: "It is one of one, two." },
      });
  });

  test("is accepted by a server of one project for that project only", async () => {
    const { start, folders } = await startTwo({ projects: ({ one }) => ["--project", one] });
    const { client, call } = await start();
    expect(JSON.stringify((await client.listTools()).tools)).not.toContain("projectPath");
    expect(await call("godot_workspace", status(folders.one))).toMatchObject({ ok: true });
    expect(await call("godot_workspace", status(folders.two))).toMatchObject({
      error: { code: "E_PERMISSION_DENIED", details: { gate: "project_folder" } },
    });
    expect(await call("godot_workspace", status("two"))).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining("absolute path") },
    });
  });

  test("opens a project for a server that was started without one, and --trust is not about it", async () => {
    const { start, folders, read } = await startTwo({ projects: () => [], args: ["--trust"] });
    const { client, call } = await start();
    for (const { inputSchema } of (await client.listTools()).tools)
      expect(inputSchema).toMatchObject({
        properties: { projectPath: { type: "string" } },
        additionalProperties: false,
      });
    expect(client.getInstructions()).toContain("projectPath");
    expect(await call("godot_project", { action: "project_info.get" })).toMatchObject({
      error: { code: "E_NOT_FOUND", suggestedFix: expect.stringContaining("projectPath") },
    });
    expect(await call("godot_workspace", status(folders.one))).toMatchObject({
      ok: true,
      result: { folder: folders.one, trusted: false },
    });
    const { project: _, ...edit } = create("", "Mine");
    expect(await call("godot_scene", { ...edit, projectPath: folders.two })).toMatchObject({
      ok: true,
      meta: { tool: "godot_scene", action: "create" },
    });
    expect(read("two")).toContain('name="Mine"');
    expect(read("one")).not.toContain('name="Mine"');
    expect(readFileSync(path.join(folders.two, ".godot_mcp/audit.log"), "utf8")).toContain("Mine");
    expect(await call("godot_workspace", status(path.dirname(folders.one)))).toMatchObject({
      error: { code: "E_NOT_FOUND" },
    });
  });
});
