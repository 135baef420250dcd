import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { packAddon } from "../scripts/asset-library.ts";

/** The files of a zip by their names. */
function unzipped(zip: Buffer): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  // Entries of the central directory, each with the place of its file.
  for (let at = zip.indexOf("PK\x01\x02"); at !== -1; at = zip.indexOf("PK\x01\x02", at + 46)) {
    const name = zip.toString("utf8", at + 46, at + 46 + zip.readUInt16LE(at + 28));
    const [method, size, local] = [
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 20),
      zip.readUInt32LE(at + 42),
    ];
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const data = zip.subarray(start, start + size);
    if (!name.endsWith("/")) files.set(name, String(method === 0 ? data : inflateRawSync(data)));
  }
  return files;
}

const TOP = "addons/godot_mcp_bridge/";

it("packs the addon by the rules of the Asset Library", () => {
  const folder = mkdtempSync(join(tmpdir(), "asset-library-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const zip = packAddon(folder);
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
  expect(zip).toMatch(new RegExp(`godot_mcp_bridge-${version.replaceAll(".", "\\.")}\\.zip$`));
  const files = unzipped(readFileSync(zip));
  const names = [...files.keys()];
  // One folder below addons, with source files only.
  expect(names.filter((name) => !name.startsWith(TOP))).toEqual([]);
  expect(names.filter((name) => !/(?:\/LICENSE|\.(?:gd|cfg|json|md|svg))$/.test(name))).toEqual([]);
  expect(files.get(`${TOP}LICENSE`)).toMatch(/MIT License\s+Copyright \(c\) \d{4} \S/);
  expect(files.get(`${TOP}README.md`)).toContain("Project Settings → Plugins");
  const config = files.get(`${TOP}plugin.cfg`) ?? "";
  const value = (name: string) => new RegExp(`^${name}="(.+)"$`, "m").exec(config)?.[1];
  expect([value("name"), value("author"), value("version")]).toEqual([
    "Godot MCP Bridge",
    "Toolpact",
    version,
  ]);
  expect(value("description")).toMatch(/^[A-Z].*\.$/);
  expect(names).toContain(`${TOP}${value("script")}`);
  // Every script that another one loads is in it.
  for (const [name, text] of files)
    for (const [, path = ""] of text.matchAll(/preload\("([^"]+)"\)/g))
      expect(names, `${name} loads ${path}`).toContain(
        path.startsWith("res://") ? path.slice("res://".length) : join(name, "..", path),
      );
});
