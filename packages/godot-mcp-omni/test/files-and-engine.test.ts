import type { JsonObject } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import { SceneText } from "../src/formats/scene-text.ts";
import type { SceneEdit } from "../src/operations/scene-edit.ts";
import { modelOf, type SceneModel } from "../src/scene-model/scene-model.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer } from "./server-project.ts";

const SCENE = `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://enemy.tscn" id="1_e"]
[ext_resource type="Script" path="res://player.gd" id="2_p"]

[sub_resource type="RectangleShape2D" id="RectangleShape2D_a"]
size = Vector2(10, 20)

[sub_resource type="Animation" id="Animation_a"]
resource_name = "go"
tracks/0/type = "value"
tracks/0/imported = false
tracks/0/enabled = true
tracks/0/path = NodePath("World/Deep:position")
tracks/0/interp = 1
tracks/0/loop_wrap = true
tracks/0/keys = {
"times": PackedFloat32Array(0),
"transitions": PackedFloat32Array(1),
"update": 0,
"values": [Vector2(0, 0)]
}

[sub_resource type="AnimationLibrary" id="AnimationLibrary_a"]
_data = {
&"go": SubResource("Animation_a")
}

[node name="Main" type="Node2D"]

[node name="Player" type="CharacterBody2D" parent="." groups=["heroes"]]
position = Vector2(3, 4)
script = ExtResource("2_p")

[node name="Shape" type="CollisionShape2D" parent="Player"]
shape = SubResource("RectangleShape2D_a")

[node name="Joint" type="PinJoint2D" parent="Player"]
node_a = NodePath("../../World/Deep")

[node name="World" type="Node2D" parent="."]
position = Vector2(100, 50)
rotation = 0.5
scale = Vector2(2, 2)

[node name="Deep" type="Node2D" parent="World"]
unique_name_in_owner = true

[node name="Enemy" parent="World" instance=ExtResource("1_e")]
position = Vector2(1, 1)

[node name="Body" parent="World/Enemy" index="0"]
visible = false

[node name="Map" type="TileMapLayer" parent="."]

[node name="Anim" type="AnimationPlayer" parent="."]
libraries/ = SubResource("AnimationLibrary_a")

[connection signal="died" from="Player" to="Player" method="_on_hit"]
[connection signal="tree_entered" from="Player/Shape" to="World" method="queue_redraw"]

[editable path="World/Enemy"]
`;

const SOLID = `[gd_scene format=3]

[node name="Solid" type="Node3D"]

[node name="Body" type="StaticBody3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3)

[node name="Arm" type="Node3D" parent="."]
transform = Transform3D(0, 0, 1, 0, 1, 0, -1, 0, 0, 5, 0, 0)
`;

const CASES: readonly (readonly [name: string, edits: readonly SceneEdit[], scene?: string])[] = [
  [
    "adds a node",
    [
      {
        kind: "add",
        type: "Sprite2D",
        parent: "Player",
        name: "Look",
        properties: { position: { x: 1, y: 2.5 }, flip_h: true },
      },
    ],
  ],
  ["adds at an index", [{ kind: "add", type: "Node", name: "First", index: 0 }]],
  ["gives a taken name the next free one", [{ kind: "add", type: "Node2D", name: "World" }]],
  [
    "adds with groups and script",
    [
      {
        kind: "add",
        type: "CharacterBody2D",
        name: "Two",
        groups: ["a", "b"],
        script: "res://player.gd",
        properties: { speed: 7 },
      },
    ],
  ],
  [
    "makes resources inside",
    [
      {
        kind: "set",
        node: "Player/Shape",
        properties: { shape: { resource: "CircleShape2D", properties: { radius: 4 } } },
      },
    ],
  ],
  [
    "reaches into resources",
    [{ kind: "set", node: "Player/Shape", properties: { "shape:size": { x: 3, y: 3 } } }],
  ],
  [
    "sets many properties",
    [
      {
        kind: "set",
        node: "Player",
        properties: {
          "position:x": 9,
          speed: 2.5,
          modulate: { r: 1, g: 0.5, b: 0, a: 1 },
          collision_layer: 5,
          process_mode: "Always",
        },
      },
    ],
  ],
  [
    "takes a property back to its default",
    [{ kind: "set", node: "Player", properties: { position: { x: 0, y: 0 } } }],
  ],
  [
    "sets metadata of any type",
    [
      {
        kind: "set",
        node: "Player",
        properties: {
          "metadata/any": {
            a: [1, 2.5, true, null, "x"],
            big: { $type: "int", value: "9007199254740993" },
            ids: { $type: "PackedInt64Array", value: ["-9223372036854775808", 7] },
            v: { $type: "Vector2", x: 1, y: 2 },
          },
        },
      },
    ],
  ],
  [
    "instances a scene",
    [
      {
        kind: "instance",
        source: "res://enemy.tscn",
        parent: "World",
        name: "More",
        properties: { position: { x: 3, y: 3 } },
      },
    ],
  ],
  ["removes a node", [{ kind: "remove", node: "Player" }]],
  ["removes an instance", [{ kind: "remove", node: "World/Enemy" }]],
  ["renames a node", [{ kind: "rename", node: "World", name: "Level" }]],
  ["renames the root", [{ kind: "rename", node: ".", name: "Top" }]],
  ["moves a node", [{ kind: "move", node: "World", index: 0 }]],
  ["duplicates a node", [{ kind: "duplicate", node: "Player", name: "Twin" }]],
  ["duplicates an instance", [{ kind: "duplicate", node: "World/Enemy" }]],
  ["reparents where it is", [{ kind: "reparent", node: "Player", parent: "World" }]],
  ["reparents out of a turned parent", [{ kind: "reparent", node: "World/Deep", parent: "." }]],
  [
    "reparents without looking",
    [{ kind: "reparent", node: "Player", parent: "World", keepGlobalTransform: false }],
  ],
  ["reparents in 3D", [{ kind: "reparent", node: "Body", parent: "Arm" }], SOLID],
  [
    "sets position, rotation and scale in 3D",
    [
      {
        kind: "set",
        node: "Body",
        properties: {
          position: { x: 4, y: 5, z: 6 },
          rotation: { x: 0.1, y: 0.2, z: 0.3 },
          scale: { x: 1, y: 2, z: 3 },
        },
      },
      { kind: "set", node: "Arm", properties: { "position:y": 7 } },
      { kind: "set", node: "Arm", properties: { rotation: { x: 0.5, y: -0.25, z: 0 } } },
    ],
    SOLID,
  ],
  ["reparents an animation player", [{ kind: "reparent", node: "Anim", parent: "World" }]],
  ["takes a script away", [{ kind: "script", node: "Player", script: null }]],
  [
    "joins and leaves groups",
    [
      { kind: "group", node: "Player", group: "alive", member: true },
      { kind: "group", node: "Player", group: "heroes", member: false },
    ],
  ],
  ["sets a unique name", [{ kind: "unique_name", node: "Player", unique: true }]],
  ["closes an instance", [{ kind: "editable", node: "World/Enemy", editable: false }]],
  [
    "overrides inside an instance",
    [{ kind: "set", node: "World/Enemy/Body", properties: { position: { x: 2, y: 2 } } }],
  ],
  [
    "connects a signal",
    [
      {
        kind: "connect",
        node: "Player",
        signal: "died",
        to: "World",
        method: "queue_free",
        flags: ["deferred"],
      },
    ],
  ],
  [
    "disconnects a signal",
    [{ kind: "disconnect", node: "Player", signal: "died", to: "Player", method: "_on_hit" }],
  ],
  [
    "puts tiles",
    [
      {
        kind: "tiles",
        node: "Map",
        cells: [
          { x: -1, y: 2, source: 0, atlas: { x: 3, y: 1 } },
          { x: 0, y: 0, source: 1, alternative: 2 },
        ],
      },
    ],
  ],
  [
    "uses in a batch what it made",
    [
      { kind: "add", type: "Node2D", name: "A", as: "a" },
      { kind: "add", type: "Node2D", parent: "$a", name: "B" },
      { kind: "reparent", node: "%Deep", parent: "$a" },
    ],
  ],
];

