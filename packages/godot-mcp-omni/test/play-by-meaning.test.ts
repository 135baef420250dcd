import { describe, expect, test } from "vitest";
import type { Game } from "../src/game/game.ts";
import type { GameInput } from "../src/game/input-shapes.ts";
import { gameProject, value } from "./game-project.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

const MENU = `[gd_scene format=3]

[ext_resource type="Script" path="res://menu.gd" id="1"]

[sub_resource type="RectangleShape2D" id="box"]
size = Vector2(40, 40)

[node name="Main" type="Node2D"]
script = ExtResource("1")

[node name="Hero" type="CharacterBody2D" parent="."]
position = Vector2(700, 300)

[node name="Shape" type="CollisionShape2D" parent="Hero"]
shape = SubResource("box")

[node name="Far" type="StaticBody2D" parent="."]
position = Vector2(5000, 300)

[node name="UI" type="CanvasLayer" parent="."]

[node name="Title" type="Label" parent="UI"]
offset_left = 20.0
offset_top = 20.0
offset_right = 220.0
offset_bottom = 46.0
text = "Deep Caves"

[node name="Start" type="Button" parent="UI"]
offset_left = 20.0
offset_top = 60.0
offset_right = 220.0
offset_bottom = 100.0
text = "Start game"

[node name="Load" type="Button" parent="UI"]
offset_left = 20.0
offset_top = 110.0
offset_right = 220.0
offset_bottom = 150.0
disabled = true
text = "Load game"

[node name="Under" type="Button" parent="UI"]
offset_left = 20.0
offset_top = 160.0
offset_right = 220.0
offset_bottom = 200.0
text = "Options"

[node name="Cover" type="Panel" parent="UI"]
offset_left = 10.0
offset_top = 155.0
offset_right = 230.0
offset_bottom = 205.0

[node name="PlayerName" type="LineEdit" parent="UI"]
offset_left = 20.0
offset_top = 220.0
offset_right = 220.0
offset_bottom = 260.0
placeholder_text = "Your name"

[node name="Volume" type="HSlider" parent="UI"]
offset_left = 20.0
offset_top = 280.0
offset_right = 220.0
offset_bottom = 300.0

[node name="List" type="ItemList" parent="UI"]
offset_left = 20.0
offset_top = 320.0
offset_right = 220.0
offset_bottom = 420.0
item_count = 2
item_0/text = "Sword"
item_1/text = "Lamp"

[node name="Item" type="ColorRect" parent="UI"]
offset_left = 300.0
offset_top = 60.0
offset_right = 340.0
offset_bottom = 100.0
script = ExtResource("1")

[node name="Chest" type="ColorRect" parent="UI"]
offset_left = 300.0
offset_top = 300.0
offset_right = 400.0
offset_bottom = 400.0
script = ExtResource("1")

[node name="Off" type="Button" parent="UI"]
visible = false
text = "Secret"

[connection signal="pressed" from="UI/Start" to="." method="_on_start"]
`;

const MENU_SCRIPT = `extends CanvasItem

var started := 0
var dropped := ""


func _on_start() -> void:
	started += 1


func _get_drag_data(_at: Vector2) -> Variant:
	return name


func _can_drop_data(_at: Vector2, _data: Variant) -> bool:
	return true


func _drop_data(_at: Vector2, data: Variant) -> void:
	dropped = data
`;

const FLOOR = `extends Node2D
## A character that walks with keys, and a wall in its way that a navigation map knows.

func _ready() -> void:
	for side: String in ["left", "right", "up", "down"]:
		InputMap.add_action("move_" + side)


func _physics_process(_delta: float) -> void:
	$Hero.velocity = Input.get_vector("move_left", "move_right", "move_up", "move_down") * 300.0
	$Hero.move_and_slide()
`;

