import type { JsonObject } from "@toolpact/contract";

/** A task as a user gives it, the calls that a model answers it with, and how somebody else checks the result. */
interface Task {
  readonly name: string;
  readonly task: string;
  /** Files that are there already; an empty folder otherwise. */
  readonly files?: Readonly<Record<string, string>>;
  readonly calls: readonly (readonly [tool: string, args: JsonObject, expected?: JsonObject])[];
  /** GDScript that plays the finished game with `independent-play.gd`. */
  readonly check: string;
  /** Command-line arguments of the checked game. */
  readonly args?: readonly string[];
}

const create = (name: string) => ["godot_project", { action: "project.create", name }] as const;
const write = (path: string, content: string) =>
  ["godot_code", { action: "file.write", path: `res://${path}`, content }] as const;
const scene = (path: string, type: string, name: string) =>
  ["godot_scene", { action: "new", scene: `res://${path}`, type, name }] as const;
const batch = (path: string, edits: readonly JsonObject[]) =>
  ["godot_batch", { scene: `res://${path}`, edits: [...edits] }] as const;
const main = (path: string) =>
  [
    "godot_project",
    { action: "project_setting.set", settings: { "application/run/main_scene": `res://${path}` } },
  ] as const;
const compile = ["godot_diagnostics", { action: "scripts" }, { result: { errors: 0 } }] as const;
const game = (action: string, args: JsonObject = {}, expected: JsonObject = {}) =>
  ["godot_game", { action, ...args }, expected] as const;
const keys = (actions: Readonly<Record<string, readonly string[]>>) =>
  [
    "godot_project",
    {
      action: "input_map.setup",
      actions: Object.entries(actions).map(([name, list]) => ({ name, keys: [...list] })),
    },
  ] as const;
const rect = (width: number, height: number) => ({
  type: "CollisionShape2D",
  properties: { shape: { resource: "RectangleShape2D", properties: { size: [width, height] } } },
});
const picture = (width: number, height: number, color: string) => ({
  type: "ColorRect",
  properties: {
    offset_left: -width / 2,
    offset_top: -height / 2,
    offset_right: width / 2,
    offset_bottom: height / 2,
    color,
    mouse_filter: "ignore",
  },
});
const solid = (size: readonly number[], color: string) => [
  {
    type: "MeshInstance3D",
    properties: {
      mesh: {
        resource: "BoxMesh",
        properties: {
          size: [...size],
          material: { resource: "StandardMaterial3D", properties: { albedo_color: color } },
        },
      },
    },
  },
  {
    type: "CollisionShape3D",
    properties: { shape: { resource: "BoxShape3D", properties: { size: [...size] } } },
  },
];

