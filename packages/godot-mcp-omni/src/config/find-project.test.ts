import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { projectFolder, projectIn } from "./find-project.ts";

function folders() {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "godot-find-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const game = path.join(base, "game");
  mkdirSync(path.join(game, "levels"), { recursive: true });
  mkdirSync(path.join(base, "empty"));
  writeFileSync(path.join(game, "project.godot"), "config_version=5\n");
  symlinkSync(game, path.join(base, "link"));
  return { base, game };
}

it("the project is the folder that was named, or that of the named project.godot", () => {
  const { base, game } = folders();
  for (const named of ["game", "link", game, path.join(game, "project.godot")])
    expect(projectFolder(named, base)).toEqual({ ok: true, value: game });
});

it("a folder that was named need not hold a project yet, nor be there", () => {
  const { base } = folders();
  for (const named of ["empty", "not/yet/there", "my-project.godot"]) {
    const folder = path.join(base, named);
    expect(projectFolder(named, base)).toEqual({ ok: true, value: folder });
    expect(projectIn(folder)).toMatchObject({ ok: false, failure: { code: "E_NOT_FOUND" } });
  }
});

it("without a name it is the nearest project at or above the working folder, and none is made up", () => {
  const { base, game } = folders();
  expect(projectFolder(undefined, path.join(game, "levels"))).toEqual({ ok: true, value: game });
  expect(projectFolder(undefined, path.join(base, "empty"))).toMatchObject({
    ok: false,
    failure: { code: "E_NOT_FOUND", suggestedFix: expect.stringContaining("--project FOLDER") },
  });
});
