import { EFFECTS, type JsonObject } from "@toolpact/contract";
import type { OkEnvelope } from "@toolpact/contract/internal";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allTools } from "../src/tools/all.ts";
import { fakeEditor } from "./fake-editor.ts";
import { START_MS } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer, type TestServer } from "./server-project.ts";

const MAX_BYTES = 8000;
const LONG = "a_rather_long_name_for_a_thing_of_this_project";
const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

/** A map of 70 by 70 cells with 200 different tiles. */
function cells(): string {
  const data = Buffer.alloc(2 + 4900 * 12);
  for (let index = 0; index < 4900; index++)
    for (const [at, value] of [
      index % 70,
      Math.floor(index / 70),
      0,
      index % 20,
      Math.floor(index / 20) % 10,
    ].entries())
      data.writeUInt16LE(value, 2 + index * 12 + at * 2);
  return data.toString("base64");
}

/** A project in which every list is long. */
const BIG: Readonly<Record<string, string>> = {
  ...GAME,
  "project.godot": `${GAME["project.godot"]}
[autoload]

${many(80, (index) => `Auto${index}="*res://auto_${index}_${LONG}.gd"`).join("\n")}

[global]

${many(300, (index) => `setting_${index}_${LONG}="${LONG}"`).join("\n")}

[input]

${many(80, (index) => `act_${index}_${LONG}={\n"deadzone": 0.5,\n"events": [Object(InputEventKey,"resource_local_to_scene":false,"resource_name":"","device":-1,"window_id":0,"alt_pressed":false,"shift_pressed":false,"ctrl_pressed":false,"meta_pressed":false,"pressed":false,"keycode":0,"physical_keycode":${65 + (index % 26)},"key_label":0,"unicode":0,"location":0,"echo":false,"script":null)\n]\n}`).join("\n")}
`,
  "big.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://big.gd" id="1"]

[node name="Big" type="Control"]
script = ExtResource("1")
metadata/long = "${LONG.repeat(400)}"

${many(600, (index) => `[node name="N${index}_${LONG}" type="Node2D" parent="." groups=["g${index}_${LONG}"]]\nposition = Vector2(${index}, 1)\n`).join("\n")}
${many(200, (index) => `[connection signal="tree_exited" from="N${index}_${LONG}" to="." method="queue_free"]`).join("\n\n")}
`,
  "cells.tscn": `[gd_scene format=4]

[node name="Map" type="TileMapLayer"]
tile_map_data = PackedByteArray("${cells()}")
`,
  "groups.tscn": `[gd_scene format=3]

[node name="Root" type="Node" groups=[${many(300, (index) => `"g${index}_${LONG}"`).join(", ")}]]
`,
  "big.gd": `extends Control
