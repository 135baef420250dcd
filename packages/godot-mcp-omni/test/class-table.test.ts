import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadClassTable } from "../src/godot/class-table.ts";
import { realGodot } from "./real-godot.ts";

const PACKAGE = path.join(import.meta.dirname, "..");

describe("the class table", () => {
  it("lists classes with their base classes and default values", async () => {
    const classes = await loadClassTable();
    expect(classes.inherits("Sprite2D", "CanvasItem")).toBe(true);
    expect(classes.canMake("CanvasItem")).toBe(false);
    const properties = classes.properties("Label");
    expect(properties.get("mouse_filter")).toMatchObject({ type: "int", default: "2", from: "Control" });
    expect(properties.get("process_mode")?.choices?.get("Always")).toBe(3);
    expect(classes.properties("Node3D").get("position")).toMatchObject({ stored: false });
    expect(classes.signals("Button")).toContain("pressed");
    expect(classes.setting("display/window/size/viewport_width")).toMatchObject({
      type: "int",
      default: "1152",
    });
    expect(classes.setting("rendering/renderer/rendering_method.mobile")).toMatchObject({ type: "String" });
    expect(classes.keys.get("Space")).toBe(32);
  });

  it.skipIf(realGodot === undefined)(
    "matches what Godot of its version reports",
    async () => {
      const folder = mkdtempSync(path.join(os.tmpdir(), "class-table-"));
      const made = path.join(folder, "table.json");
      const run = spawnSync(process.execPath, [path.join(PACKAGE, "scripts/generate-class-table.ts"), made], {
        env: { ...process.env, GODOT_PATH: realGodot },
        encoding: "utf8",
      });
      expect(run.status, run.stderr).toBe(0);
      const now = JSON.parse(readFileSync(made, "utf8")) as { version: string };
      rmSync(folder, { recursive: true });
      const kept = JSON.parse(
        readFileSync(path.join(PACKAGE, "src/godot/generated/class-table.json"), "utf8"),
      ) as {
        version: string;
      };
      if (now.version === kept.version) expect(now).toEqual(kept);
      else
        console.warn(
          `The class table is of Godot ${kept.version}, and this is ${now.version}: not compared.`,
        );
    },
    180_000,
  );
});