const platformer: Task = {
  name: "platformer",
  task: "Make a platformer: a hero who runs and jumps, a coin that counts, a pit that ends the game.",
  calls: [
    create("Jumper"),
    keys({ left: ["Left", "A"], right: ["Right", "D"], jump: ["Space"] }),
    write(
      "hero.gd",
      'extends CharacterBody2D\n\nvar coins := 0\n\n\nfunc _physics_process(delta: float) -> void:\n\tvelocity += get_gravity() * delta\n\tif is_on_floor() and Input.is_action_just_pressed("jump"):\n\t\tvelocity.y = -420.0\n\tvelocity.x = Input.get_axis("left", "right") * 200.0\n\tmove_and_slide()\n',
    ),
    write(
      "level.gd",
      'extends Node2D\n\nvar is_over := false\n\n\nfunc _on_coin_body_entered(body: Node2D) -> void:\n\tbody.coins += 1\n\t$Hud/Coins.text = "Coins: %d" % body.coins\n\t$Coin.queue_free()\n\n\nfunc _physics_process(_delta: float) -> void:\n\tif $Hero.position.y > 700.0 and not is_over:\n\t\tis_over = true\n\t\t$Hud/Over.show()\n',
    ),
    scene("level.tscn", "Node2D", "Level"),
    batch("level.tscn", [
      { kind: "attach_script", node: ".", script: "res://level.gd" },
      {
        kind: "create",
        type: "CharacterBody2D",
        name: "Hero",
        script: "res://hero.gd",
        properties: { position: [100, 350] },
        children: [rect(24, 40), picture(24, 40, "orange"), { type: "Camera2D" }],
      },
      {
        kind: "create",
        type: "StaticBody2D",
        name: "Ground",
        properties: { position: [350, 420] },
        children: [rect(600, 40), picture(600, 40, "sea_green")],
      },
      {
        kind: "create",
        type: "Area2D",
        name: "Coin",
        as: "coin",
        properties: { position: [320, 380] },
        children: [rect(20, 20), picture(20, 20, "gold")],
      },
      {
        kind: "create",
        type: "CanvasLayer",
        name: "Hud",
        children: [
          { type: "Label", name: "Coins", properties: { text: "Coins: 0" } },
          {
            type: "Label",
            name: "Over",
            properties: { text: "Game over", visible: false, position: [500, 300] },
          },
        ],
      },
      {
        kind: "connect_signal",
        node: "$coin",
        signal: "body_entered",
        to: ".",
        method: "_on_coin_body_entered",
      },
    ]),
    main("level.tscn"),
    compile,
    game("run", { paused: true }, { result: { state: "paused" } }),
    game(
      "step",
      {
        frames: 90,
        node: "Hero",
        expressions: ["position.y"],
        events: [{ kind: "action", name: "jump", at: 40 }],
      },
      { result: { passed: 90, events: [{ event: 0 }] } },
    ),
    game(
      "step",
      { until: "$Hero.coins == 1", events: [{ kind: "action", name: "right", at: 0, hold: 300 }] },
      { result: { met: true } },
    ),
    game(
      "step",
      { until: "is_over", events: [{ kind: "action", name: "right", at: 0, hold: 400 }] },
      { result: { met: true } },
    ),
    game("stop"),
  ],
  check: `func play() -> void:
	var hero := first("CharacterBody2D")
	await frames(60)
	var ground: float = hero.position.y
	await hold("jump", 6)
	await frames(12)
	holds(hero.position.y < ground - 20, "does not jump")
	await frames(60)
	holds(absf(hero.position.y - ground) < 1, "does not land")
	await hold("right", 90)
	holds(shown("Coins: 1") != null, "the coin does not count")
	holds(shown("Game over") == null, "is over too early")
	await hold("right", 260)
	holds(shown("Game over") != null, "the pit does not end the game")
`,
};

const PANEL = { anchor_right: 1, anchor_bottom: 1 };