${many(300, (index) => `signal s${index}_${LONG}\n@export var v${index}_${LONG}: int = ${index}`).join("\n")}
${many(300, (index) => `func f${index}_${LONG}(argument: int) -> void:\n\tpass`).join("\n\n\n")}
`,
  ...Object.fromEntries(many(300, (index) => [`files/file_${index}_${LONG}.txt`, "x"])),
  ...Object.fromEntries(
    many(80, (index) => [
      `broken/b${index}_${LONG}.tscn`,
      `[gd_scene format=3]\n\n[ext_resource type="Script" path="res://gone_${index}_${LONG}.gd" id="1"]\n\n[node name="A" type="Node"]\nscript = ExtResource("1")\n`,
    ]),
  ),
  ...Object.fromEntries(
    many(120, (index) => [
      `test/test_${index}_${LONG}.gd`,
      `extends RefCounted\n\nfunc test_${LONG}() -> void:\n\tpass\n`,
    ]),
  ),
  "export_presets.cfg": many(
    60,
    (index) =>
      `[preset.${index}]\n\nname="P${index}_${LONG}"\nplatform="Linux"\nexport_path="build/${index}_${LONG}"\n\n[preset.${index}.options]\n`,
  ).join("\n"),
};

const scene = "res://big.tscn";

/** A call of each reading action on the largest thing there is, without saying how much is wanted. */
const CALLS: Readonly<Record<string, readonly JsonObject[]>> = {
  "godot_asset file_exists": [{ path: scene }],
  "godot_asset list_resources": [{ folder: "res://files" }, { recursive: true }],
  "godot_asset search_files": [{ pattern: "*.txt" }],
  "godot_asset scene.read": [{ path: scene }],
  "godot_asset get_uid": [{ path: scene }],
  "godot_asset uid_convert": [{ uid: "uid://c4x8dq2yfwkqb" }],
  "godot_content cells.read": [{ scene: "res://cells.tscn", node: "." }],
  "godot_code script.read": [{ path: "res://big.gd" }],
  "godot_code file.search": [{ pattern: "file_" }],
  "godot_diagnostics scripts": [{}],
  "godot_diagnostics scenes": [{}],
  "godot_docs search": [{ query: "set" }],
  "godot_docs get_class": [
    { class: "Control" },
    { class: "RenderingServer" },
    { class: "@GlobalScope", contains: "key" },
  ],
  "godot_docs get_member": [{ class: "Control", member: "theme" }],
  "godot_inspector scene_tree.get": [{ scene }],
  "godot_inspector query": [{ scene, class: "Node2D" }],
  "godot_inspector inspect": [{ scene, node: "." }, { class: "Control" }],
  "godot_inspector property_list": [{ class: "Control" }, { scene, node: "." }],
  "godot_inspector method_list": [{ class: "Control" }],
  "godot_inspector signals.list": [{ scene, node: "." }],
  "godot_inspector signals.connections.list": [{ scene }],
  "godot_inspector groups.get": [{ scene: "res://groups.tscn", node: "." }],
  "godot_inspector get_property": [{ scene, node: ".", property: "size" }],
  "godot_meta server_info": [{}],
  "godot_meta tool_search": [{ query: "scene node" }],
  "godot_meta tool_help": allTools.tools.map(({ name }) => ({ tool: name })),
  "godot_meta enable_toolset": [{ toolset: "test" }],
  "godot_meta skill": [{ name: "make-a-platformer" }],
  "godot_meta read": [
    { tool: "godot_inspector", args: { action: "scene_tree.get", scene: "res://big.tscn" } },
  ],
  "godot_project project_info.get": [{}],
  "godot_project project_setting.get": [{}, { prefix: "global/" }],
  "godot_project input_map.get": [{}],
  "godot_scene history": [{}],
  "godot_test list": [{}],
  "godot_export presets": [{}],
  "godot_understand overview": [{}],
  "godot_understand graph": [{}, { format: "mermaid" }, { path: scene }],
  "godot_understand uses": [{ path: scene }, { name: "queue_free" }],
  "godot_understand search": [{ query: "a" }, { query: "a", what: "symbol" }],
  "godot_understand happens": [{ when: "method: _ready()" }],
  "godot_understand problems": ["unused", "missing", "cycles", "unread"].map((problem) => ({ problem })),
  "godot_understand spatial": [{ scene }],
  "godot_understand language": [{ ask: "symbols", path: "res://big.gd" }],
  "godot_workflow schema": [{}],
  "godot_workflow tools.list": [{}],
  "godot_workflow validate": [{ path: "res://flow.json" }],
  "godot_workspace status": [{}],
  "godot_workspace doctor_report": [{}],
};

/** Those of the open editor and of running games have separate tests. */
const ELSEWHERE = /^godot_(?:game|log|editor) |^godot_workspace (?:get_state|connect)$/;

describe.each(["files", ...(realGodot === undefined ? [] : ["engine"])])(
  "an answer about a big project, by %s",
  (mode) => {
    let server: TestServer;
    const undo: (() => void | Promise<void>)[] = [];
    beforeAll(() => {
      server = openTestServer({
        files: BIG,
        flags: { godot: mode === "files" ? "" : realGodot },
        later: (step) => undo.unshift(step),
      });
    });
    afterAll(async () => {
      for (const step of undo) await step();
    });

    it("covers every action that reads", () => {
      const reading = allTools.tools.flatMap((tool) =>
        tool.actions.flatMap(({ name }, index) =>
          EFFECTS[tool.effects[index] ?? "none"].mutates ? [] : [`${tool.name} ${name}`],
        ),
      );
      expect(reading.filter((name) => !ELSEWHERE.test(name)).sort()).toEqual(Object.keys(CALLS).sort());
    });

    it(
      "is at most 8 kB, unless more is asked for, and says how to go on",
      async () => {
        const large: string[] = [];
        for (const [name, calls] of Object.entries(CALLS)) {
          const [tool = "", action = ""] = name.split(" ");
          for (const args of calls) {
            const answer: OkEnvelope = await server.call(tool, { action, ...args });
            expect(server.bugs, name).toEqual([]);
            const bytes = Buffer.byteLength(JSON.stringify(answer));
            if (bytes > MAX_BYTES) large.push(`${name} ${JSON.stringify(args)}: ${bytes}`);
          }
        }
        expect(large).toEqual([]);
      },
      START_MS * 2,
    );

    it(
      "is longer if the call asks for more",
      async () => {
        const tree = await server.call("godot_inspector", { action: "scene_tree.get", scene, limit: 300 });
        expect(Buffer.byteLength(JSON.stringify(tree))).toBeGreaterThan(MAX_BYTES);
        const short = await server.call("godot_inspector", { action: "scene_tree.get", scene });
        expect(short.warnings?.join()).toContain("Narrow it with");
        const text = await server.call("godot_code", {
          action: "script.read",
          path: "res://big.gd",
          maxChars: 20_000,
        });
        expect(Buffer.byteLength(JSON.stringify(text))).toBeGreaterThan(MAX_BYTES);
      },
      START_MS,
    );
  },
);

it("a picture of the editor has no side longer than 1280, unless more is asked for", async () => {
  const server = openTestServer({ files: BIG });
  const { editors, folder } = await server.openBridge();
  const editor = await fakeEditor(folder, undefined, { project: server.root });
  await expect.poll(() => editors()).toHaveLength(1);
  for (const [args, maxSize] of [
    [{}, 1280],
    [{ maxSize: 2000 }, 2000],
  ] as const) {
    const answered = server.call("godot_editor", { action: "capture_viewport", ...args });
    const { id = 0, operation, params } = await editor.next();
    expect({ operation, params }).toEqual({ operation: "editor.screenshot", params: { maxSize } });
    editor.send({ id, ok: true, result: { png: "", width: 1, height: 1 } });
    expect(await answered).toMatchObject({ ok: true });
  }
});

it("a script is read to its end in pages", async () => {
  const { call } = openTestServer({ files: BIG });
  let text = "";
  for (let line: number | undefined = 1; line !== undefined; ) {
    const { result } = await call("godot_code", { action: "script.read", path: "res://big.gd", line });
    const page = result as { text: string; nextLine?: number };
    text += `${page.text}\n`;
    line = page.nextLine;
  }
  expect(text.trimEnd()).toBe(BIG["big.gd"]?.trimEnd());
});

it.skipIf(realGodot === undefined)(
  "the members of a class are read to the last in pages, each once",
  async () => {
    const { call } = openTestServer({ flags: { godot: realGodot } });
    const names: string[] = [];
    let total = -1;
    for (let after: number | undefined = 0; after !== undefined; ) {
      const answer = await call("godot_docs", { action: "get_class", class: "Control", after });
      const page = answer.result as { total: number; next?: number } & Record<
        string,
        { name: string }[] | undefined
      >;
      for (const kind of ["properties", "methods", "signals", "constants"])
        names.push(...(page[kind] ?? []).map(({ name }) => `${kind} ${name}`));
      total = page.total;
      after = page.next;
    }
    expect(total).toBeGreaterThan(200);
    expect(names).toHaveLength(total);
    expect(new Set(names).size).toBe(total);
    const { result } = await call("godot_docs", {
      action: "get_class",
      class: "Control",
      contains: "anchor_left",
    });
    expect(result).toMatchObject({
      properties: [{ name: "anchor_left", signature: expect.stringContaining("float") }],
    });
  },
  START_MS,
);
