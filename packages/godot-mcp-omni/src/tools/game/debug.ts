import * as z from "zod";
import { closedToCalls } from "../../config/gates.ts";
import type { ReplyCode } from "../../errors.ts";
import * as p from "../params.ts";
import { ANY_CODE, count, type DefineAction, READ, REPLY } from "../product.ts";
import {
  breakpoints,
  describeStop,
  expression,
  frame,
  frames,
  game,
  gameAnswer,
  gameStatus,
  MAX_MS,
  MEASURED_FRAMES,
  node,
  on,
  placesOf,
  stopAnswer,
  withGame,
  withProgress,
} from "./game-answers.ts";
import * as result from "./results.ts";

/** Actions of the debugger and the profiler. */
export function debugActions(action: DefineAction<"project" | "workspace" | "settings">) {
  return {
    resume: action({
      description: "Continue, or go one line on.",
      effect: "mark",
      errors: REPLY,
      input: z.strictObject({
        game,
        how: z.enum(["continue", "next", "into", "out"]).optional().describe("Default: continue"),
      }),
      output: z.union([result.gameState, result.gameStopped]),
      handler: ({ game, how = "continue" }, { workspace, signal }) =>
        withGame<z.infer<typeof result.gameState> | z.infer<typeof result.gameStopped>, ReplyCode>(
          workspace,
          game,
          async (handle) => {
            const isPaused = handle.game.stop() === undefined && how === "continue";
            const resumed = isPaused
              ? await handle.game.resume({ signal })
              : await handle.game.resumeStop(how, { signal });
            if (!resumed.ok) return resumed;
            if (how !== "continue") return stopAnswer(handle, handle.game.waitForStop({ signal }));
            return gameAnswer(handle, gameStatus(handle), "The game runs.");
          },
        ),
    }),
    breakpoint: action({
      description: "Set or remove breakpoints.",
      effect: "mark",
      errors: READ,
      input: z.strictObject({ game, breakpoints, on }),
      output: result.breakpoints,
      handler: async ({ game, breakpoints, on = true }, { project, workspace }) => {
        const places = await placesOf(project, breakpoints, on);
        if (!places.ok) return places;
        return withGame(workspace, game, async (handle) => {
          for (const place of places.value) handle.game.setBreakpoint(place, on);
          const set = handle.game.breakpoints();
          return gameAnswer(handle, { breakpoints: set }, `${count(set.length, "breakpoint")}.`);
        });
      },
    }),
    break: action({
      description: "Stop at the next line, even in a loop.",
      effect: "mark",
      errors: REPLY,
      input: z.strictObject({ game }),
      output: result.gameStopped,
      handler: ({ game }, { workspace, signal }) =>
        withGame(workspace, game, (handle) => stopAnswer(handle, handle.game.break({ signal }))),
    }),
    stack: action({
      description: "Get stack and variables of a stop.",
      effect: "none",
      errors: REPLY,
      input: z.strictObject({ game, frame }),
      output: result.stackAt,
      handler: ({ game, frame = 0 }, { workspace }) =>
        withGame(workspace, game, async (handle) => {
          const locals = await handle.game.locals(frame);
          if (!locals.ok) return locals;
          const stop = handle.game.stop();
          if (stop === undefined) throw new Error("A game whose variables were read has stopped.");
          return gameAnswer(handle, { ...stop, frame, locals: locals.value }, describeStop(handle.game));
        }),
    }),
    evaluate: action({
      description: "Evaluate GDScript on a node or in a frame. Changes need ALLOW_GAME_CODE.",
      effect: "update",
      errors: ANY_CODE,
      input: z.strictObject({ game, expression, node: node.optional(), frame }),
      output: result.evaluated,
      handler: async ({ game, expression, ...at }, { workspace, settings, signal }) => {
        const refused = closedToCalls(settings, expression);
        if (refused !== undefined) return refused;
        return withGame(workspace, game, async (handle) => {
          const value = await handle.game.evaluate(expression, p.defined(at), { signal });
          if (!value.ok) return value;
          return gameAnswer(handle, { value: value.value }, JSON.stringify(value.value).slice(0, 200));
        });
      },
    }),
    profile: action({
      description: "Measure functions over some frames.",
      effect: "none",
      errors: REPLY,
      input: z.strictObject({ game, frames }),
      output: result.profile,
      handler: ({ game, frames = MEASURED_FRAMES }, { workspace, signal, progress }) =>
        withProgress(workspace, game, progress, async (handle) => {
          const functions = await handle.game.profile(frames, { signal, timeoutMs: MAX_MS });
          if (!functions.ok) return functions;
          const monitors = await handle.game.monitors({ signal });
          if (!monitors.ok) return monitors;
          return gameAnswer(
            handle,
            { functions: functions.value, monitors: monitors.value },
            `${count(functions.value.length, "function")} in ${frames} frames.`,
          );
        }),
    }),
  };
}