const menu: Task = {
  name: "menu",
  task: "Make a main menu with Play, which starts the level, and Settings with a volume slider and Back.",
  calls: [
    create("Menu"),
    write(
      "menu.gd",
      'extends Control\n\n\nfunc _on_play_pressed() -> void:\n\tget_tree().change_scene_to_file("res://level.tscn")\n\n\nfunc _on_settings_pressed() -> void:\n\t$Main.hide()\n\t$Settings.show()\n\n\nfunc _on_back_pressed() -> void:\n\t$Settings.hide()\n\t$Main.show()\n\n\nfunc _on_volume_value_changed(value: float) -> void:\n\tAudioServer.set_bus_volume_db(0, linear_to_db(value))\n',
    ),
    scene("level.tscn", "Node2D", "Level"),
    [
      "godot_scene",
      {
        action: "create",
        scene: "res://level.tscn",
        type: "Label",
        name: "Title",
        properties: { text: "Level 1" },
      },
    ],
    scene("menu.tscn", "Control", "Menu"),
    batch("menu.tscn", [
      { kind: "attach_script", node: ".", script: "res://menu.gd" },
      { kind: "update", node: ".", properties: PANEL },
      {
        kind: "create",
        type: "CenterContainer",
        name: "Main",
        properties: PANEL,
        children: [
          {
            type: "VBoxContainer",
            name: "Box",
            children: [
              { type: "Label", name: "Title", properties: { text: "Moss Caves" } },
              { type: "Button", name: "Play", properties: { text: "Play" } },
              { type: "Button", name: "Settings", properties: { text: "Settings" } },
            ],
          },
        ],
      },
      {
        kind: "create",
        type: "CenterContainer",
        name: "Settings",
        properties: { ...PANEL, visible: false },
        children: [
          {
            type: "VBoxContainer",
            name: "Box",
            children: [
              {
                type: "HSlider",
                name: "Volume",
                properties: { max_value: 1, step: 0.01, value: 1, custom_minimum_size: [200, 24] },
              },
              { type: "Button", name: "Back", properties: { text: "Back" } },
            ],
          },
        ],
      },
      {
        kind: "connect_signal",
        node: "Main/Box/Play",
        signal: "pressed",
        to: ".",
        method: "_on_play_pressed",
      },
      {
        kind: "connect_signal",
        node: "Main/Box/Settings",
        signal: "pressed",
        to: ".",
        method: "_on_settings_pressed",
      },
      {
        kind: "connect_signal",
        node: "Settings/Box/Back",
        signal: "pressed",
        to: ".",
        method: "_on_back_pressed",
      },
      {
        kind: "connect_signal",
        node: "Settings/Box/Volume",
        signal: "value_changed",
        to: ".",
        method: "_on_volume_value_changed",
      },
    ]),
    main("menu.tscn"),
    ["godot_scene", { action: "look", scene: "res://menu.tscn", sizes: ["1152x648", "720x1280"] }],
    game("run", { paused: true }),
    game(
      "step",
      {
        events: [
          { kind: "click", text: "Settings" },
          { kind: "click", text: "Back" },
          { kind: "click", text: "Play" },
        ],
        frames: 40,
      },
      { result: { changed: { scene: "res://level.tscn" } } },
    ),
    game("stop"),
  ],
  check: `func play() -> void:
	await click(shown("Settings"))
	var slider := first("HSlider") as HSlider
	holds(slider.is_visible_in_tree() and shown("Play") == null, "the settings do not open")
	slider.value = 0.5
	holds(absf(AudioServer.get_bus_volume_linear(0) - 0.5) < 0.02, "the slider does not set the volume")
	await click(shown("Back"))
	holds(shown("Play") != null, "Back does not go back")
	for size: Vector2i in [Vector2i(1920, 1080), Vector2i(720, 1280)]:
		root.size = size
		await frames(3)
		holds(Rect2(Vector2.ZERO, root.get_visible_rect().size).encloses(shown("Play").get_global_rect()), "Play is off the screen")
	await click(shown("Play"))
	await frames(3)
	holds(current_scene.scene_file_path == "res://level.tscn", "Play does not start the level")
`,
};

