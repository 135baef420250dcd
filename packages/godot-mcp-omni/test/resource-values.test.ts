import type { JsonObject } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

/** Resources whose setters, types and ways of being stored differ. */
const RESOURCES: readonly (readonly [type: string, properties: JsonObject])[] = [
  [
    "StandardMaterial3D",
    {
      albedo_color: { r: 1, g: 0.5, b: 0.1 },
      metallic: 0.3,
      cull_mode: 2,
      emission_enabled: true,
      uv1_scale: { x: 2, y: 2, z: 1 },
    },
  ],
  ["StandardMaterial3D", { albedo_color: "#ff8800", cull_mode: "Disabled", metallic: 0 }],
  [
    "Gradient",
    {
      colors: [
        { r: 0, g: 0, b: 0, a: 1 },
        { r: 1, g: 1, b: 1, a: 1 },
      ],
      offsets: [0, 1],
    },
  ],
  ["Gradient", { offsets: [0.1, 0.7], interpolation_mode: 1 }],
  ["BoxMesh", { size: { x: 1, y: 2, z: 3 }, subdivide_width: 2 }],
  [
    "StyleBoxFlat",
    { bg_color: { r: 0.1, g: 0.2, b: 0.3, a: 0.5 }, border_width_left: 3, corner_radius_top_left: 8 },
  ],
  [
    "Environment",
    { background_mode: 1, ambient_light_color: { r: 1, g: 0, b: 0 }, ambient_light_energy: 0.123456789 },
  ],
  ["Animation", { length: 2.5, loop_mode: 1 }],
  ["TileSet", { tile_size: { x: 32, y: 32 } }],
  ["PhysicsMaterial", { friction: 0.25, bounce: 1 / 3 }],
  ["InputEventKey", { keycode: 65, pressed: true }],
  ["LabelSettings", { font_size: 24, font_color: { r: 1, g: 1, b: 0 } }],
  ["ShaderMaterial", { shader: "res://s.gdshader", "shader_parameter/strength": 0.7 }],
  ["ShaderMaterial", { shader: "res://s.gdshader", "shader_parameter/tint": { r: 1, g: 0, b: 0, a: 1 } }],
  ["CanvasItemMaterial", { blend_mode: "Add" }],
  ["CapsuleShape2D", { radius: 4, height: 30 }],
  ["CapsuleShape2D", { radius: 10, height: 5 }],
  ["RectangleShape2D", { size: { x: 3, y: 4 }, resource_name: "hit", resource_local_to_scene: true }],
  [
    "ConvexPolygonShape2D",
    {
      points: [
        { x: 0, y: 0 },
        { x: 5, y: 0 },
        { x: 0, y: 5 },
      ],
    },
  ],
  [
    "NoiseTexture2D",
    { width: 64, height: 64, noise: { resource: "FastNoiseLite", properties: { seed: 7, frequency: 0.05 } } },
  ],
  ["AudioStreamGenerator", { mix_rate: 22050, buffer_length: 0.1 }],
  ["Theme", { default_font_size: 20 }],
  ["FontVariation", { variation_embolden: 0.5, spacing_glyph: 2 }],
  [
    "Sky",
    {
      sky_material: {
        resource: "ProceduralSkyMaterial",
        properties: { sky_top_color: { r: 0, g: 0, b: 1 } },
      },
    },
  ],
  ["ArrayMesh", { custom_aabb: { position: { x: 0, y: 0, z: 0 }, size: { x: 1, y: 1, z: 1 } } }],
  ["AtlasTexture", { region: { position: { x: 0, y: 0 }, size: { x: 16, y: 16 } } }],
  ["ButtonGroup", { allow_unpress: true }],
  [
    "Resource",
    { resource_name: "x", "metadata/tags": ["a", "b"], "metadata/point": { $type: "Vector2", x: 1, y: 2 } },
  ],
  ["CameraAttributesPractical", { dof_blur_far_enabled: true, dof_blur_far_distance: 3 }],
  ["Skin", {}],
  ["NavigationPolygon", { agent_radius: 7 }],
  ["StandardMaterial3D", { roughness: -4 }],
];

/** Properties that Godot computes from others, and values that a setter limits: Godot knows them, the files do not. */
const BY_GODOT: typeof RESOURCES = [
  ["Curve", { min_value: -1, max_value: 2, bake_resolution: 50 }],
  ["SphereMesh", { radius: 0.1, radial_segments: -4 }],
];

const SHADER = "shader_type canvas_item;\nuniform float strength = 0.5;\nuniform vec4 tint : source_color;\n";

describe("a resource file", () => {
  it("is created, edited and read back in mode files", async () => {
    await makeAndEdit("files", RESOURCES);
  });

  it.skipIf(realGodot === undefined)(
    "is created, edited and read back in mode engine without a false alarm",
    async () => {
      await makeAndEdit("engine", [...RESOURCES, ...BY_GODOT]);
    },
    180_000,
  );
});

async function makeAndEdit(mode: string, resources: typeof RESOURCES): Promise<void> {
  const server = openTestServer({ flags: { godot: realGodot ?? "" } });
  server.write("s.gdshader", SHADER);
  for (const [index, [type, properties]] of resources.entries()) {
    const asset = (args: JsonObject) =>
      server.call("godot_asset", { path: `res://resource${index}.tres`, mode, ...args });
    const made = await asset({ action: "resource.create", type, properties });
    expect(made, type).toMatchObject({ ok: true, execution: { mode } });
    const edited = await asset({ action: "resource.edit", properties: { resource_name: "again" } });
    expect(edited, type).toMatchObject({ ok: true, result: { changed: [{ new: "again" }] } });
  }
}
