import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer, type TestServer } from "./server-project.ts";

const FILLED = `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://enemy.tscn" id="1"]

[node name="Top" type="Node2D"]

[node name="Enemy" parent="." instance=ExtResource("1")]

[node name="Body" parent="Enemy" index="0"]
position = Vector2(7, 7)

[node name="Extra" type="Node2D" parent="Enemy/Body"]

[node name="Beside" type="Node2D" parent="Enemy"]

[editable path="Enemy"]
`;

const GROUPED = (GAME["enemy.tscn"] ?? "").replace('type="Node2D"', 'type="Node2D" groups=["foes"]');

describe.skipIf(realGodot === undefined)("inside an instance", () => {
  const undo: (() => void | Promise<void>)[] = [];
  let server: TestServer;

  beforeAll(() => {
    server = openTestServer({
      files: { ...GAME, "grouped.tscn": GROUPED },
      flags: { godot: realGodot ?? "" },
      later: (step) => undo.unshift(step),
    });
  });

  afterAll(async () => {
    for (const step of undo) await step();
  });

  describe.each(["files", "engine"])("by %s", (mode) => {
    const scene = "res://filled.tscn";
    const open = (text = FILLED) => {
      server.write("filled.tscn", text);
      return server;
    };

    it("a change is taken back by setting what the instance says", async () => {
      const { call, read } = open();
      const properties = { position: { x: 0, y: 0 } };
      expect(
        await call("godot_scene", { action: "update", scene, mode, node: "Enemy/Body", properties }),
      ).toMatchObject({
        ok: true,
        result: {
          difference: {
            changed: [{ node: "Enemy/Body", what: "position", old: "Vector2(7, 7)", new: null }],
          },
        },
      });
      expect(read("filled.tscn")).not.toContain("Vector2(7, 7)");
      expect(read("filled.tscn")).toContain('name="Extra"');
    }, 120_000);

    it("a node cannot leave a group that the instance's own scene gives it", async () => {
      const text = FILLED.replace("enemy.tscn", "grouped.tscn");
      const { call, read } = open(text);
      const edits = [{ kind: "group", node: "Enemy", group: "foes", member: false }];
      expect(await call("godot_batch", { scene, mode, edits })).toMatchObject({
        ok: false,
        error: { code: "E_UNSUPPORTED", suggestedFix: "Take it out of the group in that scene." },
      });
      expect(read("filled.tscn")).toBe(text);
    }, 120_000);

    it("nodes that could not be reached in a closed one keep it open", async () => {
      const { call, read } = open();
      const close = { action: "set_editable", scene, mode, node: "Enemy", on: false };
      expect(await call("godot_scene", close)).toMatchObject({
        ok: false,
        error: { code: "E_UNSUPPORTED", details: { nodes: ["Enemy/Body/Extra"] } },
      });
      expect(read("filled.tscn")).toBe(FILLED);
      await call("godot_scene", { action: "remove", scene, mode, node: "Enemy/Body/Extra" });
      expect(await call("godot_scene", close)).toMatchObject({ ok: true });
    }, 120_000);
  });
});
