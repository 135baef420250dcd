import { expect, test } from "vitest";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer } from "./server-project.ts";

const CONNECTION = '\n[connection signal="tree_entered" from="." to="." method="show"]\n';

test.skipIf(realGodot === undefined)(
  "a scene that the engine reopened from its last session is edited as it is on the disk",
  { timeout: 240_000 },
  async () => {
    const { call, read, write } = openTestServer({
      files: {
        ...GAME,
        "boss.tscn": `${GAME["boss.tscn"]}${CONNECTION}`,
        ".godot/editor/editor_layout.cfg":
          '[EditorNode]\n\nopen_scenes=PackedStringArray("res://boss.tscn")\ncurrent_scene="res://boss.tscn"\n',
      },
      flags: { godot: realGodot ?? "" },
    });
    const connect = (scene: string) =>
      call("godot_inspector", {
        ...{ action: "connect_signal", scene, mode: "engine", node: "." },
        ...{ signal: "tree_entered", to: ".", method: "show" },
      });
    // Starts the engine, which opens the other scene too.
    expect(await connect("res://main.tscn")).toMatchObject({ ok: true });
    write("boss.tscn", GAME["boss.tscn"] ?? "");
    expect(await connect("res://boss.tscn")).toMatchObject({ ok: true });
    expect(read("boss.tscn").match(/\[connection/g)).toHaveLength(1);
  },
);
