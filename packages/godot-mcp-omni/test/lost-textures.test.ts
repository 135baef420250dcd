import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { png } from "./png.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

/** As Godot writes it next to a texture. */
const importFile = (name: string) => `[remap]

importer="texture"
type="CompressedTexture2D"
uid="uid://b${name}00000001"
path="res://.godot/imported/${name}.png-0123456789abcdef0123456789abcdef.ctex"
metadata={
"vram_texture": false
}

[deps]

source_file="res://${name}.png"
dest_files=["res://.godot/imported/${name}.png-0123456789abcdef0123456789abcdef.ctex"]

[params]

compress/mode=0
mipmaps/generate=false
process/fix_alpha_border=true
`;

const LFS_POINTER = `version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
`;

const FILES = {
  "project.godot": `config_version=5

[application]

config/name="Game"
config/features=PackedStringArray("4.6")
`,
  "hero.png.import": importFile("hero"),
  "hero.tscn": `[gd_scene format=3]

[ext_resource type="Texture2D" path="res://hero.png" id="1"]

[node name="Hero" type="Node2D"]

[node name="Picture" type="Sprite2D" parent="."]
texture = ExtResource("1")

[node name="Edited" type="Node2D" parent="."]
`,
  "level.tscn": `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://hero.tscn" id="1"]

[node name="Level" type="Node2D"]

[node name="Hero" parent="." instance=ExtResource("1")]

[node name="Edited" type="Node2D" parent="."]
`,
  "skin.tres": `[gd_resource type="StyleBoxTexture" format=3]

[ext_resource type="Texture2D" path="res://hero.png" id="1"]

[resource]
texture = ExtResource("1")
`,
  "other.tscn": `[gd_scene format=3]

[node name="Other" type="Node2D"]

[node name="Edited" type="Node2D" parent="."]
`,
};

const PICTURE = png(8, 8, () => [200, 30, 30, 255]);

describe.skipIf(realGodot === undefined)("a scene whose texture has an .import file", () => {
  const open = (picture: string | Buffer | undefined) => {
    const server = openTestServer({ files: FILES, flags: { godot: realGodot ?? "" } });
    const file = join(server.root, "hero.png");
    if (picture !== undefined) writeFileSync(file, picture);
    const done = async (tool: string, args: Parameters<typeof server.call>[1]) => {
      const answer = await server.call(tool, args);
      expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true });
      return answer;
    };
    let value = 0;
    const set = (scene: string) => {
      value++;
      return done("godot_inspector", {
        action: "set_property",
        scene: `res://${scene}`,
        node: "Edited",
        property: "z_index",
        value,
      });
    };
    return { ...server, file, done, set };
  };

  test.each([
    ["is missing", undefined, "res://hero.png (missing)"],
    ["is a Git LFS pointer", LFS_POINTER, "res://hero.png (a Git LFS pointer)"],
    ["is empty", "", "res://hero.png (not imported)"],
  ])(
    "is edited as text if the texture %s, and by the engine once it is there",
    async (_, picture, why) => {
      const { file, done, set, read } = open(picture);
      for (const scene of ["hero.tscn", "level.tscn"]) {
        const answer = await set(scene);
        expect(answer).toMatchObject({ execution: { mode: "files" } });
        expect(answer.warnings?.join()).toContain(why);
      }
      const tree = await done("godot_inspector", { action: "scene_tree.get", scene: "res://hero.tscn" });
      expect(tree.warnings?.join()).toContain(why);
      const edited = await done("godot_asset", {
        action: "resource.edit",
        path: "res://skin.tres",
        properties: { resource_name: "Skin" },
      });
      expect(edited.warnings?.join()).toContain(why);
      expect(await set("other.tscn")).toMatchObject({ execution: { mode: "engine" } });

      writeFileSync(file, PICTURE);
      for (const scene of ["hero.tscn", "level.tscn"]) {
        const answer = await set(scene);
        expect(answer).toMatchObject({ execution: { mode: "engine" } });
        expect(answer.warnings ?? []).toEqual([]);
      }
      for (const kept of ["hero.tscn", "skin.tres"]) {
        expect(read(kept)).toContain('path="res://hero.png"');
        expect(read(kept)).toContain('texture = ExtResource("1")');
      }
    },
    120_000,
  );

  test("keeps its texture if only Godot's imported copy of it is left", async () => {
    const { file, set, read } = open(PICTURE);
    await set("other.tscn");
    rmSync(file);
    await set("hero.tscn");
    await set("level.tscn");
    expect(read("hero.tscn")).toContain('texture = ExtResource("1")');
    expect(read("hero.tscn")).toContain("z_index = 2");
  }, 120_000);

  test.each(["files", "engine"])(
    "is not used anew while it is lost (%s)",
    async (mode) => {
      const { file, set, call, read } = open(PICTURE);
      await set("other.tscn");
      rmSync(file);
      const before = read("other.tscn");
      const properties = { texture: "res://hero.png" };
      const create = { action: "create", scene: "res://other.tscn", type: "Sprite2D", properties, mode };
      expect(await call("godot_scene", create)).toMatchObject({ error: { code: "E_NOT_FOUND" } });
      expect(read("other.tscn")).toBe(before);
    },
    120_000,
  );
});
