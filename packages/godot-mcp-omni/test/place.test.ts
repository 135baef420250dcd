import type { JsonObject } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import { START_MS } from "./godot-project.ts";
import { errorsByGodot } from "./independent-godot.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer } from "./server-project.ts";

const body = (name: string, shape: string, position: string, parent = ".") =>
  `[node name="${name}" type="StaticBody3D" parent="${parent}"]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, ${position})

[node name="Shape" type="CollisionShape3D" parent="${parent === "." ? name : `${parent}/${name}`}"]
shape = SubResource("${shape}")
`;

/** A floor with its top at 0, a table, a lamp and a chair in the air, a cup in a turned group, and a fence's path. */
const ROOM = `[gd_scene format=3]

[sub_resource type="BoxShape3D" id="floor"]
size = Vector3(10, 0.2, 8)

[sub_resource type="BoxShape3D" id="table"]
size = Vector3(2, 1, 1)

[sub_resource type="CylinderShape3D" id="lamp"]
radius = 0.2
height = 0.5

[sub_resource type="BoxShape3D" id="chair"]
size = Vector3(0.5, 1, 0.5)

[sub_resource type="Curve3D" id="curve"]
_data = {
"points": PackedVector3Array(0, 0, 0, 0, 0, 0, -4, 0, -3, 0, 0, 0, 0, 0, 0, 4, 0, -3),
"tilts": PackedFloat32Array(0, 0)
}
point_count = 2

[sub_resource type="BoxMesh" id="cup"]
size = Vector3(0.2, 0.3, 0.2)

[node name="Room" type="Node3D"]

${body("Floor", "floor", "0, -0.1, 0")}
${body("Table", "table", "1, 0.5, 0")}
${body("Lamp", "lamp", "0, 5, 0")}
${body("Chair", "chair", "-3, 4, 2")}
[node name="Group" type="Node3D" parent="."]
transform = Transform3D(0, 0, 1, 0, 1, 0, -1, 0, 0, 3, 0, 0)

[node name="Cup" type="MeshInstance3D" parent="Group"]
mesh = SubResource("cup")

[node name="Ghost" type="Node3D" parent="."]

[node name="Label" type="Label" parent="."]

[node name="Fence" type="Path3D" parent="."]
curve = SubResource("curve")
`;

const LEVEL = `[gd_scene format=3]

[sub_resource type="RectangleShape2D" id="ground"]
size = Vector2(200, 20)

[sub_resource type="RectangleShape2D" id="crate"]
size = Vector2(16, 16)

[node name="Level" type="Node2D"]

[node name="Ground" type="StaticBody2D" parent="."]
position = Vector2(100, 200)

[node name="Shape" type="CollisionShape2D" parent="Ground"]
shape = SubResource("ground")

[node name="Crate" type="StaticBody2D" parent="."]
position = Vector2(40, 20)

[node name="Shape" type="CollisionShape2D" parent="Crate"]
position = Vector2(0, -8)
shape = SubResource("crate")
`;

function room(files: Readonly<Record<string, string>> = {}) {
  const server = openTestServer({ files: { ...GAME, "room.tscn": ROOM, "level.tscn": LEVEL, ...files } });
  const place = async (node: string, where: JsonObject, scene = "room") =>
    server.call("godot_scene", { action: "place", scene: `res://${scene}.tscn`, node, where });
  const at = async (node: string, where: JsonObject, scene?: string) => {
    const { result, error } = await place(node, where, scene);
    if (result === null) throw new Error(JSON.stringify(error));
    return (result as { placed: { node: string; at: number[] }[] }).placed;
  };
  return { ...server, place, at };
}

