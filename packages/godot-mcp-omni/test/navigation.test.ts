import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { JsonObject } from "@toolpact/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realGodot } from "./real-godot.ts";
import { openTestServer, type TestServer } from "./server-project.ts";

const head = (type: string) => `[gd_scene format=3]\n\n[node name="Level" type="${type}"]\n`;

/** Two adjacent 2D rooms, a third that only a link reaches, one way, and a fourth that nothing does. */
const FLAT = `[gd_scene format=3]

[sub_resource type="NavigationPolygon" id="rooms"]
vertices = PackedVector2Array(0, 0, 100, 0, 100, 100, 0, 100, 200, 0, 200, 100)
polygons = Array[PackedInt32Array]([PackedInt32Array(0, 1, 2, 3), PackedInt32Array(1, 4, 5, 2)])

[sub_resource type="NavigationPolygon" id="square"]
vertices = PackedVector2Array(0, 0, 100, 0, 100, 100, 0, 100)
polygons = Array[PackedInt32Array]([PackedInt32Array(0, 1, 2, 3)])

[node name="Level" type="Node2D"]

[node name="Rooms" type="NavigationRegion2D" parent="."]
navigation_polygon = SubResource("rooms")

[node name="Beside" type="NavigationRegion2D" parent="."]
position = Vector2(200, 50)
navigation_polygon = SubResource("square")

[node name="Island" type="NavigationRegion2D" parent="."]
position = Vector2(500, 0)
navigation_polygon = SubResource("square")

[node name="Lost" type="NavigationRegion2D" parent="."]
position = Vector2(900, 0)
rotation = 0.5
navigation_polygon = SubResource("square")

[node name="Jump" type="NavigationLink2D" parent="."]
bidirectional = false
start_position = Vector2(280, 100)
end_position = Vector2(520, 50)

[node name="Spawn" type="CharacterBody2D" parent="."]
position = Vector2(20, 20)

[node name="Agent" type="NavigationAgent2D" parent="Spawn"]

[node name="Goals" type="Node2D" parent="."]

[node name="Next" type="Marker2D" parent="Goals"]
position = Vector2(180, 80)

[node name="Other" type="Marker2D" parent="Goals"]
position = Vector2(260, 120)

[node name="Over" type="Marker2D" parent="Goals"]
position = Vector2(560, 50)

[node name="Away" type="Marker2D" parent="Goals"]
position = Vector2(900, 60)

[node name="Nowhere" type="Marker2D" parent="Goals"]
position = Vector2(60, 400)
`;

