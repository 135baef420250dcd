import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { MADE_PROJECTS, writeMadeProjects } from "../bench/made-projects.ts";
import { runScenes, sceneTable } from "../bench/scene-run.ts";

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