const WALLED = `[gd_scene format=3]

[ext_resource type="Script" path="res://floor.gd" id="1"]

[sub_resource type="RectangleShape2D" id="hero"]
size = Vector2(20, 20)

[sub_resource type="RectangleShape2D" id="wall"]
size = Vector2(40, 300)

NAVIGATION
[node name="Main" type="Node2D"]
script = ExtResource("1")

REGION
[node name="Bee" type="Node2D" parent="."]
position = Vector2(100, 420)

[node name="Hero" type="CharacterBody2D" parent="."]
position = Vector2(100, 300)

[node name="Shape" type="CollisionShape2D" parent="Hero"]
shape = SubResource("hero")

[node name="Wall" type="StaticBody2D" parent="."]
position = Vector2(300, 300)

[node name="Shape" type="CollisionShape2D" parent="Wall"]
shape = SubResource("wall")
`;

/** Four pieces of floor around the wall, with room for the character. */
const NAVIGATION = `[sub_resource type="NavigationPolygon" id="nav"]
vertices = PackedVector2Array(50, 50, 250, 50, 350, 50, 550, 50, 50, 130, 250, 130, 350, 130, 550, 130, 50, 550, 250, 550, 350, 550, 550, 550)
polygons = Array[PackedInt32Array]([PackedInt32Array(0, 1, 5, 4), PackedInt32Array(1, 2, 6, 5), PackedInt32Array(2, 3, 7, 6), PackedInt32Array(4, 5, 9, 8), PackedInt32Array(6, 7, 11, 10)])
`;
const REGION = `[node name="Region" type="NavigationRegion2D" parent="."]
navigation_polygon = SubResource("nav")
`;

const CAVE = `[gd_scene format=3]

[ext_resource type="Script" path="res://guard.gd" id="1"]

[sub_resource type="NavigationMesh" id="nav"]
vertices = PackedVector3Array(-10, 0, -10, -10, 0, 10, 10, 0, 10, 10, 0, -10)
polygons = [PackedInt32Array(0, 3, 2, 1)]

[sub_resource type="BoxMesh" id="box"]

[node name="Main" type="Node3D"]

[node name="Camera" type="Camera3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 0.707107, 0.707107, 0, -0.707107, 0.707107, 0, 12, 12)

[node name="Floor" type="NavigationRegion3D" parent="."]
navigation_mesh = SubResource("nav")

[node name="Guard" type="CharacterBody3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, -4, 0, 0)
script = ExtResource("1")

[node name="Agent" type="NavigationAgent3D" parent="Guard"]

[node name="Body" type="MeshInstance3D" parent="Guard"]
mesh = SubResource("box")

[node name="Behind" type="MeshInstance3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 60)
mesh = SubResource("box")
`;

const GUARD = `extends CharacterBody3D

func _physics_process(_delta: float) -> void:
	var agent: NavigationAgent3D = $Agent
	if agent.target_position == Vector3.ZERO or agent.is_navigation_finished():
		return
	velocity = global_position.direction_to(agent.get_next_path_position()) * 6.0
	move_and_slide()
`;

