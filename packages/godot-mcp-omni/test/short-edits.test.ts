import type { JsonObject } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import { START_MS } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer } from "./server-project.ts";

const MAX_BYTES = 4000;
const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

const PIXELS = Buffer.alloc(48 * 48 * 4, 7).toString("base64");

/** A scene as large projects have them: a picture inside, matrices with noise, values at their defaults, old spellings. */
const REAL = `[gd_scene load_steps=4 format=4]

[sub_resource type="Image" id="img"]
data = {
"data": PackedByteArray("${PIXELS}"),
"format": "RGBA8",
"height": 48,
"mipmaps": false,
"width": 48
}

[sub_resource type="ImageTexture" id="tex"]
image = SubResource("img")

[sub_resource type="Animation" id="anim"]
length = 2.0
tracks/0/type = "value"
tracks/0/path = NodePath("Body0:position")
tracks/0/keys = {
"times": PackedFloat32Array(${many(150, (index) => index * 0.005).join(", ")}),
"transitions": PackedFloat32Array(${many(150, () => 1).join(", ")}),
"update": 0,
"values": [${many(150, (index) => `Vector3(${index}, 0.1, 0.30000001)`).join(", ")}]
}

[sub_resource type="AnimationLibrary" id="lib"]
_data = {
"walk": SubResource("anim")
}

[node name="Root" type="Node3D"]

[node name="Anim" type="AnimationPlayer" parent="."]
libraries = {
"": SubResource("lib")
}

${many(40, (index) => `[node name="Body${index}" type="MeshInstance3D" parent="."]\ntransform = Transform3D(0.8660254, 0.${index}1234567, -0.4999999, 0.30000001, 0.8, 0.5, 0.5, -0.1, 0.866, ${index}.123456789, 1e-08, 3)\nvisible = true\nnot_a_property = "${"x".repeat(200)}"\n${index < 8 ? 'metadata/tex = SubResource("tex")\n' : ""}`).join("\n")}
[node name="Sprite" type="Sprite2D" parent="."]
texture = SubResource("tex")
`;

/** The same without unknown parts, which lets this Godot save the scene itself. */
const KNOWN = REAL.replace(/not_a_property = .*\n/g, "")
  .replace(/libraries = \{\n"": (.*)\n\}/, "libraries/ = $1")
  .replace('"walk"', '&"walk"');

const EDITS: readonly (readonly [tool: string, args: JsonObject])[] = [
  ["godot_inspector", { action: "set_property", node: "Body3", property: "visible", value: false }],
  ["godot_inspector", { action: "set_property", node: "Sprite", property: "centered", value: false }],
  ["godot_scene", { action: "create", type: "Node3D", name: "New" }],
  ["godot_scene", { action: "duplicate", node: "Sprite" }],
  ["godot_scene", { action: "rename", node: "Body4", newName: "Torso" }],
  ["godot_scene", { action: "reparent", node: "Body5", parent: "Body6" }],
  ["godot_scene", { action: "remove", node: "Body7" }],
  ["godot_batch", { edits: [{ kind: "set", node: "Body8", properties: { visible: false } }] }],
  ["godot_scene", { action: "undo" }],
  ["godot_scene", { action: "redo" }],
];

describe.each(["files", ...(realGodot === undefined ? [] : ["engine"])])(
  "an edit of a scene of a real project, by %s",
  (mode) => {
    it(
      "answers in at most 4 kB",
      async () => {
        const server = openTestServer({
          files: { ...GAME, "real.tscn": REAL, "known.tscn": KNOWN },
          flags: { godot: mode === "files" ? "" : realGodot },
        });
        const large: string[] = [];
        const calls = [
          ...EDITS.slice(0, 3).map(([tool, args]) => [tool, { scene: "res://real.tscn", ...args }] as const),
          ...EDITS.map(([tool, args]) => [tool, { scene: "res://known.tscn", ...args }] as const),
        ];
        for (const [tool, args] of calls) {
          const answer = await server.call(tool, args);
          expect(answer.ok, JSON.stringify(answer).slice(0, 600)).toBe(true);
          const bytes = Buffer.byteLength(JSON.stringify(answer));
          if (bytes > MAX_BYTES)
            large.push(`${tool} ${JSON.stringify(args)}: ${bytes} ${JSON.stringify(answer).slice(0, 1500)}`);
        }
        expect(large).toEqual([]);
      },
      START_MS * 2,
    );
  },
);
