import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { type JsonObject, type Progress, systemClock } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import { type BuildOptions, exportBuild } from "../src/export/build.ts";
import { presetNamed } from "../src/export/presets.ts";
import { editorEnvironment } from "../src/godot/environment.ts";
import { Project } from "../src/project/project.ts";
import { binaryAt } from "./godot-project.ts";
import { ONE_SCENE } from "./one-scene.ts";
import { realGodot } from "./real-godot.ts";
import { realTemplate } from "./real-template.ts";
import { openTestServer, type TestServer } from "./server-project.ts";

const FILES: Readonly<Record<string, string>> = {
  ...ONE_SCENE,
  "main.gd": `extends Node2D

func _ready() -> void:
	print("hello from the build")
`,
  "export_presets.cfg": `[preset.0]

name="Linux"
platform="Linux"
runnable=true
export_filter="all_resources"
include_filter=""
exclude_filter=""
export_path="build/game.x86_64"

[preset.0.options]

custom_template/debug=""
custom_template/release=""
binary_format/embed_pck=false
binary_format/architecture="x86_64"

[preset.1]

name="Windows"
platform="Windows Desktop"
runnable=true
export_filter="scenes"
export_files=PackedStringArray("res://gone.tscn")
include_filter=""
exclude_filter=""
export_path="../game.x86_64"

[preset.1.options]

custom_template/debug=""
custom_template/release="/nowhere/template.exe"
codesign/password="hush-hush"
`,
};

function open(files: Readonly<Record<string, string>> = {}): TestServer {
  return openTestServer({ files: { ...FILES, ...files }, flags: { godot: realGodot ?? "" } });
}

/** The path that Godot searches. */
async function installTemplate(server: TestServer, template = ""): Promise<void> {
  const status = await server.call("godot_workspace", { action: "status" });
  const { version } = (status.result as { godot: { version: string } }).godot;
  const folder = path.join(server.root, "../home/.local/share/godot/export_templates", version);
  mkdirSync(folder, { recursive: true });
  symlinkSync(template, path.join(folder, "linux_release.x86_64"));
}

const build = (server: TestServer, args: JsonObject = {}) =>
  server.call("godot_export", { action: "build", preset: "Linux", ...args });

/** Without the tool around it. */
async function packDirectly(server: TestServer, options: Partial<BuildOptions>) {
  const preset = await presetNamed(new Project(server.root, () => systemClock.now()), "Linux");
  if (!preset.ok) throw new Error(preset.failure.message);
  const home = path.join(server.root, "../home");
  return exportBuild(preset.value, {
    binary: binaryAt(realGodot),
    project: server.root,
    env: editorEnvironment({ PATH: process.env.PATH, HOME: home }, home),
    kind: "pack",
    target: { res: "res://build/game.pck", absolute: path.join(server.root, "build/game.pck") },
    overwrite: true,
    clock: systemClock,
    signal: new AbortController().signal,
    timeoutMs: 120_000,
    progress: () => {},
    ...options,
  });
}