describe.skipIf(realGodot === undefined)("a game with a menu", () => {
  const open = async () =>
    value(
      await gameProject(realGodot, { "main.tscn": MENU, "menu.gd": MENU_SCRIPT }).start({ fixedFps: 60 }),
    );

  test("lists what a person sees: texts, focus, what is disabled, and bodies in view", async () => {
    const game = await open();
    const { items, width, height } = value(await game.screen());
    expect([width, height]).toEqual([1152, 648]);
    expect(items.map(({ path, text }) => text ?? path)).toEqual([
      "Deep Caves",
      "Start game",
      "Load game",
      "Options",
      "Your name",
      "/root/Main/UI/Volume",
      "/root/Main/UI/List",
      "Sword",
      "Lamp",
      "/root/Main/UI/Item",
      "/root/Main/UI/Chest",
      "/root/Main/Hero",
    ]);
    expect(items[1]).toMatchObject({ type: "Button", rect: [20, 60, 200, 40] });
    expect(items[2]).toMatchObject({ disabled: true });
    expect(items.at(-1)).toMatchObject({
      type: "CharacterBody2D",
      at: [700, 300],
      rect: [680, 280, 40, 40],
    });
    expect(value(await game.screen({ after: 8, limit: 1 }))).toMatchObject({
      items: [{ text: "Lamp", on: false }],
      total: 12,
      next: 9,
    });
  });

  test("is used by text and node: click, type, drag, choose an entry", async () => {
    const game = await open();
    expect(
      value(
        await game.input([
          { kind: "click", text: "start" },
          { kind: "text", node: "UI/PlayerName", text: "Ada L." },
          { kind: "click", text: "Lamp" },
          { kind: "click", node: "UI/Item", toNode: "UI/Chest" },
        ]),
      ).acts,
    ).toMatchObject([
      { kind: "click", node: "/root/Main/UI/Start", x: 120, y: 80 },
      { kind: "type", node: "/root/Main/UI/PlayerName" },
      { kind: "click", node: "/root/Main/UI/List" },
      { kind: "click", node: "/root/Main/UI/Item" },
    ]);
    expect(value(await game.evaluate("[started, $UI/PlayerName.text, $UI/Chest.dropped]"))).toEqual([
      1,
      "Ada L.",
      "Item",
    ]);
    const { items } = value(await game.screen());
    expect(items.find(({ text }) => text === "Lamp")).toMatchObject({ on: true });
    expect(items.find(({ text }) => text === "Ada L.")).toMatchObject({ path: "/root/Main/UI/PlayerName" });
  });

  test("says why a click would not do: covered, disabled, hidden, not there, two of them", async () => {
    const game = await open();
    const refused = async (input: Parameters<Game["input"]>[0][number]) => {
      const answer = await game.input([input]);
      return answer.ok ? "sent" : `${answer.failure.code} ${answer.failure.message}`;
    };
    expect(await refused({ kind: "click", text: "Options" })).toBe(
      "E_UNSUPPORTED events[0]: /root/Main/UI/Under is covered by /root/Main/UI/Cover, which would get the click.",
    );
    expect(await refused({ kind: "click", text: "Load game" })).toBe(
      "E_UNSUPPORTED events[0]: /root/Main/UI/Load is disabled.",
    );
    expect(await refused({ kind: "click", text: "Secret" })).toBe(
      'E_NOT_FOUND events[0]: "Secret" is at /root/Main/UI/Off, but not on the screen.',
    );
    expect(await refused({ kind: "click", node: "Far" })).toBe(
      "E_UNSUPPORTED events[0]: /root/Main/Far is not on the screen.",
    );
    expect(await refused({ kind: "click", text: "Quit" })).toContain("E_NOT_FOUND");
    expect(await refused({ kind: "click", text: "game" })).toBe(
      'E_SCHEMA_VALIDATION events[0]: 2 things on the screen are named "game".',
    );
    expect(value(await game.evaluate("started"))).toBe(0);
  });
});

