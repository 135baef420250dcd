import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors } from "../../errors.ts";
import * as p from "../params.ts";
import { ANY_CODE, count, logsOf, product } from "../product.ts";
import { debugActions } from "./debug.ts";
import { after, game, gameAnswer, gameStatus, PAGES, printed, withGame } from "./game-answers.ts";
import { liveActions } from "./live.ts";
import { playActions } from "./play.ts";
import * as result from "./results.ts";
import { pausedMeanwhile, runInput, startFor } from "./start.ts";

export const gameTool = product.defineActionTool({
  name: "godot_game",
  title: "Run and debug the game",
  description: "Run, play and debug the game.",
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
      input: z.strictObject(runInput),
      output: result.gameStarted,
      handler: async ({ instances, args, ...asked }, { project, workspace, signal, progress }) => {
        if (instances !== undefined && args !== undefined)
          return errors.fail("E_SCHEMA_VALIDATION", "args: instances have the arguments of each already.");
        const earlier = workspace.games.all().filter(({ game }) => game.status().state === "running");
        const each = instances?.map((line) => line.split(" ").filter((word) => word !== ""));
        const started = [];
        for (const own of each ?? [args ?? []]) {
          const { breakpoints, ...rest } = asked;
          const one = await startFor(
            { ...p.defined(rest), scene: asked.scene, args: own, breakpoints },
            { project, workspace, signal, progress },
          );
          if (!one.ok) {
            await Promise.all(started.map(({ handle }) => handle.game.end()));
            return one;
          }
          started.push(one.value);
        }
        for (const { handle } of started)
          handle.together = started.flatMap((other) => (other.handle === handle ? [] : [other.handle.game]));
        const paused = await pausedMeanwhile(earlier, signal);
        const { handle } = started[0] as (typeof started)[number];
        const { warnings: _, ...known } = handle.game.started;
        const status = gameStatus(handle);
        const games = started.map((one) => one.handle.id);
        const summary = `${games.join(", ")} ${STATES[status.state]} after ${known.startMs} ms.`;
        return gameAnswer(handle, { ...known, ...status, ...(games.length > 1 && { games }) }, summary, {
          warnings: [...paused, ...new Set(started.flatMap((one) => one.warnings))],
          ...logsOf(started.flatMap((one) => printed(one.handle.game.output()))),
        });
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
    ...playActions(action),
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
          // The games of one run end together, unless one is named.
          await Promise.all(
            [handle.game, ...(game === undefined ? handle.together : [])].map((one) => one.end()),
          );
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