const room: Task = {
  name: "room",
  task: "Furnish a room in 3D: a table with a lamp on it, two chairs in front of it, a light, and a camera that shows it all.",
  calls: [
    create("Room"),
    scene("room.tscn", "Node3D", "Room"),
    batch("room.tscn", [
      {
        kind: "create",
        type: "StaticBody3D",
        name: "Floor",
        properties: { position: [0, -0.1, 0] },
        children: solid([8, 0.2, 6], "burlywood"),
      },
      { kind: "create", type: "StaticBody3D", name: "Table", children: solid([2, 0.8, 1], "saddle_brown") },
      {
        kind: "create",
        type: "StaticBody3D",
        name: "Lamp",
        properties: { position: [0, 3, 0] },
        children: solid([0.2, 0.5, 0.2], "gold"),
      },
      {
        kind: "create",
        type: "StaticBody3D",
        name: "Chair",
        properties: { position: [3, 3, 0] },
        children: solid([0.5, 0.9, 0.5], "dark_red"),
      },
      {
        kind: "create",
        type: "DirectionalLight3D",
        name: "Sun",
        properties: { rotation_degrees: [-50, 30, 0] },
      },
      {
        kind: "create",
        type: "Camera3D",
        name: "Camera",
        properties: { position: [0, 3, 6], rotation_degrees: [-25, 0, 0] },
      },
    ]),
    ["godot_scene", { action: "place", scene: "res://room.tscn", node: "Table", where: { on: "Floor" } }],
    [
      "godot_scene",
      { action: "place", scene: "res://room.tscn", node: "Lamp", where: { on: "Table", at: [0.2, 0.5] } },
    ],
    [
      "godot_scene",
      {
        action: "place",
        scene: "res://room.tscn",
        node: "Chair",
        where: { along: "Table", side: "front", gap: 0.2, count: 2 },
      },
    ],
    ["godot_scene", { action: "look", scene: "res://room.tscn" }],
    main("room.tscn"),
    game("verify", { frames: 10 }, { result: { isClean: true } }),
  ],
  check: `func box(name: String) -> AABB:
	var mesh := root.find_child(name, true, false).find_children("*", "MeshInstance3D", true, false)[0] as MeshInstance3D
	return mesh.global_transform * mesh.get_aabb()


func play() -> void:
	var names := ["Floor", "Table", "Lamp", "Chair", "Chair2"]
	var table := box("Table")
	for name: String in ["Table", "Chair", "Chair2"]:
		holds(absf(box(name).position.y) < 0.01, name + " does not stand on the floor")
	holds(absf(box("Lamp").position.y - table.end.y) < 0.01, "the lamp does not stand on the table")
	for one: String in names:
		var at := box(one)
		holds(root.get_camera_3d().is_position_in_frustum(at.get_center()), one + " is not in the picture")
		for other: String in names:
			var depth := at.grow(-0.02).intersects(box(other).grow(-0.02)) if one != other and at.size.y > 0.05 else false
			holds(not depth, one + " stands in " + other)
	for name: String in ["Chair", "Chair2"]:
		holds(box(name).position.z >= table.end.z - 0.001, name + " is not in front of the table")
	holds(first("DirectionalLight3D") != null, "there is no light")
`,
};