describe.skipIf(realGodot === undefined)("a walk", () => {
  const floor = async (region: string, navigation: string) =>
    value(
      await gameProject(realGodot, {
        "main.tscn": WALLED.replace("NAVIGATION\n", navigation).replace("REGION\n", region),
        "floor.gd": FLOOR,
      }).start({ fixedFps: 60 }),
    );

  test("holds the actions that move a character, around what navigation knows", async () => {
    const game = await floor(REGION, NAVIGATION);
    const { acts } = value(await game.input([{ kind: "walk", node: "Hero", to: { x: 500, y: 300 } }]));
    expect(acts).toMatchObject([{ kind: "walk", node: "/root/Main/Hero" }]);
    const { x, y } = value(await game.evaluate("$Hero.position")) as { x: number; y: number };
    expect(Math.hypot(x - 500, y - 300)).toBeLessThan(12);
    // Built in a thread, the map would be ready after another number of ticks each time.
    const map = "$Hero.get_world_2d().navigation_map";
    const isThreaded = await game.evaluate(`NavigationServer2D.map_get_use_async_iterations(${map})`);
    expect(value(isThreaded)).toBe(false);
    // Nothing is held any more.
    expect(value(await game.evaluate('Input.is_action_pressed("move_right")'))).toBe(false);
  });

  test("goes to a node by its name, or to a place in any notation", async () => {
    const game = await floor(REGION, NAVIGATION);
    for (const [to, place] of [
      ["Bee", { x: 100, y: 420 }],
      [[100, 200], { x: 100, y: 200 }],
      ["Vector2(100, 300)", { x: 100, y: 300 }],
    ] as const) {
      // As a recording has it, which keeps the given notation.
      const walk = { kind: "walk", node: "Hero", to } as unknown as GameInput;
      value(await game.input([walk]));
      const { x, y } = value(await game.evaluate("$Hero.position")) as { x: number; y: number };
      expect(Math.hypot(x - place.x, y - place.y), String(to)).toBeLessThan(12);
    }
    expect(await game.input([{ kind: "walk", node: "Hero", to: "Nobody" }])).toMatchObject({
      failure: { code: "E_NOT_FOUND" },
    });
  });

  test("says what blocks it where there is no way around", async () => {
    const game = await floor("", "");
    expect(await game.input([{ kind: "walk", node: "Hero", to: { x: 500, y: 300 } }])).toMatchObject({
      failure: {
        code: "E_TIMEOUT",
        message: expect.stringMatching(
          /^events\[0\]: Hero is blocked by \/root\/Main\/Wall\. It is at \[2[67]/,
        ),
        details: { blockedBy: "/root/Main/Wall" },
      },
    });
  });

  test("lets a navigation agent lead in 3D, and says what cannot be reached", async () => {
    const game = value(
      await gameProject(realGodot, { "main.tscn": CAVE, "guard.gd": GUARD }).start({ fixedFps: 60 }),
    );
    const { items } = value(await game.screen());
    expect(items).toMatchObject([{ path: "/root/Main/Guard", distance: expect.any(Number) }]);
    value(await game.input([{ kind: "walk", node: "Guard", to: { x: 5, z: -5 } }]));
    const { x, z } = value(await game.evaluate("$Guard.position")) as { x: number; z: number };
    expect(Math.hypot(x - 5, z + 5)).toBeLessThan(1.1);
    expect(await game.input([{ kind: "walk", node: "Guard", to: { x: 40, z: 0 } }])).toMatchObject({
      failure: { code: "E_TIMEOUT", details: { reachable: [10, expect.any(Number), expect.any(Number)] } },
    });
  });
});

test.skipIf(realGodot === undefined)("a full screen is listed in pages below 8 kB", async () => {
  const buttons = Array.from(
    { length: 300 },
    (_, index) =>
      `[node name="B${index}" type="Button" parent="."]\noffset_left = ${(index % 20) * 50}.0\noffset_top = ${Math.floor(index / 20) * 40}.0\ntext = "Cell ${index}"\n`,
  );
  const server = openTestServer({
    files: {
      "project.godot": 'config_version=5\n\n[application]\n\nrun/main_scene="res://main.tscn"\n',
      "main.tscn": `[gd_scene format=3]\n\n[node name="Main" type="Control"]\n\n${buttons.join("\n")}`,
    },
    flags: { godot: realGodot ?? "" },
  });
  await server.call("godot_game", { action: "run", display: "none" });
  let after = 0;
  const seen = new Set<string>();
  for (;;) {
    const answer = await server.call("godot_game", { action: "screen", after });
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(8_000);
    const { items, next } = answer.result as unknown as { items: { text: string }[]; next?: number };
    for (const { text } of items) seen.add(text);
    if (next === undefined) break;
    after = next;
  }
  expect(seen.size).toBe(300);
});
