import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "@toolpact/contract";
import { describe, expect, onTestFinished, test } from "vitest";
import { Games } from "../src/game/games.ts";
import { gameProject, value } from "./game-project.ts";
import { binaryAt } from "./godot-project.ts";
import { isRunning } from "./is-running.ts";
import { pixels } from "./pixels.ts";
import { realGodot } from "./real-godot.ts";
import { startStdioServer } from "./stdio-server.ts";

const MAIN = {
  "main.gd": "extends Node2D\n\nvar count := 0\n\n\nfunc _process(_delta: float) -> void:\n\tcount += 1\n",
};

describe.skipIf(realGodot === undefined)("godot_game over MCP", () => {
  test("runs no code of the caller in a game unless the operator allows it", async () => {
    const project = gameProject(realGodot, MAIN);
    const mark = join(project.folder, "../mark");
    const { call } = await startStdioServer({ root: project.folder, env: { GODOT_PATH: realGodot ?? "" } });
    await call("godot_game", { action: "run", display: "none" });
    const shell = `OS.execute("touch", ["${mark}"]) == 0`;
    for (const args of [
      { action: "evaluate", expression: shell },
      { action: "evaluate", expression: "count = 5" },
      { action: "evaluate", expression: "queue_free()" },
      { action: "wait", expression: shell },
    ])
      expect(await call("godot_game", args)).toMatchObject({
        error: { code: "E_PERMISSION_DENIED", details: { gate: "ALLOW_GAME_CODE" } },
      });
    const checks = [{ frame: 1, expression: shell }];
    expect(
      await call("godot_recording", {
        action: "record",
        path: "res://a.json",
        frames: 2,
        inputs: [],
        checks,
      }),
    ).toMatchObject({ error: { details: { gate: "ALLOW_GAME_CODE" } } });
    expect(existsSync(mark)).toBe(false);
    expect(await call("godot_game", { action: "wait", expression: "count > 1" })).toMatchObject({ ok: true });
    expect(
      await call("godot_game", { action: "evaluate", expression: "get_tree().get_node_count() > 0" }),
    ).toMatchObject({ ok: true, result: { value: true } });
    expect(await call("godot_game", { action: "set", node: ".", values: { count: -500 } })).toMatchObject({
      ok: true,
    });
  }, 120_000);

  test("tells how far a start is, gives a handle, and lets go of what the client cancels", async () => {
    const project = gameProject(realGodot, MAIN);
    const { client, call } = await startStdioServer({
      root: project.folder,
      env: { GODOT_PATH: realGodot ?? "", ALLOW_GAME_CODE: "true" },
    });
    const steps: number[] = [];
    await client.callTool(
      { name: "godot_game", arguments: { action: "run", display: "none" } },
      { onprogress: ({ progress }) => void steps.push(progress) },
    );
    expect(steps).toEqual([0, 1, 2, 3]);

    const controller = new AbortController();
    const waiting = client.callTool(
      { name: "godot_game", arguments: { action: "wait", expression: "count < 0", timeoutMs: 100_000 } },
      { signal: controller.signal },
    );
    controller.abort();
    await expect(waiting).rejects.toThrow();
    expect(await call("godot_game", { action: "set", node: ".", values: { count: -5 } })).toMatchObject({
      ok: true,
      result: { game: "game-1", changes: { count: { new: -5 } } },
    });
    const values = { "position:x": 9, nope: 1 };
    expect(await call("godot_game", { action: "set", node: ".", values })).toMatchObject({
      ok: false,
      error: {
        message: expect.stringMatching(/nope.+Set before it, and still so: position:x\.$/),
        details: { changes: { "position:x": { old: 0, new: 9 } } },
      },
    });

    expect(
      await call("godot_game", { action: "input", events: [{ kind: "key", key: "A" }, { kind: "tap" }] }),
    ).toMatchObject({
      ok: false,
      error: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining("events.1") },
    });
    expect(await call("godot_game", { action: "breakpoint", breakpoints: ["res://main.gd"] })).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining("res://a.gd:12") },
    });
    expect(await call("godot_game", { action: "tree", game: "game-9" })).toMatchObject({
      error: { code: "E_NOT_FOUND" },
    });
    const drawn = await client.callTool({
      name: "godot_game",
      arguments: { action: "watch", expressions: ["count", "$'.'.count"], frames: 5, picture: true },
    });
    const [, image] = drawn.content as readonly { type: string; data?: string; mimeType?: string }[];
    expect(image).toMatchObject({ type: "image", mimeType: "image/png" });
    expect(drawn).not.toHaveProperty("structuredContent");
    expect(pixels(Buffer.from(image?.data ?? "", "base64"))).toMatchObject({ width: 800, height: 290 });
    const seconds: number[] = [];
    await client.callTool(
      { name: "godot_game", arguments: { action: "wait", expression: "count < -9", timeoutMs: 2_500 } },
      { onprogress: ({ progress }) => void seconds.push(progress) },
    );
    expect(seconds[0]).toBe(1);
    expect(await call("godot_game", { action: "stop" })).toMatchObject({
      ok: true,
      result: { state: "ended", exit: { ended: true } },
    });
    expect(await call("godot_game", { action: "status" })).toMatchObject({
      result: { games: [{ game: "game-1", state: "ended" }] },
    });
  });
});

describe.skipIf(realGodot === undefined)("the games of a server", () => {
  test("do not slow down the one that is started last: it runs, the earlier one is paused", async () => {
    const project = gameProject(realGodot, MAIN);
    const { call } = await startStdioServer({ root: project.folder, env: { GODOT_PATH: realGodot ?? "" } });
    await call("godot_game", { action: "run", display: "none" });
    expect(await call("godot_game", { action: "run", display: "none" })).toMatchObject({
      ok: true,
      result: { game: "game-2", state: "running" },
      warnings: [expect.stringContaining("game-1 is paused")],
    });
    expect(await call("godot_game", { action: "status" })).toMatchObject({
      result: {
        games: [
          { game: "game-1", state: "paused" },
          { game: "game-2", state: "running" },
        ],
      },
    });
    expect(await call("godot_game", { action: "resume", game: "game-1" })).toMatchObject({ ok: true });
  }, 120_000);

  test("end when nobody asks for them any more, and are no more than four", async () => {
    const project = gameProject(realGodot, MAIN);
    const idle: (() => void)[] = [];
    const clock: Clock = {
      now: () => systemClock.now(),
      after(ms, callback) {
        if (ms !== 600_000) return systemClock.after(ms, callback);
        idle.push(callback);
        return () => void idle.splice(idle.indexOf(callback), 1);
      },
    };
    const games = new Games({
      sandbox: false,
      project: project.folder,
      env: project.env,
      clock,
      binary: async () => ({ ok: true, value: binaryAt(realGodot) }),
    });
    onTestFinished(() => games.close());
    for (let count = 0; count < 4; count++) value(await games.run({ display: "none" }));
    expect(await games.run({ display: "none" })).toMatchObject({
      failure: { code: "E_UNSUPPORTED", suggestedFix: expect.stringContaining("game-1") },
    });
    expect(idle).toHaveLength(4);
    const { game } = value(games.find("game-1"));
    expect(idle).toHaveLength(4);
    idle.at(-1)?.();
    await game.ended;
    expect(isRunning(game.pid)).toBe(false);
    expect(value(await games.run({ display: "none" })).id).toBe("game-5");
    await games.close();
    expect(games.all().map((handled) => handled.game.status().state)).toEqual(Array(5).fill("ended"));
  });
});