const shooter: Task = {
  name: "shooter",
  task: "Make a shooter: a ship that moves and shoots, enemies that come down, a score for each hit, and lives.",
  calls: [
    create("Shooter"),
    keys({ left: ["Left"], right: ["Right"], shoot: ["Space"] }),
    write(
      "ship.gd",
      'extends Node2D\n\nconst BULLET := preload("res://bullet.tscn")\n\n\nfunc _process(delta: float) -> void:\n\tposition.x = clampf(position.x + Input.get_axis("left", "right") * 300.0 * delta, 20.0, 1132.0)\n\tif Input.is_action_just_pressed("shoot"):\n\t\tvar bullet := BULLET.instantiate()\n\t\tbullet.position = position + Vector2(0, -30)\n\t\tget_parent().add_child(bullet)\n',
    ),
    write(
      "bullet.gd",
      'extends Area2D\n\n\nfunc _physics_process(delta: float) -> void:\n\tposition.y -= 600.0 * delta\n\tif position.y < -20.0:\n\t\tqueue_free()\n\n\nfunc _on_area_entered(area: Area2D) -> void:\n\tif area.is_in_group("enemies"):\n\t\tget_parent().score += 1\n\t\tarea.queue_free()\n\t\tqueue_free()\n',
    ),
    write(
      "enemy.gd",
      "extends Area2D\n\n\nfunc _physics_process(delta: float) -> void:\n\tposition.y += 120.0 * delta\n\tif position.y > 660.0:\n\t\tget_parent().lives -= 1\n\t\tqueue_free()\n",
    ),
    write(
      "arena.gd",
      'extends Node2D\n\nconst ENEMY := preload("res://enemy.tscn")\n\nvar score := 0:\n\tset(value):\n\t\tscore = value\n\t\t_show()\nvar lives := 3:\n\tset(value):\n\t\tlives = value\n\t\t_show()\n\n\nfunc _show() -> void:\n\t$Hud/Score.text = "Score: %d  Lives: %d" % [score, lives]\n\n\nfunc _on_spawn_timeout() -> void:\n\tvar enemy := ENEMY.instantiate()\n\tenemy.position = Vector2(576, -20)\n\tadd_child(enemy)\n',
    ),
    scene("bullet.tscn", "Area2D", "Bullet"),
    batch("bullet.tscn", [
      { kind: "attach_script", node: ".", script: "res://bullet.gd" },
      { kind: "create", ...rect(6, 16) },
      { kind: "create", ...picture(6, 16, "yellow") },
      { kind: "connect_signal", node: ".", signal: "area_entered", to: ".", method: "_on_area_entered" },
    ]),
    scene("enemy.tscn", "Area2D", "Enemy"),
    batch("enemy.tscn", [
      { kind: "attach_script", node: ".", script: "res://enemy.gd" },
      { kind: "groups.add", node: ".", group: "enemies" },
      { kind: "create", ...rect(32, 24) },
      { kind: "create", ...picture(32, 24, "crimson") },
    ]),
    scene("arena.tscn", "Node2D", "Arena"),
    batch("arena.tscn", [
      { kind: "attach_script", node: ".", script: "res://arena.gd" },
      {
        kind: "create",
        type: "Node2D",
        name: "Ship",
        script: "res://ship.gd",
        properties: { position: [576, 600] },
        children: [picture(32, 32, "cyan")],
      },
      {
        kind: "create",
        type: "Timer",
        name: "Spawn",
        as: "timer",
        properties: { wait_time: 1, autostart: true },
      },
      {
        kind: "create",
        type: "CanvasLayer",
        name: "Hud",
        children: [{ type: "Label", name: "Score", properties: { text: "Score: 0  Lives: 3" } }],
      },
      { kind: "connect_signal", node: "$timer", signal: "timeout", to: ".", method: "_on_spawn_timeout" },
    ]),
    main("arena.tscn"),
    compile,
    game("run", { paused: true }),
    game(
      "step",
      { until: "score == 1", events: [{ kind: "action", name: "shoot", at: 80 }] },
      { result: { met: true } },
    ),
    game("step", { until: "lives == 2", maxFrames: 900 }, { result: { met: true } }),
    game("stop"),
  ],
  check: `func play() -> void:
	holds(shown("Score: 0  Lives: 3") != null, "does not begin with no points and three lives")
	await frames(100)
	await hold("shoot", 3)
	await frames(70)
	holds(current_scene.score == 1, "a hit does not count")
	holds(shown("Score: 1  Lives: 3") != null, "the score is not shown")
	var ship := current_scene.get_node("Ship")
	await hold("left", 60)
	holds(ship.position.x < 500, "the ship does not move")
	await hold("shoot", 3)
	await frames(500)
	holds(current_scene.score == 1, "a miss counts")
	holds(current_scene.lives < 3, "an enemy that passes costs no life")
`,
};

