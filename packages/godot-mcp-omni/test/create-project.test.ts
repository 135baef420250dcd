import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { allTools } from "../src/tools/all.ts";
import { realGodot } from "./real-godot.ts";
import { SAMPLE_CALLS } from "./sample-calls.ts";
import { openTestServer } from "./server-project.ts";
import { startStdioServer } from "./stdio-server.ts";

const create = { action: "project.create", name: "Maze" };
const BEFORE = ["godot_workspace status", "godot_workspace doctor_report", "godot_project project.create"];

describe("a server on a folder without a project", () => {
  it("reports that there is no project and writes nothing into the folder", async () => {
    const { call, root } = await startStdioServer({ files: {} });
    expect(await call("godot_workspace", { action: "status" })).toMatchObject({
      ok: true,
      summary: expect.stringMatching(/There is no project yet.*godot_project project\.create/),
      result: { project: null, folder: root, modes: ["files"] },
    });
    expect(await call("godot_workspace", { action: "doctor_report" })).toMatchObject({
      ok: true,
      result: {
        ok: false,
        checks: expect.arrayContaining([
          expect.objectContaining({
            name: "project",
            status: "failed",
            fix: expect.stringContaining("godot_project project.create"),
          }),
        ]),
      },
    });
    for (const { tool, action = "", args } of SAMPLE_CALLS) {
      const needs = allTools.get(tool)?.needs ?? [];
      const worksOnProject = needs.includes("project") || needs.includes("workspace");
      if (BEFORE.includes(`${tool} ${action}`) || !worksOnProject) continue;
      expect(await call(tool, args), `${tool} ${action}`).toMatchObject({
        ok: false,
        error: {
          code: "E_NOT_FOUND",
          message: expect.stringContaining("no project yet"),
          suggestedFix: expect.stringContaining("godot_project project.create"),
        },
      });
    }
    expect(existsSync(root)).toBe(false);
  });

  it("creates a project, edits it, and undoes both", async () => {
    const { call, root } = await startStdioServer({ files: {} });
    const file = path.join(root, "project.godot");
    expect(await call("godot_project", create)).toMatchObject({
      ok: true,
      result: { name: "Maze", path: root, saved: true },
      files: [{ pathAbs: file, resPath: "res://project.godot" }],
    });
    expect(readFileSync(file, "utf8")).toMatchInlineSnapshot(`
      "config_version=5

      [application]

      config/name="Maze"
      config/features=PackedStringArray("4.6", "Forward Plus")
      "
    `);
    expect(await call("godot_workspace", { action: "status" })).toMatchObject({ result: { project: root } });
    expect(await call("godot_project", { action: "project_info.get" })).toMatchObject({
      result: { name: "Maze", godotVersion: "4.6" },
    });
    const scene = { scene: "res://main.tscn" };
    expect(await call("godot_scene", { action: "new", ...scene })).toMatchObject({ ok: true });

    for (let step = 0; step < 2; step++)
      expect(await call("godot_scene", { action: "undo" })).toMatchObject({ ok: true });
    expect(existsSync(file)).toBe(false);
    expect(await call("godot_scene", { action: "new", ...scene })).toMatchObject({
      ok: false,
      error: { code: "E_NOT_FOUND" },
    });
    expect(await call("godot_project", create)).toMatchObject({ ok: true });

    const log = readFileSync(path.join(root, ".godot_mcp/audit.log"), "utf8");
    const logged = log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { action: string });
    expect(logged.map(({ action }) => action)).toEqual([
      ...["project.create", "status", "project_info.get", "new", "undo", "undo", "new", "project.create"],
    ]);
  });

  it("does again what was taken back, the project first", async () => {
    const { call, root } = openTestServer({ files: {} });
    await call("godot_project", create);
    await call("godot_scene", { action: "new", scene: "res://main.tscn" });
    for (let step = 0; step < 2; step++) await call("godot_scene", { action: "undo" });
    for (const file of ["project.godot", "main.tscn"]) {
      expect(existsSync(path.join(root, file))).toBe(false);
      expect(await call("godot_scene", { action: "redo" })).toMatchObject({ ok: true });
      expect(existsSync(path.join(root, file))).toBe(true);
    }
  });

  it("keeps the project that is there already, also from two who make one at once", async () => {
    const { call, read, root } = openTestServer({ files: {} });
    const answers = await Promise.all([
      call("godot_project", create),
      call("godot_project", { ...create, name: "Other" }),
    ]);
    const [created, refused] = answers.toSorted((a, b) => Number(b.ok) - Number(a.ok));
    expect(created).toMatchObject({ ok: true, result: { name: expect.stringMatching(/^(Maze|Other)$/) } });
    expect(refused).toMatchObject({
      error: { code: "E_PERMISSION_DENIED", message: `There already is a project in ${root}.` },
    });
    const before = read("project.godot");
    expect(await call("godot_project", { ...create, name: "Other" })).toMatchObject({
      ok: false,
      error: { code: "E_PERMISSION_DENIED", details: { gate: "overwrite" } },
    });
    expect(read("project.godot")).toBe(before);
    expect(before).toContain(`"${answers[0].ok ? "Maze" : "Other"}"`);
  });

  it("names it after its folder, and takes any name as it is", async () => {
    const unnamed = openTestServer({ files: {} });
    await unnamed.call("godot_project", { action: "project.create", renderer: "gl_compatibility" });
    expect(unnamed.read("project.godot")).toContain('config/name="game"');
    expect(unnamed.read("project.godot")).toContain('renderer/rendering_method="gl_compatibility"');
    const odd = openTestServer({ files: {} });
    const name = 'Say "hi"\n[section]\\';
    await odd.call("godot_project", { ...create, name });
    expect(await odd.call("godot_project", { action: "project_info.get" })).toMatchObject({
      result: { name },
    });
  });

  it("creates no project without a name", async () => {
    const { call, root } = openTestServer({ files: {} });
    expect(await call("godot_project", { ...create, name: " " })).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION", suggestedFix: expect.stringContaining("name") },
    });
    expect(existsSync(root)).toBe(false);
  });

  it("refuses in a folder that may not be written, and on a read-only server", async () => {
    const { call, root } = openTestServer({ files: {} });
    mkdirSync(root);
    chmodSync(root, 0o555);
    onTestFinished(() => chmodSync(root, 0o755));
    expect(await call("godot_project", create)).toMatchObject({
      ok: false,
      error: { code: "E_PERMISSION_DENIED", details: { gate: "file_system" } },
    });
    expect(readdirSync(root)).toEqual([]);
    const reading = openTestServer({ files: {}, flags: { "read-only": true } });
    expect(await reading.call("godot_project", create)).toMatchObject({
      error: { code: "E_PERMISSION_DENIED", details: { gate: "READ_ONLY" } },
    });
    const { summary } = await reading.call("godot_workspace", { action: "status" });
    expect(summary).toContain("There is no project yet");
    expect(summary).not.toContain("project.create");
    expect(existsSync(reading.root)).toBe(false);
  });

  it("makes none in a place that is no folder", async () => {
    const { call } = openTestServer({ flags: { project: "notes.txt" }, files: { "../notes.txt": "" } });
    expect(await call("godot_project", create)).toMatchObject({
      error: { code: "E_NOT_FOUND", suggestedFix: expect.stringContaining("--project FOLDER") },
    });
  });
});

