import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RawGodotDriver } from "../src/operations/driver.ts";
import type { SceneEdit } from "../src/operations/scene-edit.ts";
import { binaryAt, editorFor, engineFor, makeProject, START_MS, type TestProject } from "./godot-project.ts";
import { sampleFiles } from "./godot-sample.ts";
import { realGodot } from "./real-godot.ts";

const SCENES = ["level.tscn", "hard_level.tscn", "coin.tscn", "world.tscn"];

/** The name an editor gives the copy that it writes before it puts it in place. */
const COPY_IN_THE_MAKING = /\.(?:tscn|tres|godot|cfg)-\w{6}$/;

describe.skipIf(!realGodot)("kill -9 in the middle of edits", () => {
  let project: TestProject;
  const undo: (() => void | Promise<void>)[] = [];
  const later = (step: () => void | Promise<void>) => undo.unshift(step);

  beforeAll(() => {
    project = makeProject(sampleFiles, later);
  });

  afterAll(async () => {
    for (const step of undo) await step();
  });

  test.each(["engine", "engine", "editor"] as const)(
    "of the %s leaves every scene whole",
    async (mode) => {
      const binary = binaryAt(realGodot);
      const { driver, pid } = await start(mode, project, binary, later);
      await busy(driver, 10);
      const files = listFiles(project);
      const work = busy(driver, 1000);
      // Somewhere in the next few saves.
      setTimeout(() => process.kill(-pid, "SIGKILL"), 10 + Math.random() * 60);
      expect(await work).toMatchObject({ ok: false, failure: { code: "E_NOT_CONNECTED" } });
      const made = listFiles(project).filter((file) => !files.includes(file));
      expect(made.filter((file) => mode === "engine" || !COPY_IN_THE_MAKING.test(file))).toEqual([]);
      for (const file of SCENES)
        expect(readFileSync(project.path(file), "utf8")).toMatch(/^\[gd_scene [^\n]*\]\n[\s\S]*\n$/);
    },
    START_MS,
  );

  test(
    "leaves scenes that all load",
    async () => {
      const engine = engineFor(project, binaryAt(realGodot), later);
      for (const file of SCENES)
        expect(await engine.request("scene.tree", { scene: `res://${file}` })).toMatchObject({ ok: true });
    },
    START_MS,
  );
});

async function start(
  mode: "engine" | "editor",
  project: TestProject,
  binary: ReturnType<typeof binaryAt>,
  later: (undo: () => void | Promise<void>) => void,
): Promise<{ driver: RawGodotDriver; pid: number }> {
  if (mode === "editor") {
    const { editor, process } = await editorFor(project, binary, later);
    return { driver: editor, pid: process.pid ?? 0 };
  }
  const driver = engineFor(project, binary, later);
  await driver.request("uid", { path: "res://level.tscn" });
  const pid = readdirSync("/proc").find((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      return words.includes(project.folder) && words.includes("--script");
    } catch {
      return false;
    }
  });
  return { driver, pid: Number(pid) };
}

/** Edits one scene after the other until something fails. */
async function busy(driver: RawGodotDriver, rounds: number) {
  for (let i = 0; i < rounds; i++) {
    const edits: SceneEdit[] = [{ kind: "add", type: "Node", name: "Extra" }];
    const answer = await driver.request("scene.edit", {
      scene: `res://${SCENES[(i >> 3) % SCENES.length]}`,
      edits,
    });
    if (!answer.ok) return answer;
  }
  return undefined;
}

function listFiles(project: TestProject): string[] {
  return readdirSync(project.folder, { recursive: true })
    .map(String)
    .filter((file) => !file.startsWith(".godot"))
    .sort();
}
