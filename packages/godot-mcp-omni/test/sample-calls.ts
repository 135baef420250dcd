import type { JsonObject } from "@toolpact/contract";

/** The answer of an action on the test game without Godot and without an editor. */
export type Expected =
  | "ok"
  | "E_NOT_CONNECTED"
  | "E_UNSUPPORTED"
  | "E_PERMISSION_DENIED"
  | "E_SCHEMA_VALIDATION"
  | "E_NOT_FOUND";

export interface SampleCall {
  readonly tool: string;
  readonly action?: string;
  readonly args: JsonObject;
  readonly expected: Expected;
}

const scene = "res://main.tscn";
const node = "Player";

/** One call of every action, in an order in which each finds what it needs. */
export const SAMPLE_CALLS: readonly SampleCall[] = [
  ...calls("godot_workspace", {
    status: [{}, "ok"],
    doctor_report: [{}, "ok"],
    launch: [{}, "E_UNSUPPORTED"],
    connect: [{ timeoutMs: 100 }, "E_NOT_CONNECTED"],
    get_state: [{}, "E_NOT_CONNECTED"],
    open_scene: [{ scene }, "E_NOT_CONNECTED"],
    close_scene: [{ scene }, "E_NOT_CONNECTED"],
    reload_scene: [{ scene }, "E_NOT_CONNECTED"],
    save_all: [{}, "E_NOT_CONNECTED"],
    run: [{ scene }, "E_NOT_CONNECTED"],
    stop: [{}, "E_NOT_CONNECTED"],
    restart: [{}, "E_NOT_CONNECTED"],
  }),
  ...calls("godot_scene", {
    new: [{ scene: "res://level.tscn", type: "Node3D" }, "ok"],
    create: [{ scene, type: "Area2D", name: "Zone", primitive: "circle" }, "ok"],
    update: [{ scene, node, properties: { position: { x: 1, y: 2 } } }, "ok"],
    instance: [{ scene, source: "res://enemy.tscn", name: "Second" }, "ok"],
    rename: [{ scene, node: "Zone", newName: "Area" }, "ok"],
    move: [{ scene, node: "Area", index: 0 }, "ok"],
    duplicate: [{ scene, node }, "ok"],
    reparent: [{ scene, node: "Player2", parent: "Area" }, "ok"],
    remove: [{ scene, node: "Second" }, "ok"],
    attach_script: [{ scene, node, script: "res://player.gd" }, "ok"],
    set_unique_name: [{ scene, node }, "ok"],
    set_editable: [{ scene, node: "Enemy" }, "ok"],
    create_tilemap: [{ scene, name: "Map" }, "ok"],
    set_tiles: [{ scene, node: "Map", tiles: [{ x: 0, y: 0, source: 0 }] }, "ok"],
    create_ui: [{ scene, elements: [{ type: "Label", layout: "center" }] }, "ok"],
    place: [{ scene, node, where: { grid: [2, 1], with: ["Enemy"], size: [8, 8, 0] } }, "ok"],
    look: [{ scene: "res://main.tscn" }, "E_UNSUPPORTED"],
    undo: [{ scene }, "ok"],
    redo: [{ scene }, "ok"],
    history: [{}, "ok"],
  }),
  ...calls("godot_inspector", {
    "scene_tree.get": [{ scene }, "ok"],
    query: [{ scene, group: "heroes" }, "ok"],
    inspect: [{ scene, node }, "ok"],
    property_list: [{ class: "Sprite2D", contains: "frame" }, "ok"],
    method_list: [{ class: "Sprite2D" }, "E_UNSUPPORTED"],
    "signals.list": [{ scene, node }, "ok"],
    "signals.connections.list": [{ scene }, "ok"],
    connect_signal: [{ scene, node, signal: "died", to: node, method: "_on_hit" }, "ok"],
    disconnect_signal: [{ scene, node, signal: "died", to: node, method: "_on_hit" }, "ok"],
    get_property: [{ scene, node, property: "position:x" }, "ok"],
    set_property: [{ scene, node, property: "speed", value: 5 }, "ok"],
    set_collision_layer: [{ scene, node, layers: [1, 32], masks: [2] }, "ok"],
    "shader.set_param": [{ scene, node, param: "speed", value: 1 }, "E_SCHEMA_VALIDATION"],
    "animation.create_simple": [
      { scene, player: "Anim", animation: "go", node, property: "position:x", keys: [{ time: 0, value: 0 }] },
      "E_UNSUPPORTED",
    ],
    "groups.get": [{ scene, node }, "ok"],
    "groups.add": [{ scene, node, group: "alive" }, "ok"],
    "groups.remove": [{ scene, node, group: "alive" }, "ok"],
  }),
  ...calls("godot_asset", {
    file_exists: [{ path: scene }, "ok"],
    create_folder: [{ path: "res://art" }, "ok"],
    list_resources: [{}, "ok"],
    search_files: [{ pattern: "*.tscn" }, "ok"],
    "scene.read": [{ path: scene }, "ok"],
    "scene.duplicate": [{ path: "res://enemy.tscn", to: "res://foe.tscn" }, "ok"],
    "scene.rename": [{ path: "res://gone.tscn", to: "res://bar.tscn" }, "E_NOT_FOUND"],
    "scene.delete": [{ path: "res://foe.tscn" }, "E_PERMISSION_DENIED"],
    "scene.replace_resource": [{ path: scene, old: "res://enemy.tscn", new: "res://foe.tscn" }, "ok"],
    load_texture: [{ scene, node: "Player/Sprite", texture: "res://none.png" }, "E_NOT_FOUND"],
    "resource.create": [
      { path: "res://box.tres", type: "BoxShape3D", properties: { size: { x: 1, y: 2, z: 3 } } },
      "ok",
    ],
    "resource.edit": [{ path: "res://mat.tres", properties: { albedo_color: "#00ff00" } }, "ok"],
    get_uid: [{ path: scene }, "ok"],
    uid_convert: [{ uid: "uid://abc" }, "E_UNSUPPORTED"],
    scan: [{}, "E_UNSUPPORTED"],
    reimport: [{}, "E_UNSUPPORTED"],
  }),
  ...calls("godot_code", {
    "script.create": [{ path: "res://new.gd", extends: "Node2D" }, "ok"],
    "script.read": [{ path: "res://player.gd" }, "ok"],
    "shader.create": [{ path: "res://fire.gdshader" }, "ok"],
    "shader.apply": [{ scene, node: "Player/Sprite", shader: "res://water.gdshader" }, "ok"],
    "file.edit": [{ path: "res://player.gd", find: "speed", replace: "pace" }, "ok"],
    "file.search": [{ pattern: "*.tscn" }, "ok"],
    "file.write": [{ path: "res://notes.txt", content: "hello" }, "ok"],
    "file.write_binary": [{ path: "res://blob.bin", base64: "AAEC" }, "ok"],
  }),
  ...calls("godot_project", {
    "project.create": [{ name: "Other" }, "E_PERMISSION_DENIED"],
    "project_info.get": [{}, "ok"],
    "project_setting.get": [{ names: ["application/config/name"] }, "ok"],
    "project_setting.set": [{ settings: { "display/window/size/viewport_width": 800 } }, "ok"],
    "input_map.get": [{}, "ok"],
    "input_map.setup": [{ actions: [{ name: "jump", keys: ["Space"] }] }, "ok"],
  }),
  ...calls("godot_docs", {
    search: [{ query: "sprite" }, "E_UNSUPPORTED"],
    get_class: [{ class: "Sprite2D" }, "E_UNSUPPORTED"],
    get_member: [{ class: "Sprite2D", member: "frame" }, "E_UNSUPPORTED"],
  }),
  ...calls("godot_diagnostics", {
    scripts: [{}, "E_UNSUPPORTED"],
    scenes: [{}, "ok"],
  }),
  {
    tool: "godot_batch",
    args: {
      scene,
      edits: [
        { kind: "add", type: "Node", as: "a" },
        { kind: "add", type: "Node", parent: "$a" },
      ],
    },
    expected: "ok",
  },
  ...calls("godot_meta", {
    server_info: [{}, "ok"],
    tool_search: [{ query: "add a node" }, "ok"],
    read: [{ tool: "godot_project", args: { action: "project_info.get" } }, "ok"],
    enable_toolset: [{ toolset: "test" }, "ok"],
    tool_help: [{ tool: "godot_scene", toolAction: "create" }, "ok"],
    skill: [{ name: "make-a-platformer" }, "ok"],
  }),
  ...calls("godot_editor", {
    capture_viewport: [{}, "E_NOT_CONNECTED"],
    switch_screen: [{ screen: "2D" }, "E_NOT_CONNECTED"],
    edit_script: [{ path: "res://player.gd", line: 1 }, "E_NOT_CONNECTED"],
    add_breakpoint: [{ path: "res://player.gd", line: 6 }, "E_NOT_CONNECTED"],
    list_open_scripts: [{}, "E_NOT_CONNECTED"],
    select: [{ nodes: [node] }, "E_NOT_CONNECTED"],
    get_selection: [{}, "E_NOT_CONNECTED"],
  }),
  ...calls("godot_game", {
    run: [{}, "E_UNSUPPORTED"],
    status: [{}, "ok"],
    output: [{}, "E_NOT_FOUND"],
    errors: [{}, "E_NOT_FOUND"],
    tree: [{}, "E_NOT_FOUND"],
    screen: [{}, "E_NOT_FOUND"],
    inspect: [{ node }, "E_NOT_FOUND"],
    set: [{ node, values: { speed: 5 } }, "E_NOT_FOUND"],
    input: [{ events: [{ kind: "key", key: "Space" }] }, "E_NOT_FOUND"],
    wait: [{ expression: "true" }, "E_NOT_FOUND"],
    watch: [{ expressions: ["count"] }, "E_NOT_FOUND"],
    pause: [{}, "E_NOT_FOUND"],
    step: [{}, "E_NOT_FOUND"],
    verify: [{}, "E_UNSUPPORTED"],
    resume: [{}, "E_NOT_FOUND"],
    screenshot: [{}, "E_NOT_FOUND"],
    breakpoint: [{ breakpoints: ["res://player.gd:6"] }, "E_NOT_FOUND"],
    break: [{}, "E_NOT_FOUND"],
    stack: [{}, "E_NOT_FOUND"],
    evaluate: [{ expression: "1 + 1" }, "E_NOT_FOUND"],
    profile: [{}, "E_NOT_FOUND"],
    stop: [{ game: "game-1" }, "E_NOT_FOUND"],
  }),
  ...calls("godot_log", {
    poll: [{}, "E_NOT_CONNECTED"],
    tail: [{}, "E_NOT_CONNECTED"],
  }),
  ...calls("godot_workflow", {
    "tools.list": [{}, "ok"],
    "tools.call": [{ tool: "own.hello" }, "E_NOT_FOUND"],
    validate: [{ path: "res://flow.json" }, "ok"],
    run: [{ path: "res://flow.json" }, "ok"],
    schema: [{}, "ok"],
  }),
  ...calls("godot_test", {
    list: [{ path: "res://player.gd" }, "ok"],
    run: [{ path: "res://player.gd" }, "E_NOT_FOUND"],
  }),
  ...calls("godot_recording", {
    record: [{ path: "res://walk.json", frames: 10, inputs: [] }, "E_UNSUPPORTED"],
    capture: [{ path: "res://walk.json", frames: 10 }, "E_UNSUPPORTED"],
    replay: [{ path: "res://flow.json" }, "E_SCHEMA_VALIDATION"],
    report: [{ path: "res://flow.json" }, "E_SCHEMA_VALIDATION"],
    bisect: [{ path: "res://flow.json" }, "E_SCHEMA_VALIDATION"],
  }),
  ...calls("godot_understand", {
    overview: [{}, "ok"],
    graph: [{ path: scene, format: "mermaid" }, "ok"],
    uses: [{ path: "res://enemy.tscn" }, "ok"],
    happens: [{ when: "_on_hit()" }, "ok"],
    search: [{ query: "speed" }, "ok"],
    rename: [{ target: "signal", path: "res://player.gd", name: "died", to: "gone" }, "ok"],
    problems: [{ problem: "unused" }, "ok"],
    spatial: [{ scene }, "ok"],
    language: [{ ask: "diagnostics", path: "res://player.gd" }, "E_UNSUPPORTED"],
  }),
  ...calls("godot_content", {
    "tile_set.create": [
      { path: "res://set.tres", texture: "res://none.png", size: { x: 8, y: 8 } },
      "E_NOT_FOUND",
    ],
    "cells.read": [{ scene, node: "Map" }, "ok"],
    "cells.paint": [{ scene, node: "Map", strokes: [{ cells: [[1, 1]], tile: {} }] }, "ok"],
    "asset.add": [{ from: "/etc/hero.png", path: "res://hero.png" }, "E_PERMISSION_DENIED"],
    "asset.import_settings": [{ path: scene }, "E_NOT_FOUND"],
    "animation.write": [
      {
        scene,
        player: "Anim",
        animation: "hop",
        tracks: [{ kind: "property", node, property: "position", keys: [{ time: 0, value: [1, 2] }] }],
      },
      "ok",
    ],
    "animation.tree": [
      { scene, player: "Anim", root: { machine: { states: [{ name: "a", animation: "hop" }] } } },
      "ok",
    ],
    "ui.form": [{ scene, buttons: [{ name: "Start", text: "Start" }] }, "ok"],
    "navigation.bake": [{ scene, node }, "E_UNSUPPORTED"],
    "sprite_frames.create": [{ path: "res://frames.tres", folder: "res://art" }, "E_NOT_FOUND"],
  }),
  ...calls("godot_export", {
    add_preset: [{ preset: "Linux", platform: "Linux", path: "res://build/game.x86_64" }, "ok"],
    presets: [{}, "ok"],
    build: [{ preset: "Linux" }, "E_UNSUPPORTED"],
    smoke_run: [{ path: "res://build/game.pck" }, "E_NOT_FOUND"],
  }),
];

function calls(
  tool: string,
  actions: Readonly<Record<string, readonly [JsonObject, Expected]>>,
): SampleCall[] {
  return Object.entries(actions).map(([action, [args, expected]]) => ({
    tool,
    action,
    args: { action, ...args },
    expected,
  }));
}
