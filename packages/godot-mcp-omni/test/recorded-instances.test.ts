import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Bisected } from "../src/recording/bisect.ts";
import type { Verdict } from "../src/recording/verdict.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

/** A guest asks the host to move a crate, and the host sends everyone the new position. */
const ARENA = `extends Node2D

const SPEED := 5

var joined_in := 0
var frames := 0

func _ready() -> void:
	var words := OS.get_cmdline_user_args()
	var peer := ENetMultiplayerPeer.new()
	if words[0] == "--host":
		peer.create_server(int(words[1]))
	else:
		peer.create_client("127.0.0.1", int(words[1]))
	multiplayer.multiplayer_peer = peer
	multiplayer.peer_connected.connect(func(_id: int) -> void: joined_in = frames)
	print("I am the ", words[0].trim_prefix("--"))

func _process(_delta: float) -> void:
	frames += 1
	if Input.is_action_just_pressed("ui_right") and not multiplayer.is_server():
		push.rpc_id(1)

@rpc("any_peer")
func push() -> void:
	$Crate.position.x += SPEED
	show_crate.rpc($Crate.position)

@rpc
func show_crate(at: Vector2) -> void:
	$Crate.position = at
`;

const FILES = {
  "project.godot": `config_version=5

[application]

config/name="Arena"
run/main_scene="res://arena.tscn"
config/features=PackedStringArray("4.6")
`,
  "arena.gd": ARENA,
  "arena.tscn": `[gd_scene load_steps=2 format=3]

[ext_resource type="Script" path="res://arena.gd" id="1"]

[node name="Arena" type="Node2D"]
script = ExtResource("1")

[node name="Crate" type="Node2D" parent="."]
`,
};

const PATH = "res://recordings/push.json";

async function freePort(): Promise<number> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  await once(socket, "close");
  return port;
}

async function arena() {
  const server = openTestServer({ files: FILES, flags: { godot: realGodot ?? "" } });
  const port = await freePort();
  const ask = (tool: string, args: object) => server.call(tool, { ...args });
  const record = (more: object = {}) =>
    ask("godot_recording", {
      action: "record",
      path: PATH,
      frames: 60,
      instances: [`--host ${port}`, `--guest ${port}`],
      inputs: [
        { frame: 30, instance: 2, kind: "action", name: "ui_right" },
        { frame: 40, kind: "action", name: "ui_right" },
      ],
      checks: [
        { frame: 60, instance: 1, expression: "frames" },
        { frame: 60, instance: 2, expression: "frames" },
        { frame: 60, instance: 1, expression: "joined_in" },
        { frame: 60, instance: 2, expression: "joined_in" },
        { frame: 30, instance: 1, node: "Crate", expression: "position.x" },
        { frame: 31, instance: 1, node: "Crate", expression: "position.x" },
        { frame: 31, instance: 2, node: "Crate", expression: "position.x" },
        { frame: 60, instance: 2, node: "Crate", expression: "position.x" },
      ],
      ...more,
    });
  return { server, ask, record };
}

describe.skipIf(realGodot === undefined)("one recording of a host and a guest", { timeout: 180_000 }, () => {
  it("plays both in one process each, frame by frame in turn, and the same every time", async () => {
    const { server, ask, record } = await arena();
    const first = await record();
    expect(first).toMatchObject({ ok: true, result: { isSame: true, errors: [] } });
    const checks = JSON.parse(server.read("recordings/push.json")).checks as { expected: number }[];
    const values = checks.map(({ expected }) => expected);
    // The guest's push arrives in the host's next frame, and the answer in the guest's same frame.
    expect([...values.slice(0, 2), ...values.slice(4)]).toEqual([60, 60, 0, 5, 5, 5]);
    const lines = (first as { logs?: readonly unknown[] }).logs;
    expect(JSON.stringify(lines)).toContain("instance 1: I am the host");
    expect(JSON.stringify(lines)).toContain("instance 2: I am the guest");
    for (let times = 0; times < 3; times++)
      expect(await ask("godot_recording", { action: "replay", path: PATH })).toMatchObject({
        result: { isSame: true, errors: [] },
        summary: "The game played as recorded.",
      });

    server.write("arena.gd", ARENA.replace("SPEED := 5", "SPEED := 7"));
    const changed = await ask("godot_recording", { action: "replay", path: PATH });
    expect(changed.summary).toBe("Instance 1, frame 31: position.x is 7, not 5.");
    // The answer of this action is a verdict.
    expect((changed.result as unknown as Verdict).checks.map(({ isSame }) => isSame)).toEqual([
      ...Array(5).fill(true),
      ...Array(3).fill(false),
    ]);

    const { result } = await ask("godot_recording", { action: "report", path: PATH });
    const page = readFileSync(String(result?.report), "utf8");
    for (const text of ["2: ui_right", "2: Crate.position.x", "instance 2: I am the guest"])
      expect(page).toContain(text);
  });

  it("finds the edit that broke it, and the instance and frame in which it shows first", async () => {
    const { ask, record } = await arena();
    expect(await record()).toMatchObject({ ok: true });
    const edit = (find: string, replace: string) =>
      ask("godot_code", { action: "file.edit", path: "res://arena.gd", find, replace });
    await edit("I am the ", "This is the ");
    await edit("SPEED := 5", "SPEED := 9");
    const answer = await ask("godot_recording", { action: "bisect", path: PATH });
    // The answer of this action.
    expect(answer.result as unknown as Bisected).toMatchObject({
      edit: { files: [{ path: "res://arena.gd", change: expect.stringContaining("SPEED := 9") }] },
      frame: 31,
      differs: expect.arrayContaining([
        {
          node: "instance 1: /root/Arena/Crate",
          property: "global_position",
          before: { x: 5, y: 0 },
          after: { x: 9, y: 0 },
        },
      ]),
    });
  });

  it("names the instance that ends early, and refuses inputs of one that does not exist", async () => {
    const { server, record } = await arena();
    server.write(
      "arena.gd",
      ARENA.replace(
        "frames += 1",
        "frames += 1\n\tif frames == 7 and not multiplayer.is_server():\n\t\tget_tree().quit()",
      ),
    );
    expect(await record()).toMatchObject({
      ok: false,
      error: { code: "E_NOT_CONNECTED", message: "Instance 2 ended before frame 60." },
    });
    expect(await record({ inputs: [{ frame: 1, instance: 3, kind: "key", key: "A" }] })).toMatchObject({
      ok: false,
      error: {
        code: "E_SCHEMA_VALIDATION",
        message: "instance: 3 is not one of them: the recording has 2 instances.",
      },
    });
  });
});