describe.skipIf(realGodot === undefined)("navigation, overlaps in 3D and materials", () => {
  let server: TestServer;
  let facts: Record<string, JsonObject>;
  const undos: (() => void | Promise<void>)[] = [];
  const done = async (tool: string, args: JsonObject) => {
    const answer = await server.call(tool, args);
    expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true });
    return answer.result as JsonObject;
  };
  const ways = async (scene: string, goals: readonly string[]) => {
    const { problems } = await done("godot_understand", {
      action: "spatial",
      scene,
      spawn: "Spawn",
      goals: goals.map((goal) => `Goals/${goal}`),
    });
    const lost = (problems as JsonObject[])
      .filter(({ kind }) => kind === "unreachable")
      .map(({ node }) => String(node).slice("Goals/".length));
    return Object.fromEntries(goals.map((goal) => [goal, !lost.includes(goal)]));
  };

  beforeAll(async () => {
    server = openTestServer({
      files: {
        "project.godot":
          'config_version=5\n\n[application]\nconfig/name="Ways"\nconfig/features=PackedStringArray("4.6")\n',
        "flat.tscn": FLAT,
        "solid.tscn": head("Node3D"),
      },
      flags: { godot: realGodot ?? "" },
      later: (undo) => void undos.unshift(undo),
    });
    const scene = "res://solid.tscn";
    const add = (
      type: string,
      name: string,
      parent: string,
      properties: JsonObject = {},
      primitive?: string,
    ) =>
      done("godot_scene", {
        action: "create",
        scene,
        type,
        name,
        parent,
        properties,
        ...(primitive !== undefined && { primitive }),
      });
    await add("NavigationRegion3D", "Walk", ".", {
      navigation_mesh: { resource: "NavigationMesh", properties: { geometry_parsed_geometry_type: 1 } },
    });
    const box = (size: readonly number[]) => ({ resource: "BoxShape3D", properties: { size } });
    for (const [name, x] of [
      ["Floor", 0],
      ["Ledge", 40],
    ] as const) {
      await add("StaticBody3D", name, "Walk", { position: [x, 0, 0] });
      await add("CollisionShape3D", "Shape", `Walk/${name}`, { shape: box([20, 1, 20]) as never });
    }
    await add("StaticBody3D", "Wall", ".", { position: [0, 0.75, 9], rotation_degrees: [0, 90, 0] });
    await add("CollisionShape3D", "Shape", "Wall", { shape: box([1, 1, 4]) as never });
    await add("StaticBody3D", "Beside", ".", { position: [0, 1, 20] });
    await add("CollisionShape3D", "Shape", "Beside", { shape: box([1, 1, 1]) as never });
    await add("CharacterBody3D", "Spawn", ".", { position: [-8, 1.5, 0] });
    await add("Node3D", "Goals", ".");
    await add("Marker3D", "Here", "Goals", { position: [8, 1, 4] });
    await add("Marker3D", "There", "Goals", { position: [40, 1, 0] });
    await add("Marker3D", "High", "Goals", { position: [0, 30, 0] });
    await add("Node3D", "Crate", ".", { position: [0, 1, 0] });
    await done("godot_code", {
      action: "file.write",
      path: "res://dot.svg",
      content:
        '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="8"><rect width="16" height="8"/></svg>',
    });
    await done("godot_asset", { action: "scan" });
    await add("MeshInstance3D", "Crate_Mesh", "Crate", {
      mesh: { resource: "BoxMesh" },
      material_override: {
        resource: "StandardMaterial3D",
        properties: {
          albedo_color: "#ff8000",
          metallic: 0.75,
          emission_enabled: true,
          emission: "blue",
          transparency: "TRANSPARENCY_ALPHA",
          albedo_texture: "res://dot.svg",
        },
      },
    });
    await done("godot_asset", {
      action: "resource.create",
      path: "res://stone.tres",
      type: "StandardMaterial3D",
      properties: { roughness: 0.25 },
    });
    await done("godot_content", { action: "navigation.bake", scene, node: "Walk" });
    const { svg } = await done("godot_understand", { action: "graph", format: "svg" });
    writeFileSync(join(server.root, "graph.svg"), String(svg));
    const { stdout } = await promisify(execFile)(realGodot ?? "", [
      ...["--headless", "--path", server.root],
      ...["--script", join(import.meta.dirname, "navigation-oracle.gd")],
    ]);
    facts = JSON.parse(/^FACTS (.*)$/m.exec(stdout)?.[1] ?? "null");
  }, 180_000);

  afterAll(async () => {
    for (const undo of undos) await undo();
  });

  test("is baked in 3D on both floors, less the radius of an agent", () => {
    expect(facts.solid).toMatchObject({ polygons: expect.any(Number), bounds: [-9.5, -9.5, 49.5, 9.5] });
    expect(facts.solid?.polygons).toBeGreaterThanOrEqual(2);
  });

  test("leads where Godot's own servers find a way, in 2D and 3D", async () => {
    expect(facts.flat?.ways).toEqual({ Next: true, Other: true, Over: true, Away: false, Nowhere: false });
    expect(facts.solid?.ways).toEqual({ Here: true, There: false, High: false });
    expect(await ways("res://flat.tscn", Object.keys(facts.flat?.ways ?? {}))).toEqual(facts.flat?.ways);
    expect(await ways("res://solid.tscn", Object.keys(facts.solid?.ways ?? {}))).toEqual(facts.solid?.ways);
  });

  test("of a scene with agents is checked unasked, with the parts that nothing connects", async () => {
    const { problems } = await done("godot_understand", { action: "spatial", scene: "res://flat.tscn" });
    expect(
      (problems as JsonObject[])
        .filter(({ kind }) => kind === "unreachable")
        .map(({ node, with: from }) => [node, from]),
    ).toEqual([
      ["Goals/Away", "Spawn"],
      ["Goals/Nowhere", "Spawn"],
      ["Lost", undefined],
    ]);
  });

  test("bodies of 3D that stand in each other are those that Godot's physics finds", async () => {
    const { problems } = await done("godot_understand", { action: "spatial", scene: "res://solid.tscn" });
    const pairs = (problems as JsonObject[])
      .filter(({ kind }) => kind === "overlap")
      .map(({ node, with: other }) => [String(node), String(other)].sort());
    expect(pairs).toEqual([["Walk/Floor", "Wall"]]);
    expect(facts.solid?.inside).toEqual(pairs);
  });

  test("refuses a way from or to a node that is not there", async () => {
    expect(
      await server.call("godot_understand", {
        action: "spatial",
        scene: "res://flat.tscn",
        spawn: "Spwan",
        goals: ["Goals/Next"],
      }),
    ).toMatchObject({ ok: false, error: { code: "E_NOT_FOUND", suggestedFix: "Did you mean Spawn?" } });
    expect(
      await server.call("godot_understand", { action: "spatial", scene: "res://flat.tscn", spawn: "Spawn" }),
    ).toMatchObject({ ok: false, error: { code: "E_SCHEMA_VALIDATION" } });
  });

  test("materials are what was asked for", () => {
    expect(facts.material).toEqual({
      class: "StandardMaterial3D",
      albedo: "ff8000ff",
      metallic: 0.75,
      emission: [true, "0000ff"],
      transparency: 1,
      texture: "(16.0, 8.0)",
      file: 0.25,
    });
  });

  test("the project's graph as SVG is an image that Godot draws", () => {
    const [error, width, height] = facts.svg as unknown as readonly [number, number, number];
    expect(error).toBe(0);
    expect(width).toBeGreaterThan(200);
    expect(height).toBeGreaterThan(50);
  });
});
