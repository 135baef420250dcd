import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { SceneText } from "../src/formats/scene-text.ts";
import { isRunning } from "./is-running.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer } from "./server-project.ts";
import { startStdioServer } from "./stdio-server.ts";

/** How many answers come before the kill: somewhere in the middle of the edit after it. */
it.each([0, 1, 3, 7, 12])(
  "a server killed after %i answers leaves whole files and a journal that works",
  async (answers) => {
    const { call, root, pid } = await startStdioServer();
    const edit = (index: number) =>
      call("godot_scene", { action: "create", scene: "res://main.tscn", type: "Node2D", name: `N${index}` });
    for (let index = 0; index < answers; index++) await edit(index);
    const unanswered = Promise.allSettled([edit(answers), edit(answers + 1), edit(answers + 2)]);
    process.kill(pid, "SIGKILL");
    await unanswered;

    const text = readFileSync(path.join(root, "main.tscn"), "utf8");
    const scene = SceneText.parse(text);
    expect(scene.ok && scene.value.write()).toBe(text);
    const made = [...text.matchAll(/name="N(\d+)"/g)].map((match) => Number(match[1]));
    expect(made).toEqual(Array.from(made, (_, index) => index));
    expect(made.length).toBeGreaterThanOrEqual(answers);
    expect(readdirSync(root).filter((name) => /draft|tmp/.test(name))).toEqual([]);

    const next = openTestServer({ flags: { project: root } });
    for (let index = made.length; index > 0; index--)
      await next.call("godot_scene", { action: "undo", scene: "res://main.tscn" });
    expect(readFileSync(path.join(root, "main.tscn"), "utf8")).toBe(GAME["main.tscn"]);
  },
);

it.skipIf(realGodot === undefined).each([1, 2, 3])(
  "a server killed while its engine works leaves a whole scene and no engine, time %i",
  async () => {
    const { call, root, pid } = await startStdioServer({ env: { GODOT_PATH: realGodot ?? "" } });
    const edit = (index: number) =>
      call("godot_scene", {
        action: "create",
        scene: "res://main.tscn",
        mode: "engine",
        type: "Node2D",
        name: `N${index}`,
      });
    expect(await edit(0)).toMatchObject({ ok: true, execution: { mode: "engine" } });
    const [engine = 0] = childrenOf(pid);
    expect(isRunning(engine)).toBe(true);
    const unanswered = Promise.allSettled([edit(1), edit(2), edit(3), edit(4)]);
    // Somewhere in the edits that follow.
    setTimeout(() => process.kill(pid, "SIGKILL"), Math.random() * 60);
    await unanswered;
    await expect.poll(() => isRunning(engine), { timeout: 20_000 }).toBe(false);

    const text = readFileSync(path.join(root, "main.tscn"), "utf8");
    const scene = SceneText.parse(text);
    expect(scene.ok && scene.value.write()).toBe(text);
    expect(text).toContain('name="N0"');
    const next = openTestServer({ flags: { project: root, godot: realGodot ?? "" } });
    expect(
      await next.call("godot_inspector", {
        action: "scene_tree.get",
        scene: "res://main.tscn",
        mode: "engine",
      }),
    ).toMatchObject({ ok: true });
  },
  120_000,
);

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
}