describe("a node that is placed by meaning", () => {
  it("stands on, beside, inside and along others in 3D", async () => {
    const { at, read, bugs } = room();
    expect(await at("Lamp", { on: "Table" })).toEqual([{ node: "Lamp", at: [1, 1.25, 0] }]);
    expect(await at("Lamp", { on: "Table", at: [0, 0] })).toEqual([{ node: "Lamp", at: [0.2, 1.25, -0.3] }]);
    expect(await at("Chair", { beside: "Table", side: "left", gap: 0.1 })).toEqual([
      { node: "Chair", at: [-0.35, 0.5, 0] },
    ]);
    // Its parent is turned and moved: the place is in the scene, the position in the parent.
    expect(await at("Group/Cup", { on: "Table" })).toEqual([{ node: "Group/Cup", at: [1, 1.15, 0] }]);
    expect(read("room.tscn")).toMatch(
      /\[node name="Cup".*\n.*\ntransform = Transform3D\(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1\.15, -2\)/,
    );
    expect(await at("Chair", { floor: true })).toEqual([{ node: "Chair", at: [-0.35, 0.5, 0] }]);
    expect(await at("Chair", { along: "Fence", count: 3 })).toEqual([
      { node: "Chair", at: [-4, 0.5, -3] },
      { node: "Chair2", at: [0, 0.5, -3] },
      { node: "Chair3", at: [4, 0.5, -3] },
    ]);
    expect(bugs).toEqual([]);
  });

  it("makes copies in a grid, as one edit that one undo takes back", async () => {
    const { at, call, read } = room();
    const before = read("room.tscn");
    const places = await at("Chair", { on: "Floor", grid: [3, 2], gap: 0.5, count: 6, at: [0, 1] });
    expect(places.map((row) => row.at)).toEqual([
      [-4.75, 0.5, 2.75],
      [-3.75, 0.5, 2.75],
      [-2.75, 0.5, 2.75],
      [-4.75, 0.5, 3.75],
      [-3.75, 0.5, 3.75],
      [-2.75, 0.5, 3.75],
    ]);
    expect(new Set(places.map((row) => row.node)).size).toBe(6);
    await call("godot_scene", { action: "undo", scene: "res://room.tscn" });
    expect(read("room.tscn")).toBe(before);
  });

  it("is refused where it would stand in a body, or where there is no room, unless anyway", async () => {
    const { place, at, read } = room();
    const before = read("room.tscn");
    await at("Lamp", { on: "Table" });
    const standing = read("room.tscn");
    expect(await place("Chair", { on: "Table" })).toMatchObject({
      ok: false,
      error: {
        code: "E_UNSUPPORTED",
        message: "Chair would stand 0.4 meters deep in Lamp.",
        details: { overlaps: [{ body: "Lamp", depth: 0.4 }] },
      },
    });
    expect(await place("Table", { on: "Lamp" })).toMatchObject({
      error: { message: "It needs 2 × 1 and Lamp has 0.4 × 0.4." },
    });
    expect(read("room.tscn")).toBe(standing);
    expect(standing).not.toBe(before);
    expect(await at("Chair", { on: "Table", anyway: true })).toEqual([{ node: "Chair", at: [1, 1.5, 0] }]);
  });

  it("stands on the ground in 2D, and stacks upward", async () => {
    const { at } = room();
    expect(await at("Crate", { floor: true }, "level")).toEqual([{ node: "Crate", at: [40, 190] }]);
    expect(await at("Crate", { on: "Ground", at: [1, 0.5] }, "level")).toEqual([
      { node: "Crate", at: [192, 190] },
    ]);
    expect(
      (await at("Crate", { on: "Ground", grid: [1, 2], count: 2 }, "level")).map((row) => row.at),
    ).toEqual([
      [100, 190],
      [100, 174],
    ]);
    expect((await at("Crate2", { beside: "Ground", side: "below" }, "level"))[0]?.at).toEqual([100, 226]);
  });

  it.each([
    ["Ghost", { on: "Table" }, "The files do not show how large Ghost is."],
    ["Label", { on: "Table" }, "Label is a Label: only nodes of 2D, or nodes of 3D, can be placed together."],
    ["Lamp", { on: "Tabel" }, 'There is no node "Tabel" in the scene.'],
    ["Lamp", { on: "Table", beside: "Chair" }, "where: takes one of on, beside, inside, along and floor."],
    ["Lamp", { count: 3 }, "where: needs on, beside, inside, along, floor or grid."],
    [".", { on: "Table" }, "The root of a scene is not placed in it."],
  ] as const)("of %s %o is refused with the reason", async (node, where, message) => {
    const { place, read } = room();
    expect(await place(node, where)).toMatchObject({ ok: false, error: { message } });
    expect(read("room.tscn")).toBe(ROOM);
  });

  it("is checked against baked navigation", async () => {
    const nav = LEVEL.replace(
      '[node name="Level"',
      `[sub_resource type="NavigationPolygon" id="nav"]
vertices = PackedVector2Array(0, 0, 90, 0, 90, 400, 0, 400)
polygons = Array[PackedInt32Array]([PackedInt32Array(0, 1, 2, 3)])

[node name="Level"`,
    ).replace(
      '[node name="Ground"',
      `[node name="Region" type="NavigationRegion2D" parent="."]
navigation_polygon = SubResource("nav")

[node name="Guard" type="CharacterBody2D" parent="."]

[node name="Shape" type="CollisionShape2D" parent="Guard"]
shape = SubResource("crate")

[node name="Ground"`,
    );
    const { place, at } = room({ "level.tscn": nav });
    expect(await place("Guard", { on: "Ground", at: [1, 0.5] }, "level")).toMatchObject({
      ok: false,
      error: { message: "Guard would not stand on the navigation mesh." },
    });
    expect(await at("Guard", { on: "Ground", at: [0.2, 0.5] }, "level")).toHaveLength(1);
    expect(await place("Crate", { on: "Ground", at: [0, 0.5] }, "level")).toMatchObject({
      ok: true,
      warnings: ["Crate stands on baked navigation: bake it again with godot_content navigation.bake."],
    });
  });
});

describe.skipIf(realGodot === undefined)("with a real Godot", () => {
  it(
    "places the same in engine mode as in files mode, and Godot opens it",
    async () => {
      const scenes: string[] = [];
      for (const godot of ["", realGodot ?? ""]) {
        const server = openTestServer({ files: { ...GAME, "room.tscn": ROOM }, flags: { godot } });
        const answer = await server.call("godot_scene", {
          action: "place",
          scene: "res://room.tscn",
          node: "Chair",
          where: { beside: "Table", side: "front", count: 2 },
        });
        expect(answer).toMatchObject({ ok: true, execution: { mode: godot === "" ? "files" : "engine" } });
        scenes.push(JSON.stringify((answer.result as JsonObject).placed));
        if (godot !== "") expect(await errorsByGodot(godot, server.root)).toEqual([]);
      }
      expect(scenes[1]).toBe(scenes[0]);
    },
    START_MS * 2,
  );
});
