import type { JsonObject } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import { START_MS } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

/** A value as people write it, and the text that every mode makes of it. */
const ACCEPTED: readonly (readonly [type: string, properties: JsonObject, written: string])[] = [
  ["Node2D", { position: [3, 4.5] }, "position = Vector2(3, 4.5)"],
  ["Node3D", { position: [1, 2, 3] }, "1, 2, 3)"],
  ["TextureRect", { size_flags_stretch_ratio: 2, modulate: "red" }, "modulate = Color(1, 0, 0, 1)"],
  ["Node2D", { modulate: "Rebecca Purple" }, "modulate = Color(0.4, 0.2, 0.6, 1)"],
  ["Node2D", { modulate: "DARK_ORANGE" }, "modulate = Color(1, 0.54901963, 0, 1)"],
  ["Node2D", { modulate: "#ff0000" }, "modulate = Color(1, 0, 0, 1)"],
  ["Node2D", { modulate: [1, 0.5, 0] }, "modulate = Color(1, 0.5, 0, 1)"],
  ["Node2D", { modulate: [1, 0.5, 0, 0.25] }, "modulate = Color(1, 0.5, 0, 0.25)"],
  ["Sprite2D", { region_rect: { x: 1, y: 2, width: 30, height: 40 } }, "region_rect = Rect2(1, 2, 30, 40)"],
  ["Sprite2D", { region_rect: [1, 2, 30, 40] }, "region_rect = Rect2(1, 2, 30, 40)"],
  ["Label", { horizontal_alignment: "CENTER" }, "horizontal_alignment = 1"],
  ["TextureRect", { stretch_mode: "keep_aspect_centered" }, "stretch_mode = 5"],
  ["Polygon2D", { polygon: [[0, 0], { x: 5, y: 6 }] as never }, "PackedVector2Array(0, 0, 5, 6)"],
];

const REFUSED: readonly (readonly [type: string, properties: JsonObject, message: RegExp])[] = [
  ["Node2D", { position: [1] }, /Vector2 is expected/],
  ["Node2D", { position: [1, 2, 3] }, /Vector2 is expected/],
  ["Node2D", { modulate: "reddish" }, /Color is expected/],
  ["Node2D", { modulate: [1, 2] }, /Color is expected/],
  ["Sprite2D", { region_rect: { x: 1, y: 2, width: 30 } }, /Rect2 is expected/],
  ["Label", { horizontal_alignment: "centre" }, /no choice/],
];

const KEYS: readonly (readonly [written: string, code: number, modifier?: string])[] = [
  ["space", 32],
  ["KEY_SPACE", 32],
  ["a", 65],
  ["esc", 4194305],
  ["return", 4194309],
  ["page_up", 4194323],
  ["left arrow", 4194319],
  ["ctrl+s", 83, "ctrl"],
  ["Control+Shift+s", 83, "shift"],
];

describe.each(["files", ...(realGodot === undefined ? [] : ["engine"])])("in mode %s", (mode) => {
  const open = () => openTestServer({ flags: { godot: mode === "files" ? "" : realGodot } });

  it(
    "values are taken as people write them, and refused where they fit nothing",
    async () => {
      const { call, read } = open();
      const added = (type: string, properties: JsonObject, name: string) =>
        call("godot_batch", {
          scene: "res://enemy.tscn",
          edits: [{ kind: "add", type, name, properties }],
          mode,
        });
      for (const [index, [type, properties, written]] of ACCEPTED.entries()) {
        const answer = await added(type, properties, `N${index}`);
        expect(answer, `${JSON.stringify(properties)}: ${answer.summary}`).toMatchObject({ ok: true });
        expect(read("enemy.tscn").split(`[node name="N${index}"`)[1], type).toContain(written);
      }
      for (const [type, properties, message] of REFUSED) {
        const { error } = await added(type, properties, "No");
        expect(error, JSON.stringify(properties)).toMatchObject({
          code: "E_SCHEMA_VALIDATION",
          message: expect.stringMatching(message),
        });
      }
    },
    START_MS * 2,
  );

  it(
    "keys are taken as people write them",
    async () => {
      const { call, read } = open();
      for (const [index, [key, code, modifier]] of KEYS.entries()) {
        const actions = [{ name: `act${index}`, events: [{ type: "key", key }] }];
        const answer = await call("godot_project", { action: "input_map.setup", actions, mode });
        expect(answer, `${key}: ${answer.summary}`).toMatchObject({ ok: true });
        const text = read("project.godot").split(`act${index}=`)[1];
        expect(text, key).toContain(`"physical_keycode":${code},`);
        if (modifier !== undefined) expect(text).toContain(`"${modifier}_pressed":true`);
      }
      const actions = [{ name: "no", events: [{ type: "key", key: "spacebars" }] }];
      expect(await call("godot_project", { action: "input_map.setup", actions, mode })).toMatchObject({
        error: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining("spacebars") },
      });
    },
    START_MS * 2,
  );
});