const repair: Task = {
  name: "repair",
  task: "This game does not run. Find what is wrong and repair it: pressing Count must add one to the label.",
  files: {
    "project.godot":
      'config_version=5\n\n[application]\n\nconfig/name="Broken"\nrun/main_scene="res://main.tscn"\nconfig/features=PackedStringArray("4.6")\n',
    "main.gd":
      "extends Control\n\nvar count := 0\n\n\nfunc _on_count_pressed() -> void:\n\tcount += 1\n\t$Hud/Totl.text = str(coutn)\n",
    "main.tscn":
      '[gd_scene format=3]\n\n[ext_resource type="Script" path="res://main.gd" id="1"]\n[ext_resource type="Texture2D" path="res://lost.png" id="2"]\n\n[node name="Main" type="Control"]\nlayout_mode = 3\nanchors_preset = 0\noffset_right = 400.0\noffset_bottom = 300.0\nscript = ExtResource("1")\n\n[node name="Hud" type="Control" parent="."]\n\n[node name="Total" type="Label" parent="Hud"]\ntext = "0"\n\n[node name="Logo" type="TextureRect" parent="Hud"]\ntexture = ExtResource("2")\n\n[node name="Count" type="Button" parent="."]\noffset_left = 50.0\noffset_top = 50.0\noffset_right = 150.0\noffset_bottom = 90.0\ntext = "Count"\n\n[connection signal="pressed" from="Count" to="." method="_on_count_presed"]\n',
  },
  calls: [
    ["godot_diagnostics", { action: "scripts" }, { result: { errors: 1 } }],
    ["godot_diagnostics", { action: "scenes" }],
    ["godot_code", { action: "script.read", path: "res://main.gd" }],
    ["godot_code", { action: "file.edit", path: "res://main.gd", find: "str(coutn)", replace: "str(count)" }],
    ["godot_code", { action: "file.edit", path: "res://main.gd", find: "$Hud/Totl", replace: "$Hud/Total" }],
    batch("main.tscn", [
      { kind: "disconnect_signal", node: "Count", signal: "pressed", to: ".", method: "_on_count_presed" },
      { kind: "connect_signal", node: "Count", signal: "pressed", to: ".", method: "_on_count_pressed" },
      { kind: "remove", node: "Hud/Logo" },
    ]),
    game(
      "verify",
      { events: [{ kind: "click", text: "Count" }], until: '$Hud/Total.text == "1"' },
      { result: { isClean: true } },
    ),
  ],
  check: `func play() -> void:
	await click(shown("Count"))
	await click(shown("Count"))
	holds(current_scene.get_node("Hud/Total").text == "2", "Count does not count")
`,
};

const door: Task = {
  name: "door",
  task: "Make a door that opens with an animation when the hero comes near, and save the hero's place with F5 and load it with F9.",
  calls: [
    create("Door"),
    keys({ left: ["Left"], right: ["Right"], save: ["F5"], load: ["F9"] }),
    write(
      "hero.gd",
      'extends CharacterBody2D\n\nconst FILE := "user://save.json"\n\n\nfunc _physics_process(_delta: float) -> void:\n\tvelocity = Vector2(Input.get_axis("left", "right") * 200.0, 0)\n\tmove_and_slide()\n\tif Input.is_action_just_pressed("save"):\n\t\tFileAccess.open(FILE, FileAccess.WRITE).store_string(JSON.stringify([position.x, position.y]))\n\tif Input.is_action_just_pressed("load") and FileAccess.file_exists(FILE):\n\t\tvar place: Array = JSON.parse_string(FileAccess.get_file_as_string(FILE))\n\t\tposition = Vector2(place[0], place[1])\n',
    ),
    write(
      "house.gd",
      'extends Node2D\n\nvar is_open := false\n\n\nfunc _on_sensor_body_entered(body: Node2D) -> void:\n\tif body == $Hero and not is_open:\n\t\tis_open = true\n\t\t$Animations.play("open")\n',
    ),
    scene("house.tscn", "Node2D", "House"),
    batch("house.tscn", [
      { kind: "attach_script", node: ".", script: "res://house.gd" },
      {
        kind: "create",
        type: "CharacterBody2D",
        name: "Hero",
        script: "res://hero.gd",
        properties: { position: [100, 300] },
        children: [rect(24, 40), picture(24, 40, "orange")],
      },
      {
        kind: "create",
        type: "AnimatableBody2D",
        name: "Door",
        properties: { position: [500, 300] },
        children: [rect(20, 100), picture(20, 100, "sienna")],
      },
      {
        kind: "create",
        type: "Area2D",
        name: "Sensor",
        as: "sensor",
        properties: { position: [450, 300] },
        children: [rect(120, 100)],
      },
      { kind: "create", type: "AnimationPlayer", name: "Animations", as: "player" },
      {
        kind: "animation.create_simple",
        player: "$player",
        animation: "open",
        node: "Door",
        property: "position",
        keys: [
          { time: 0, value: [500, 300] },
          { time: 0.5, value: [500, 180] },
        ],
      },
      {
        kind: "connect_signal",
        node: "$sensor",
        signal: "body_entered",
        to: ".",
        method: "_on_sensor_body_entered",
      },
    ]),
    main("house.tscn"),
    compile,
    game("run", { paused: true }),
    game(
      "step",
      { until: "$Hero.position.x > 600", events: [{ kind: "action", name: "right", at: 0, hold: 400 }] },
      { result: { met: true } },
    ),
    game("stop"),
  ],
  check: `func play() -> void:
	var hero := first("CharacterBody2D")
	var start: float = hero.position.x
	await hold("save", 3)
	await hold("right", 240)
	holds(current_scene.get_node("Door").position.y < 200, "the door does not open")
	holds(hero.position.x > 600, "the hero does not get through")
	await hold("load", 3)
	holds(absf(hero.position.x - start) < 8, "loading does not bring the hero back")
`,
};

