import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { expect } from "vitest";
import type { Making } from "./content-makers.ts";
import { png } from "./png.ts";

/** A font that the documentation is set in. */
const FONT = "../../../node_modules/vitepress/dist/client/theme-default/fonts/inter-roman-latin.woff2";

/** Files outside of the project, among them those that must not come in. */
export function writeAssets(folder: string): void {
  mkdirSync(join(folder, "in"), { recursive: true });
  const put = (name: string, data: Buffer | string) => writeFileSync(join(folder, name), data);
  put(
    "in/hero.png",
    png(6, 4, () => [200, 30, 30, 255]),
  );
  put(
    "in/logo.svg",
    '<?xml version="1.0"?><!-- > --><svg xmlns="http://www.w3.org/2000/svg" width="9" height="7"/>',
  );
  put("in/thing.glb", glb());
  put("in/beep.wav", wav());
  put("in/text.woff2", readFileSync(join(import.meta.dirname, FONT)));
  put("in/fake.png", "not an image at all");
  put("in/torn.png", png(6, 4, () => [1, 2, 3, 255]).subarray(0, 40));
  put(
    "secret.png",
    png(1, 1, () => [0, 0, 0, 255]),
  );
  symlinkSync(join(folder, "secret.png"), join(folder, "in/link.png"));
  symlinkSync(folder, join(folder, "in/up"));
  mkdirSync(join(folder, "in/folder.png"));
  const big = openSync(join(folder, "in/big.png"), "w");
  ftruncateSync(big, 300 * 1024 * 1024);
  closeSync(big);
}

/** A model of one empty node. */
function glb(): Buffer {
  const text = JSON.stringify({
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ name: "Thing" }],
  });
  const json = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4));
  const head = Buffer.alloc(20);
  head.write("glTF");
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(20 + json.length, 8);
  head.writeUInt32LE(json.length, 12);
  head.write("JSON", 16);
  return Buffer.concat([head, json]);
}

/** A tenth of a second of 8-bit sound. */
function wav(): Buffer {
  const head = Buffer.alloc(44);
  head.write("RIFF");
  head.writeUInt32LE(36 + 800, 4);
  head.write("WAVEfmt ", 8);
  for (const [value, at] of [
    [16, 16],
    [8000, 24],
    [8000, 28],
  ] as const)
    head.writeUInt32LE(value, at);
  for (const [value, at] of [
    [1, 20],
    [1, 22],
    [1, 32],
    [8, 34],
  ] as const)
    head.writeUInt16LE(value, at);
  head.write("data", 36);
  head.writeUInt32LE(800, 40);
  return Buffer.concat([head, Buffer.alloc(800, 128)]);
}

export async function makeAssets({ content }: Making): Promise<void> {
  const add = (name: string, more: JsonObject = {}) =>
    content("asset.add", { from: name, path: `res://added/${name}`, ...more });
  expect((await add("hero.png", { settings: { "mipmaps/generate": true } })).result).toMatchObject({
    imported: true,
    importer: "texture",
    type: "CompressedTexture2D",
    settings: { "mipmaps/generate": true },
  });
  for (const name of ["logo.svg", "thing.glb", "beep.wav", "text.woff2"])
    expect((await add(name)).result, name).toMatchObject({ imported: true, said: [] });
  const changed = await content("asset.import_settings", {
    path: "res://added/beep.wav",
    settings: { "edit/loop_mode": 2 },
  });
  expect(changed.result).toMatchObject({ importer: "wav", settings: { "edit/loop_mode": 2 } });
}
