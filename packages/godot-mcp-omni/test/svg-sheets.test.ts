import { expect, test } from "vitest";
import { openTestServer } from "./server-project.ts";

const sheet = (size: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect width="9" height="9"/></svg>`;

test.each(['width="48" height="32"', 'viewBox="0 0 48 32"'])(
  "an SVG with %s is a sheet of tiles",
  async (size) => {
    const server = openTestServer({
      files: { "project.godot": "config_version=5\n", "sheet.svg": sheet(size) },
    });
    const path = "res://tiles.tres";
    const answer = await server.call("godot_content", {
      ...{ action: "tile_set.create", path, texture: "res://sheet.svg", size: [16, 16] },
    });
    expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true });
    expect(server.read("tiles.tres").match(/^\d:\d\/0 = 0$/gm)).toHaveLength(6);
  },
);
