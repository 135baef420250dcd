import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { MADE_PROJECTS, writeMadeProjects, writeProject } from "../bench/made-projects.ts";
import { runScenes, sceneTable } from "../bench/scene-run.ts";
import { realGodot } from "./real-godot.ts";

it("edits and undoes every scene by files, byte for byte, on copies of the projects", async () => {
  const folder = mkdtempSync(join(tmpdir(), "made-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeMadeProjects(folder);
  const all = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), "utf8")]);
  const before = all();
  const results = await runScenes({ folder, modes: ["files"], godot: undefined, say: () => {} });
  const scenes = Object.values(MADE_PROJECTS).flatMap((files) =>
    Object.keys(files).filter((file) => file.endsWith(".tscn")),
  );
  expect(results).toHaveLength(scenes.length);
  expect(results.filter((result) => !result.isIdentical || result.extraLines > 0 || result.refused)).toEqual(
    [],
  );
  expect(all()).toEqual(before);
}, 60_000);

it.skipIf(realGodot === undefined)(
  "edits and undoes by engine and editor, by themselves and byte for byte",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "made-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    // One project, for one start of each: with what is hard to keep and what only the files keep.
    const files = { ...MADE_PROJECTS["editable-instances"], ...MADE_PROJECTS["c-sharp"] };
    writeProject(join(folder, "game"), files);
    const modes = ["engine", "editor"] as const;
    const results = await runScenes({ folder, modes, godot: realGodot, say: () => {} });
    const scenes = Object.keys(files).filter((file) => file.endsWith(".tscn"));
    expect(results.map(({ mode, scene, doneBy }) => [mode, scene, doneBy]).sort()).toEqual(
      modes
        .flatMap((mode) => scenes.map((scene) => [mode, scene, scene === "enemy.tscn" ? "files" : mode]))
        .sort(),
    );
    expect(results.filter((result) => !result.isIdentical || result.refused)).toEqual([]);
  },
  120_000,
);

it("counts what was not as it should be, and names it", () => {
  const scene = { project: "game", scene: "a.tscn", extraLines: 0, isIdentical: true } as const;
  expect(
    sceneTable([
      { ...scene, mode: "files" },
      { ...scene, mode: "engine", refused: "E_UNSUPPORTED: a | b", isIdentical: true },
      { ...scene, mode: "engine", doneBy: "files" },
      { ...scene, mode: "engine", extraLines: 3, isIdentical: false },
    ]),
  ).toMatchInlineSnapshot(`
    "| mode | scenes | refused | left to files | with extra lines | not identical after undo |
    |---|---:|---:|---:|---:|---:|
    | files | 1 | 0 | 0 | 0 | 0 |
    | engine | 3 | 1 | 1 | 1 | 1 |

    | scene | mode | what |
    |---|---|---|
    | \`game/a.tscn\` | engine | refused: E_UNSUPPORTED: a \\| b |
    | \`game/a.tscn\` | engine | 3 extra lines; not identical after undo |
    "
  `);
});
