import type { RunTools } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { GodotCode, Result } from "../../errors.ts";
import type { GameHandle, RunOptions } from "../../game/games.ts";
import type { Project } from "../../project/project.ts";
import { importFirst } from "../../testing/import-first.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import * as p from "../params.ts";
import { breakpoints, placesOf } from "./game-answers.ts";

/** Arguments of a start that `run` and `verify` share. */
export const startInput = {
  scene: z.string().optional().describe("Default: the main scene"),
  display: z.enum(["auto", "virtual", "none"]).optional().describe("none: no screenshots"),
  size: p.vector.optional().describe("Window: [800, 600]"),
  args: z.array(z.string()).optional().describe("User arguments"),
};

/** Arguments of `run` only. */
export const runInput = {
  ...startInput,
  paused: z.boolean().optional().describe("Before the first frame"),
  fixedFps: z.int().min(1).optional().describe("60: same inputs, same game"),
  instances: z.array(z.string()).min(2).max(4).optional().describe("Arguments of each: --host"),
  breakpoints: breakpoints.optional(),
  stopAtErrors: z.boolean().optional().describe("Stop at script errors"),
};

interface StartedGame {
  readonly handle: GameHandle;
  readonly warnings: readonly string[];
}

interface Asked extends Omit<RunOptions, "scene" | "size" | "breakpoints" | "userArgs" | "onProgress"> {
  readonly scene?: string | undefined;
  readonly size?: unknown;
  readonly args?: readonly string[] | undefined;
  readonly breakpoints?: readonly string[] | undefined;
}

/** Imports new files and starts the game. */
export async function startFor(
  { scene, size, args = [], breakpoints = [], ...options }: Asked,
  { project, workspace, signal, progress }: StartTools,
): Promise<Result<StartedGame, GodotCode>> {
  const file = scene === undefined ? undefined : await project.resolve(scene);
  if (file !== undefined && !file.ok) return file;
  const places = await placesOf(project, breakpoints);
  if (!places.ok) return places;
  const window = size === undefined ? undefined : p.sizeOf("size", size);
  if (window !== undefined && !window.ok) return window;
  progress({ done: 0, total: 4, message: "Importing new files" });
  const imported = await importFirst(project, workspace, signal);
  const started = await workspace.games.run({
    ...options,
    ...p.defined({ scene: file?.value.res, size: window?.value }),
    userArgs: args,
    breakpoints: places.value,
    signal,
    onProgress: (message, done) => progress({ done, total: 4, message }),
  });
  if (!started.ok) return started;
  const atStart = started.value.game.started.warnings;
  return ok({
    handle: started.value,
    warnings: imported.ok
      ? atStart
      : [`New files were not imported: ${imported.failure.message}`, ...atStart],
  });
}

/** Pauses the games of earlier calls, which would slow down the new one. Returns a warning for each. */
export async function pausedMeanwhile(
  earlier: readonly GameHandle[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const asked = await Promise.all(
    earlier.map(async ({ id, game }) => ({ id, paused: await game.pause({ signal }) })),
  );
  return asked.flatMap(({ id, paused }) =>
    paused.ok ? [`${id} is paused meanwhile: resume or stop it by its name.`] : [],
  );
}

interface StartTools {
  readonly project: Project;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  readonly progress: RunTools["progress"];
}