describe.skipIf(realGodot === undefined)("the same edit by files and by the engine", () => {
  it("results in the same scene and the same reported changes", async () => {
    const files: Record<string, string> = { ...GAME };
    for (const [index, [, , scene = SCENE]] of CASES.entries())
      for (const mode of ["files", "engine"]) files[`${mode}${index}.tscn`] = scene;
    const { call, read } = openTestServer({ files, flags: { godot: realGodot ?? "" } });
    const problems: string[] = [];
    for (const [index, [name, edits]] of CASES.entries()) {
      const reported: JsonObject[] = [];
      const models: object[] = [];
      for (const mode of ["files", "engine"] as const) {
        const scene = `res://${mode}${index}.tscn`;
        const answer = await call("godot_batch", { scene, edits: edits as never, mode });
        if (!answer.ok)
          problems.push(`${name} by ${mode}: ${answer.summary} ${JSON.stringify(answer.error?.details)}`);
        reported.push({ changes: (answer.result?.changes ?? null) as never });
        models.push(comparable(read(`${mode}${index}.tscn`)));
      }
      problems.push(...differences(`${name}, file`, models[0], models[1]));
      problems.push(...differences(`${name}, changes`, reported[0], reported[1]));
    }
    expect(problems).toEqual([]);
  }, 240_000);
});

/** The differences, one line each. */
function differences(name: string, files: unknown, engine: unknown): string[] {
  const a = lines(files);
  const b = lines(engine);
  return [
    ...a.filter((line) => !b.includes(line)).map((line) => `${name}: only by files: ${line}`),
    ...b.filter((line) => !a.includes(line)).map((line) => `${name}: only by the engine: ${line}`),
  ];
}

function lines(value: unknown, place = ""): string[] {
  if (typeof value !== "object" || value === null) return [`${place} ${JSON.stringify(sorted(value))}`];
  return Object.entries(value).flatMap(([key, member]) => lines(member, `${place}.${key}`));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value === "number") return Number(value.toPrecision(5)) + 0;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

function comparable(text: string): object {
  const scene = SceneText.parse(text);
  if (!scene.ok) throw new Error(scene.failure.message);
  const model: SceneModel = modelOf(scene.value);
  return {
    order: [...model.nodes.keys()].join(" "),
    nodes: Object.fromEntries(
      [...model.nodes].map(([path, { name, type, instance, groups, properties }]) => [
        path,
        {
          name,
          type,
          instance,
          groups,
          properties: Object.fromEntries([...properties].map(([name, value]) => [name, rounded(value)])),
        },
      ]),
    ),
    connections: [...model.connections].sort().join("; "),
    editable: [...model.editable].sort().join("; "),
  };
}

/** To five digits: the two ways do the same sums in 32 and in 64 bits. */
function rounded(value: string): string {
  return value.replace(/-?\d+\.?\d*(?:e[-+]?\d+)?/g, (number) =>
    String(Number(Number(number).toPrecision(5)) + 0),
  );
}
