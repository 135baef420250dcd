import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Result } from "../src/errors.ts";
import type { Game } from "../src/game/game.ts";
import type { GameOptions } from "../src/game/game-shapes.ts";
import { startGame } from "../src/game/start-game.ts";
import { binaryAt } from "./godot-project.ts";
import { ONE_SCENE } from "./one-scene.ts";
import { childEnvironment, writeFiles } from "./server-project.ts";

/** A game of one scene, with an autoload and an action, in a temporary folder. */
export interface GameProject {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly start: (options?: Partial<GameOptions>) => Promise<Result<Game>>;
  /** All that is in the project's folder. */
  readonly files: () => readonly string[];
}

export function gameProject(
  godot: string | undefined,
  files: Readonly<Record<string, string>>,
  later: (undo: () => void | Promise<void>) => void = onTestFinished,
): GameProject {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "godot-game-")));
  later(() => rmSync(base, { recursive: true, force: true }));
  const folder = join(base, "project");
  writeFiles(folder, { ...BASE, ...files });
  mkdirSync(join(base, "home"));
  const env = childEnvironment(base);
  return {
    folder,
    env,
    files: () => readdirSync(folder, { recursive: true }).map(String).sort(),
    async start(options = {}) {
      const game = await startGame({
        binary: binaryAt(godot),
        project: folder,
        env,
        folder: join(base, "pictures"),
        display: "none",
        ...options,
      });
      if (game.ok)
        later(async () => {
          await game.value.end();
        });
      return game;
    },
  };
}

const BASE = {
  ...ONE_SCENE,
  "project.godot": `${ONE_SCENE["project.godot"]}
[autoload]

Auto="*res://auto.gd"

[input]

jump={
"deadzone": 0.5,
"events": [Object(InputEventKey,"resource_local_to_scene":false,"resource_name":"","device":-1,"window_id":0,"alt_pressed":false,"shift_pressed":false,"ctrl_pressed":false,"meta_pressed":false,"pressed":false,"keycode":0,"physical_keycode":32,"key_label":0,"unicode":0,"location":0,"echo":false,"script":null)]
}
`,
  "auto.gd": "extends Node\nvar score := 7\n",
};

/** The value of an answer that must be one. */
export function value<T>(outcome: Result<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.failure.code}: ${JSON.stringify(outcome.failure)}`);
  return outcome.value;
}
