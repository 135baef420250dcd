import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { binaryAt, engineFor, makeProject, START_MS } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";
import { GAME } from "./server-project.ts";

const MAIN = "res://enemy.tscn";

describe.skipIf(!realGodot)("problems of the project or the disk are not reported as internal errors", () => {
  test(
    "a scene, a script and a texture that Godot cannot load, and a disk that takes nothing",
    async () => {
      const project = makeProject({
        "enemy.tscn": GAME["enemy.tscn"] ?? "",
        "broken.tscn": '[gd_scene format=3]\n\n[node name="Broken" type=',
        "broken.tres": '[gd_resource type="StyleBoxFlat" format=3]\n\n[resource\n',
        "broken.gd": "class_name BrokenNode extends Node2D\n\nfunc f( -> void:\n\tpass\n",
      });
      const engine = await engineFor(project, binaryAt(realGodot));
      const failureOf = async (edit: object) => {
        const answer = await engine.request("scene.edit", { scene: MAIN, edits: [edit as never] });
        if (answer.ok) throw new Error("The edit was made.");
        return answer.failure;
      };
      expect(await failureOf({ kind: "instance", source: "res://broken.tscn" })).toMatchObject({
        code: "E_UNSUPPORTED",
        message: expect.stringContaining("res://broken.tscn"),
        suggestedFix: expect.any(String),
      });
      const props = { node: ".", properties: { material: "res://broken.tres" } };
      expect(await failureOf({ kind: "set", ...props })).toMatchObject({
        code: "E_UNSUPPORTED",
        message: expect.stringContaining("res://broken.tres"),
      });
      expect((await failureOf({ kind: "add", type: "BrokenNode", name: "B" })).code).not.toBe("E_INTERNAL");

      rmSync(project.path(".godot/mcp"), { recursive: true, force: true });
      mkdirSync(project.path(".godot"), { recursive: true });
      writeFileSync(project.path(".godot/mcp"), "a file where a folder must be");
      expect(await failureOf({ kind: "add", type: "Node2D", name: "New" })).toMatchObject({
        code: "E_PERMISSION_DENIED",
        details: { gate: "disk", path: MAIN },
      });
    },
    START_MS,
  );
});