it.skipIf(realGodot === undefined)(
  "a project that was made opens in Godot without an error, as one of its version",
  async () => {
    const { call, root, read } = openTestServer({ files: {}, flags: { godot: realGodot ?? "" } });
    expect(await call("godot_project", { ...create, renderer: "gl_compatibility" })).toMatchObject({
      ok: true,
    });
    const { stdout, stderr } = await promisify(execFile)(
      realGodot ?? "",
      ["--headless", "--path", root, "--editor", "--quit"],
      { env: { PATH: process.env.PATH, HOME: path.join(path.dirname(root), "home") } },
    );
    expect(`${stdout}${stderr}`).not.toMatch(/error|warning/i);
    const [major, minor] = /Engine v(\d+)\.(\d+)/.exec(stdout)?.slice(1) ?? [];
    expect(read("project.godot")).toContain(`PackedStringArray("${major}.${minor}", "GL Compatibility")`);
    expect(await call("godot_scene", { action: "new", scene: "res://main.tscn" })).toMatchObject({
      ok: true,
      execution: { mode: "engine" },
    });
  },
  120_000,
);

it("trusts a project that it made from nothing, and none in a folder that held files", async () => {
  const trusted = async (files: Readonly<Record<string, string>>) => {
    const { call } = openTestServer({ files, flags: { trust: undefined } });
    expect(await call("godot_project", { action: "project.create" })).toMatchObject({ ok: true });
    return (await call("godot_workspace", { action: "status" })).result?.trusted;
  };
  expect(await trusted({ "README.md": "A game.\n", ".gitignore": ".godot\n" })).toBe(true);
  expect(await trusted({ "evil.gd": "@tool\nextends Node\n" })).toBe(false);
  expect(await trusted({ ".godot/extension_list.cfg": "res://evil.gdextension\n" })).toBe(false);
  expect(await trusted({ "override.cfg": "" })).toBe(false);
});
