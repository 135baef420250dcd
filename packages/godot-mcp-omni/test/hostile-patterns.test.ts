import { expect, test } from "vitest";
import { isRunning } from "./is-running.ts";
import { GAME, openTestServer } from "./server-project.ts";
import { startStdioServer } from "./stdio-server.ts";

const LONG = "a".repeat(240);
const STARS = `${"*a".repeat(30)}*b`;

test("a search with many stars answers at once, and the server ends with its client", async () => {
  const { call, client, pid } = await startStdioServer({
    files: { ...GAME, [`${LONG}/${LONG}.png`]: "" },
    args: ["--read-only"],
  });
  for (const pattern of [STARS, `**/${STARS}`, `${"**/a*".repeat(30)}b`, `${"?*".repeat(40)}b`])
    expect(await call("godot_asset", { action: "search_files", pattern })).toMatchObject({
      ok: true,
      result: { files: [] },
    });
  // The client does not wait for this answer.
  const unanswered = Promise.allSettled([call("godot_asset", { action: "search_files", pattern: STARS })]);
  await client.close();
  await unanswered;
  await expect.poll(() => isRunning(pid)).toBe(false);
}, 60_000);

test("frames with many stars are looked for at once", async () => {
  const { call } = await startStdioServer({ files: { ...GAME, [`sprites/${LONG}.png`]: "" } });
  const made = await call("godot_content", {
    action: "sprite_frames.create",
    path: "res://hero.tres",
    folder: "res://sprites",
    animations: [{ name: "walk", frames: STARS }],
  });
  expect(made).toMatchObject({ ok: false, error: { code: "E_NOT_FOUND" } });
}, 60_000);

test("an expectation whose expression takes too long fails, and says why", async () => {
  const { call } = await startStdioServer({ files: { ...GAME, [`${LONG}.txt`]: "" } });
  const ran = await call("godot_workflow", {
    action: "run",
    workflow: {
      schemaVersion: 1,
      steps: [
        {
          tool: "godot_asset",
          args: { action: "search_files", pattern: "*.txt" },
          expect: [{ path: "result.files.0", matches: "^res://(a+)+$" }],
        },
      ],
    },
  });
  expect(JSON.stringify(ran)).toContain("takes too long");
}, 60_000);

test.each([
  ["enemy", ["res://enemy.tscn"]],
  ["*.TSCN", ["res://a/b/c.tscn", "res://a/c.tscn", "res://enemy.tscn"]],
  ["?.tscn", ["res://a/b/c.tscn", "res://a/c.tscn"]],
  ["a*", ["res://a/b/c.tscn", "res://a/c.tscn"]],
  ["a/*.tscn", ["res://a/c.tscn"]],
  ["a/**", ["res://a/b/c.tscn", "res://a/c.tscn"]],
  ["a/**/c.tscn", ["res://a/b/c.tscn", "res://a/c.tscn"]],
  ["**/c.tscn", ["res://a/b/c.tscn", "res://a/c.tscn"]],
  ["res://a/*/c.*", ["res://a/b/c.tscn"]],
  ["*(1)*", ["res://copy (1).txt"]],
])("the search %s finds files by their path", async (pattern, files) => {
  const { call } = openTestServer({
    files: {
      "project.godot": GAME["project.godot"] ?? "",
      "enemy.tscn": "",
      "a/c.tscn": "",
      "a/b/c.tscn": "",
      "copy (1).txt": "",
    },
  });
  const { result } = await call("godot_asset", { action: "search_files", pattern });
  expect([...(result as { files: string[] }).files].sort()).toEqual(files);
});
