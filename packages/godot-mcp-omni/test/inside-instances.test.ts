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

const WIRED = `${GAME["enemy.tscn"]}
[connection signal="tree_entered" from="." to="." method="show"]
`;

describe.skipIf(realGodot === undefined)("inside an instance", () => {
  const undo: (() => void | Promise<void>)[] = [];
  let server: TestServer;

  beforeAll(() => {
    server = openTestServer({
      files: { ...GAME, "grouped.tscn": GROUPED, "wired.tscn": WIRED },
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

    it.each([
      ["", "parent"],
      [", also if this scene repeats it", 'groups=["foes"] parent'],
    ])(
      "a node cannot leave a group that the instance's own scene gives it%s",
      async (_, groups) => {
        const text = FILLED.replace("enemy.tscn", "grouped.tscn").replace(
          'name="Enemy" parent',
          `name="Enemy" ${groups}`,
        );
        const { call, read } = open(text);
        const edits = [{ kind: "group", node: "Enemy", group: "foes", member: false }];
        expect(await call("godot_batch", { scene, mode, edits })).toMatchObject({
          ok: false,
          error: { code: "E_UNSUPPORTED", suggestedFix: "Take it out of the group in that scene." },
        });
        expect(read("filled.tscn")).toBe(text);
      },
      120_000,
    );

    it.each([
      ["an heir", '[node name="Top" instance=ExtResource("1")]', "."],
      [
        "an instance",
        '[node name="Top" type="Node2D"]\n\n[node name="Foe" parent="." instance=ExtResource("1")]',
        "Foe",
      ],
    ])(
      "a connection that %s has from its own scene is not made twice, and not removed",
      async (_, nodes, node) => {
        const text = `[gd_scene format=3]\n\n[ext_resource type="PackedScene" path="res://wired.tscn" id="1"]\n\n${nodes}\n`;
        const { call, read } = open(text);
        const wire = { scene, mode, node, signal: "tree_entered", to: node, method: "show" };
        expect(await call("godot_inspector", { action: "connect_signal", ...wire })).toMatchObject({
          error: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining("already") },
        });
        expect(await call("godot_inspector", { action: "disconnect_signal", ...wire })).toMatchObject({
          error: { code: "E_NOT_FOUND", message: expect.stringContaining("in this scene's file") },
        });
        const list = { action: "signals.connections.list", scene, mode };
        expect(await call("godot_inspector", list)).toMatchObject({ result: { connections: [] } });
        expect(read("filled.tscn")).toBe(text);
      },
      120_000,
    );

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
