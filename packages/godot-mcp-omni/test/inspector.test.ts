import { describe, expect, it } from "vitest";
import { GAME, openTestServer } from "./server-project.ts";

describe("the inspector", () => {
  it("finds nodes by their group", async () => {
    const { call } = openTestServer();
    expect(
      await call("godot_inspector", { action: "query", scene: "res://main.tscn", group: "heroes" }),
    ).toMatchObject({ result: { total: 1, nodes: [{ node: "Player" }] } });
  });

  it("finds nodes by a class that their script extends by name", async () => {
    const { call } = openTestServer({
      files: {
        ...GAME,
        ".godot/global_script_class_cache.cfg": 'list=[{\n"class": &"Foe",\n"path": "res://foe.gd"\n}]\n',
        "foe.gd": "class_name Foe\nextends Node2D\n",
        "boss.gd": "extends Foe\n",
        "fight.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://boss.gd" id="1_b"]

[node name="Boss" type="Node2D"]
script = ExtResource("1_b")
`,
      },
    });
    const query = { action: "query", scene: "res://fight.tscn", class: "Foe" };
    expect(await call("godot_inspector", query)).toMatchObject({
      result: { total: 1, nodes: [{ node: ".", type: "Foe" }] },
    });
  });

  it("describes a typical node in less than 4 kB", async () => {
    const { call } = openTestServer();
    const answer = await call("godot_inspector", {
      action: "inspect",
      scene: "res://main.tscn",
      node: "Player",
    });
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(4_000);
  });
});
