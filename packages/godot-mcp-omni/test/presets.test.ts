import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { afterAll, describe, expect, test } from "vitest";
import { PRESETS } from "../src/scene-model/presets.ts";
import { realGodot } from "./real-godot.ts";
import { childEnvironment, openTestServer, type TestServer } from "./server-project.ts";

const EMPTY = '[gd_scene format=3]\n\n[node name="Stage" type="Node"]\n';

/** A node that holds a resource of each class. */
const HOLDERS: Readonly<Record<string, readonly [type: string, property: string]>> = {
  StandardMaterial3D: ["MeshInstance3D", "material_override"],
  PhysicsMaterial: ["StaticBody3D", "physics_material_override"],
  Environment: ["WorldEnvironment", "environment"],
};

const IN_SCENES = Object.entries(PRESETS).filter(([, { type }]) => type !== "AudioBusLayout");

const edits: JsonObject[] = IN_SCENES.map(([name, { type }]) => {
  const holder = HOLDERS[type];
  return holder === undefined
    ? { kind: "create", type: `preset:${name}`, name }
    : { kind: "create", type: holder[0], name, properties: { [holder[1]]: { resource: `preset:${name}` } } };
});

/** Rotations differ in their last digit. */
const rounded = (text: string) =>
  text.replace(/-?\d+\.\d+(?:e-?\d+)?/g, (number) => String(Math.round(Number(number) * 1e5) / 1e5 || 0));

const BUSES = "res://default_bus_layout.tres";

async function makeAll(server: TestServer, mode: string): Promise<void> {
  const made = await server.call("godot_batch", { scene: "res://stage.tscn", mode, edits });
  expect(made, JSON.stringify(made.error)).toMatchObject({ ok: true, execution: { mode } });
  const others = (made.warnings ?? []).filter((line) => !line.endsWith("which only Godot can check."));
  expect(mode === "files" ? others : made.warnings).toEqual(mode === "files" ? [] : undefined);
  const type = "preset:audio_buses";
  const buses = await server.call("godot_asset", { action: "resource.create", path: BUSES, type, mode });
  expect(buses, JSON.stringify(buses.error)).toMatchObject({ ok: true, result: { type: "AudioBusLayout" } });
}

describe("a preset", () => {
  test("makes its node with children, and given values and names win", async () => {
    const server = openTestServer({ files: { "project.godot": "config_version=5\n", "stage.tscn": EMPTY } });
    const answer = await server.call("godot_scene", {
      ...{ action: "create", scene: "res://stage.tscn", type: "preset:camera_third_person", name: "Eye" },
      properties: { spring_length: 7 },
    });
    expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true });
    const text = server.read("stage.tscn");
    expect(text).toContain('[node name="Eye" type="SpringArm3D" parent="."]');
    expect(text).toContain("spring_length = 7.0");
    expect(text).toContain('[node name="Camera3D" type="Camera3D" parent="Eye"]');
    await server.call("godot_scene", { action: "undo" });
    expect(server.read("stage.tscn")).toBe(EMPTY);
  });

  test("that does not exist is refused with the nearest name", async () => {
    const server = openTestServer();
    const create = { action: "create", scene: "res://main.tscn", type: "preset:fire2d" };
    expect(await server.call("godot_scene", create)).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION", suggestedFix: "Did you mean fire_2d?" },
    });
    const set = {
      ...{ action: "set_property", scene: "res://main.tscn", node: "Player", property: "material" },
      value: { resource: "preset:golden" },
    };
    expect(await server.call("godot_inspector", set)).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining("golden") },
    });
  });

  test("is listed by tool_help of the tools that take it", async () => {
    const server = openTestServer();
    const help = await server.call("godot_meta", {
      ...{ action: "tool_help", tool: "godot_scene", toolAction: "create" },
    });
    expect(JSON.stringify(help.result)).toContain("preset:fire_2d GPUParticles2D: flames that rise");
  });
});

describe.skipIf(realGodot === undefined)("all presets", () => {
  const ends: (() => void | Promise<void>)[] = [];

  afterAll(async () => {
    for (const end of ends) await end();
  });

  test("are the same to a Godot that never saw the server, by files and by engine", async () => {
    const seen: unknown[] = [];
    for (const mode of ["files", "engine"]) {
      const server = openTestServer({
        files: { "project.godot": "config_version=5\n", "stage.tscn": EMPTY },
        flags: { godot: realGodot ?? "" },
        later: (end) => ends.unshift(end),
      });
      await makeAll(server, mode);
      const printed = execFileSync(
        realGodot ?? "",
        [...["--headless", "--path", server.root, "--script", join(import.meta.dirname, "truth-oracle.gd")]],
        { env: childEnvironment(join(server.root, "..")), encoding: "utf8" },
      );
      seen.push(JSON.parse(rounded(/^ORACLE(.*)$/m.exec(printed)?.[1] ?? "null")));
      expect(server.read("default_bus_layout.tres")).toContain('bus/2/name = &"Effects"');
    }
    expect(seen[0]).toEqual(seen[1]);
    const nodes = (seen[0] as Record<string, Record<string, Record<string, string>>>)["res://stage.tscn"];
    expect(Object.keys(nodes ?? {})).toEqual(expect.arrayContaining(IN_SCENES.map(([name]) => name)));
    expect(nodes?.fire_2d).toMatchObject({
      amount: "40",
      process_material: expect.stringContaining("GradientTexture1D"),
    });
    expect(nodes?.gold?.material_override).toContain('"metallic":"1"');
  }, 120_000);
});