const multiplayer: Task = {
  name: "multiplayer",
  task: "Make a chat for two: one hosts with --host, the other joins with --join, and each shows who joined and what was said.",
  args: ["--host"],
  calls: [
    create("Chat"),
    keys({ say: ["Enter"] }),
    write(
      "chat.gd",
      'extends Control\n\nconst PORT := 28417\n\n\nfunc _ready() -> void:\n\tvar peer := ENetMultiplayerPeer.new()\n\tvar arguments := OS.get_cmdline_user_args()\n\tif arguments.has("--host"):\n\t\tpeer.create_server(PORT)\n\telif arguments.has("--join"):\n\t\tpeer.create_client("127.0.0.1", PORT)\n\telse:\n\t\treturn\n\tmultiplayer.multiplayer_peer = peer\n\tmultiplayer.peer_connected.connect(func(id: int) -> void: add("%d joined" % id))\n\n\nfunc _process(_delta: float) -> void:\n\tif Input.is_action_just_pressed("say"):\n\t\tadd.rpc("hello from %d" % multiplayer.get_unique_id())\n\n\n@rpc("any_peer", "call_local", "reliable")\nfunc add(line: String) -> void:\n\t$Lines.text += line + "\\n"\n',
    ),
    scene("chat.tscn", "Control", "Chat"),
    batch("chat.tscn", [
      { kind: "attach_script", node: ".", script: "res://chat.gd" },
      { kind: "create", type: "Label", name: "Lines" },
    ]),
    main("chat.tscn"),
    compile,
    game(
      "run",
      { instances: ["--host", "--join"], paused: true },
      { result: { games: ["game-1", "game-2"] } },
    ),
    game(
      "step",
      { game: "game-1", until: '$Lines.text.contains("joined")', maxFrames: 600 },
      { result: { met: true } },
    ),
    game("input", { game: "game-2", events: [{ kind: "action", name: "say", hold: 2 }] }),
    game("step", { game: "game-1", until: '$Lines.text.contains("hello")' }, { result: { met: true } }),
    game("stop"),
  ],
  check: `func play() -> void:
	var other := OS.create_process(OS.get_executable_path(), ["--headless", "--path", ProjectSettings.globalize_path("res://"), "--quit-after", "600", "--", "--join"])
	var lines: Label = current_scene.get_node("Lines")
	var until := Time.get_ticks_msec() + 30000
	while not lines.text.contains("joined") and Time.get_ticks_msec() < until:
		await process_frame
	holds(lines.text.contains("joined"), "nobody joins: " + lines.text)
	await hold("say", 3)
	holds(lines.text.contains("hello from 1"), "the host does not see what it says")
	OS.kill(other)
`,
};

export const TASKS: readonly Task[] = [platformer, menu, room, shooter, repair, door, multiplayer];