describe.skipIf(realGodot === undefined)("export", { timeout: 180_000 }, () => {
  it("lists presets with what is wrong with each, and none of their passwords", async () => {
    const server = open();
    const answer = await server.call("godot_export", { action: "presets" });
    expect(answer).toMatchObject({ ok: true, summary: "2 presets, 1 with errors." });
    const { presets } = answer.result as { presets: { name: string; problems: { message: string }[] }[] };
    expect(presets.map(({ name, problems }) => [name, problems.map(({ message }) => message)])).toEqual([
      [
        "Linux",
        [
          "The folder of build/game.x86_64 is not there.",
          expect.stringMatching(
            /^There is no template for release builds at .+\/linux_release\.x86_64; packs/,
          ),
          expect.stringMatching(/^There is no template for debug builds at .+\/linux_debug\.x86_64; packs/),
        ],
      ],
      [
        "Windows",
        [
          "../game.x86_64 does not end with .exe.",
          "../game.x86_64 lies outside the project.",
          expect.stringContaining("/nowhere/template.exe"),
          expect.stringMatching(/windows_debug_x86_64\.exe/),
          "It exports res://gone.tscn, which is not there.",
        ],
      ],
    ]);
    expect(JSON.stringify(answer)).not.toContain("hush");
  });

  it("makes a pack without templates and runs it", async () => {
    const server = open();
    expect(await build(server, { kind: "pack", smoke: true })).toMatchObject({
      ok: true,
      summary: expect.stringContaining("It ended with 0 after 60 frames or before, without an error."),
      result: {
        path: "res://build/game.pck",
        files: [{ path: "res://build/game.pck", bytes: expect.any(Number) }],
        problems: [],
        smoke: { isFine: true, exit: 0, output: expect.arrayContaining(["hello from the build"]) },
      },
    });
    expect(readdirSync(path.join(server.root, "build")).sort()).toEqual([".gdignore", "game.pck"]);
    expect(
      await server.call("godot_export", { action: "smoke_run", path: "res://build/game.pck", frames: 5 }),
    ).toMatchObject({ ok: true, result: { isFine: true } });
  });

  it("tells the errors of a build that fails, with file, line and trace", async () => {
    const server = open({
      "main.gd": `extends Node2D

func _ready() -> void:
	push_warning("soon")
	fight()

func fight() -> void:
	var weapon: Object = null
	weapon.free()
`,
    });
    const { result, summary } = await build(server, { kind: "pack", smoke: true });
    expect(summary).toMatch(/It ended with 0; 2 problems, first: .+'free'/);
    expect(result).toMatchObject({
      smoke: {
        isFine: false,
        problems: [
          { severity: "warning", message: "soon", file: "res://main.gd", line: 4 },
          {
            severity: "error",
            file: "res://main.gd",
            line: 9,
            stack: [
              { file: "res://main.gd", line: 9, function: "fight" },
              { file: "res://main.gd", line: 5, function: "_ready" },
            ],
          },
        ],
      },
    });
  });

  it.skipIf(realTemplate === undefined)("makes a release build that runs", async () => {
    const server = open();
    await installTemplate(server, realTemplate);
    expect(await build(server, { smoke: true, path: "res://out/hero.x86_64" })).toMatchObject({
      ok: true,
      result: {
        path: "res://out/hero.x86_64",
        files: [{ path: "res://out/hero.pck" }, { path: "res://out/hero.x86_64" }],
        smoke: { isFine: true, output: expect.arrayContaining(["hello from the build"]) },
      },
    });
  });

  it("says what to install where a template is missing, and which presets there are", async () => {
    const server = open();
    expect(await build(server)).toMatchObject({
      ok: false,
      error: {
        code: "E_NOT_FOUND",
        suggestedFix: expect.stringMatching(/Manage Export Templates.+export_templates.+A pack can be made/),
      },
    });
    expect(await build(server, { preset: "Linus", kind: "pack" })).toMatchObject({
      error: { code: "E_NOT_FOUND", suggestedFix: "Did you mean Linux?" },
    });
    expect(await build(server, { kind: "pack", path: "res://main.gd" })).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining("ends with .pck or .zip") },
    });
    expect(await build(server, { preset: "Windows", kind: "pack" })).toMatchObject({
      error: { code: "E_PERMISSION_DENIED" },
    });
    expect(readFileSync(path.join(server.root, "main.gd"), "utf8")).toBe(FILES["main.gd"]);
  });

  it("keeps the build before it when Godot cannot make the new one", async () => {
    const server = open({ "build/game.pck": "the one before" });
    server.write(
      "export_presets.cfg",
      (FILES["export_presets.cfg"] ?? "")
        .replace('name="Windows"', 'name="Linux 2"')
        .replaceAll('platform="Linux"', 'platform="Lunix"'),
    );
    expect(await build(server, { kind: "pack", overwrite: true })).toMatchObject({
      ok: false,
      error: { code: "E_UNSUPPORTED", message: expect.stringContaining("No build was changed") },
    });
    expect(server.read("build/game.pck")).toBe("the one before");
    expect(readdirSync(path.join(server.root, ".godot_mcp/exports"))).toEqual([]);
  });

  it("replaces no folder, and no file that a build did not leave there, without overwrite", async () => {
    const server = open({ "keep.pck/notes.txt": "mine", "data.zip": "mine", "build/game.pck": "mine" });
    await installTemplate(server, realGodot);
    expect(await build(server, { kind: "pack", path: "res://keep.pck", overwrite: true })).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining("res://keep.pck is a folder") },
    });
    expect(await build(server, { kind: "pack", path: "res://data.zip" })).toMatchObject({
      error: { code: "E_PERMISSION_DENIED", suggestedFix: expect.stringContaining("overwrite") },
    });
    // The pack next to the executable is no known build either.
    expect(await build(server)).toMatchObject({
      error: { code: "E_PERMISSION_DENIED", details: { path: "res://build/game.pck" } },
    });
    expect(existsSync(path.join(server.root, "build/game.x86_64"))).toBe(false);
    for (const file of ["keep.pck/notes.txt", "data.zip", "build/game.pck"])
      expect(server.read(file)).toBe("mine");

    expect(await build(server, { kind: "pack", overwrite: true })).toMatchObject({ ok: true });
    expect(await build(server, { kind: "pack" })).toMatchObject({ ok: true });
    server.write("build/game.pck", "mine again");
    expect(await build(server, { kind: "pack" })).toMatchObject({ error: { code: "E_PERMISSION_DENIED" } });
    expect(server.read("build/game.pck")).toBe("mine again");
  });

  it("says so when the disk does not take the build", async () => {
    const server = open({ build: "a file where the folder should be" });
    expect(await packDirectly(server, {})).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining("did not let res://build/game.pck be written") },
    });
  });

  it("tells how far it is, and when cancelled leaves nothing behind", async () => {
    const server = open({ "build/game.pck": "the one before" });
    const cancel = new AbortController();
    const heard: Progress[] = [];
    const built = await packDirectly(server, {
      signal: cancel.signal,
      progress(progress) {
        heard.push(progress);
        cancel.abort();
      },
    });
    expect(built).toMatchObject({ ok: false, failure: { code: "E_TIMEOUT" } });
    expect(heard[0]).toMatchObject({ done: expect.any(Number), message: expect.stringContaining(": ") });
    expect(server.read("build/game.pck")).toBe("the one before");
    expect(readdirSync(path.join(server.root, ".godot_mcp/exports"))).toEqual([]);
  });

  it("adds a preset that Godot takes", async () => {
    const server = openTestServer({
      files: { ...FILES, "export_presets.cfg": "" },
      flags: { godot: realGodot ?? "" },
    });
    const add = { action: "add_preset", preset: "Demo", platform: "Linux", path: "res://bin/demo.x86_64" };
    expect(await server.call("godot_export", add)).toMatchObject({ ok: true });
    expect(await server.call("godot_export", { ...add, preset: "Second" })).toMatchObject({ ok: true });
    expect(await server.call("godot_export", add)).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION", message: 'There is a preset "Demo" already.' },
    });
    expect(await server.call("godot_export", { ...add, platform: "Amiga" })).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION" },
    });
    expect(await build(server, { preset: "Second", kind: "pack" })).toMatchObject({
      ok: true,
      result: { path: "res://bin/demo.pck" },
    });
    expect(existsSync(path.join(server.root, "bin/demo.pck"))).toBe(true);
  });
});
