import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { importFirst } from "../../testing/import-first.ts";
import * as p from "../params.ts";
import { ANY_CODE, count, logsOf, product } from "../product.ts";
import { debugActions } from "./debug.ts";
import {
  after,
  breakpoints,
  game,
  gameAnswer,
  gameStatus,
  PAGES,
  placesOf,
  printed,
  withGame,
} from "./game-answers.ts";
import { liveActions } from "./live.ts";
import * as result from "./results.ts";

export const gameTool = product.defineActionTool({
  name: "godot_game",
  title: "Run and debug the game",
  description: "Run and debug the game; nothing is added to the project.",
  category: "game",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "workspace", "settings"],
  hasContent: true,
  errors: ANY_CODE,
  deadlineMs: 120_000,
  goOn: "Call again with after, or ask for less.",
  actions: (action) => ({
    run: action({
      description: "Start the game.",
      effect: "create",
      input: z.strictObject({
        scene: z.string().optional().describe("Default: the main scene"),
        display: z.enum(["auto", "virtual", "none"]).optional().describe("none: no screenshots"),
        fixedFps: z.int().min(1).optional().describe("60: same inputs, same game"),
        breakpoints: breakpoints.optional(),
        stopAtErrors: z.boolean().optional().describe("Stop at script errors"),
      }),
      output: result.gameStarted,
      handler: async ({ scene, breakpoints = [], ...options }, { project, workspace, signal, progress }) => {
        const file = scene === undefined ? undefined : await project.resolve(scene);
        if (file !== undefined && !file.ok) return file;
        const places = await placesOf(project, breakpoints);
        if (!places.ok) return places;
        progress({ done: 0, total: 4, message: "Importing new files" });
        const imported = await importFirst(project, workspace, signal);
        const started = await workspace.games.run({
          ...p.defined({ ...options, scene: file?.value.res }),
          breakpoints: places.value,
          signal,
          onProgress: (message, done) => progress({ done, total: 4, message }),
        });
        if (!started.ok) return started;
        const { warnings: atStart, ...known } = started.value.game.started;
        const warnings = imported.ok
          ? atStart
          : [`New files were not imported: ${imported.failure.message}`, ...atStart];
        const status = gameStatus(started.value);
        const summary = `${status.game} ${STATES[status.state]} after ${known.startMs} ms.`;
        const logs = logsOf(printed(started.value.game.output()));
        return gameAnswer(started.value, { ...known, ...status }, summary, { warnings, ...logs });
      },
    }),
    status: action({
      description: "List games.",
      effect: "none",
      errors: [],
      input: z.strictObject({}),
      output: result.games,
      handler: (_input, { workspace }) => {
        const games = workspace.games.all().map((handle) => ({
          ...gameStatus(handle),
          scene: handle.game.started.scene,
        }));
        return ok({ games }, { summary: `${count(games.length, "game")}.` });
      },
    }),
    output: action({
      description: "Get printed lines; errors begin with !.",
      effect: "none",
      errors: ["E_NOT_FOUND"],
      input: z.strictObject({ game, after, limit: p.limit(PAGES) }),
      output: result.outputPage,
      handler: ({ game, ...query }, { workspace }) =>
        withGame(workspace, game, async (handle) => {
          await handle.game.flush();
          const page = handle.game.output(p.defined(query));
          handle.linesSeen = Math.max(handle.linesSeen, page.next);
          const lines = printed(page);
          return gameAnswer(handle, { ...page, lines }, `${count(lines.length, "line")}.`);
        }),
    }),
    errors: action({
      description: "Get errors with stack and locals.",
      effect: "none",
      errors: ["E_NOT_FOUND"],
      input: z.strictObject({ game, after, limit: p.limit(PAGES) }),
      output: result.errorPage,
      handler: ({ game, ...query }, { workspace }) =>
        withGame(workspace, game, async (handle) => {
          await handle.game.flush();
          const page = handle.game.errors(p.defined(query));
          handle.errorsSeen = Math.max(handle.errorsSeen, page.next);
          return gameAnswer(handle, page, `${count(page.errors.length, "problem")}.`);
        }),
    }),
    ...liveActions(action),
    ...debugActions(action),
    stop: action({
      description: "End the game.",
      effect: "undo",
      errors: ["E_NOT_FOUND"],
      input: z.strictObject({ game }),
      output: result.gameState,
      handler: ({ game }, { workspace }) =>
        withGame(workspace, game, async (handle) => {
          await handle.game.end();
          const logs = logsOf(printed(handle.game.output()));
          return gameAnswer(handle, gameStatus(handle), `${handle.id} has ended.`, logs);
        }),
    }),
  }),
});

const STATES = {
  running: "runs",
  paused: "is paused",
  stopped: "has stopped at a line",
  ended: "ended",
} as const;
