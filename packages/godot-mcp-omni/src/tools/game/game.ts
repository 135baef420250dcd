import type { JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import * as z from "zod";
import { gameInput } from "../../game/game-input.ts";
import { placesOf } from "../../game/places.ts";
import { importFirst } from "../../testing/import-first.ts";
import { ANY_CODE } from "../codes.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";
import { count } from "../words.ts";
import {
  answerOf,
  given,
  halfDone,
  inTime,
  standing,
  stateOf,
  telling,
  whereIn,
  withGame,
} from "./answers.ts";

const game = z.string().optional().describe("Handle; the newest unless set");
const node = z.string().describe("/root/Main/Player, Player from the current scene, #id");
const after = z.int().optional().describe("`next` of the last page");
const frames = z.int().min(1).max(36_000).optional().describe("Frames");
const frame = z.int().min(0).optional().describe("Of the stack, from 0");
const expression = z.string().describe('GDScript: count > 3, get_node("A").x, Autoload.y');
const breakpoints = z.array(z.string()).describe("res://a.gd:12");

export const gameTool = product.defineActionTool({
  name: "godot_game",
  title: "Run, see, drive and debug the game",
  describe: "Runs the game as its debugger, with nothing added to the project.",
  category: "game",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "godots"],
  errors: ANY_CODE,
  deadlineMs: 120_000,
  goOn: "Go on with after, or ask for less.",
  actions: (action) => ({
    run: action({
      describe: "Starts it, to the first frame.",
      effect: "create",
      input: z.strictObject({
        scene: z.string().optional().describe("The main one unless set"),
        display: z.enum(["auto", "virtual", "none"]).optional().describe("none: headless, no screenshots"),
        fixedFps: z.int().min(1).optional().describe("Same inputs, same game"),
        breakpoints: breakpoints.optional(),
        stopAtErrors: z.boolean().optional().describe("Stand at script errors; else they are noted"),
      }),
      output: p.answer,
      run: async ({ scene, breakpoints = [], ...options }, { project, godots, signal, progress }) => {
        const file = scene === undefined ? undefined : await project.resolve(scene);
        if (file !== undefined && !file.ok) return file;
        const places = await placesOf(project, breakpoints);
        if (!places.ok) return places;
        progress({ done: 0, total: 4, message: "Importing what is new" });
        const imported = await importFirst(project, godots, signal);
        const started = await godots.games.run({
          ...given(options),
          breakpoints: places.value,
          signal,
          onProgress: (message, done) => progress({ done, total: 4, message }),
          ...(file !== undefined && { scene: file.value.res }),
        });
        if (!started.ok) return started;
        const { id, game } = started.value;
        const { warnings: told, ...known } = game.started;
        const warnings = imported.ok ? told : [`Not imported first: ${imported.failure.message}`, ...told];
        const { state } = game.status();
        const summary = `${id} ${STATES[state]} after ${known.startMs} ms.`;
        return answerOf(started.value, { ...known, ...stateOf(started.value) }, summary, { warnings });
      },
    }),
    status: action({
      describe: "All games and how they ended.",
      effect: "none",
      input: z.strictObject({}),
      output: p.answer,
      run: async (_input, { godots }) => {
        const games = godots.games.all().map((handled) => ({
          ...stateOf(handled),
          scene: handled.game.started.scene,
        }));
        return ok({ games }, { summary: `${count(games.length, "game")}.` });
      },
    }),
    output: action({
      describe: "The last it printed.",
      effect: "none",
      input: z.strictObject({ game, after, limit: p.limit }),
      output: p.answer,
      run: ({ game, ...query }, { godots }) =>
        withGame(godots, game, async (handled) => {
          await handled.game.flush();
          const page = handled.game.output(given(query));
          const lines = page.lines.map(({ text, isError }) => (isError ? `! ${text}` : text));
          return answerOf(handled, { ...page, lines }, `${count(lines.length, "line")}.`);
        }),
    }),
    errors: action({
      describe: "Errors and warnings with stack and locals.",
      effect: "none",
      input: z.strictObject({ game, after, limit: p.limit }),
      output: p.answer,
      run: ({ game, ...query }, { godots }) =>
        withGame(godots, game, async (handled) => {
          await handled.game.flush();
          const page = handled.game.errors(given(query));
          handled.errorsSeen = Math.max(handled.errorsSeen, page.next);
          return answerOf(handled, page, `${count(page.errors.length, "problem")}.`);
        }),
    }),
    tree: action({
      describe: "Live nodes, 200 a page.",
      effect: "none",
      input: z.strictObject({
        game,
        node: node.optional(),
        depth: z.int().min(0).optional().describe("Levels"),
        type: z.string().optional().describe("Class"),
        group: z.string().optional().describe("Group"),
        name: z.string().optional().describe("Part of it"),
        after,
        limit: p.limit,
      }),
      output: p.answer,
      run: ({ game, name, ...query }, { godots, signal }) =>
        withGame(godots, game, async (handled) =>
          telling(
            handled,
            await handled.game.tree({ ...given(query), ...given({ nameContains: name }) }, { signal }),
            ({ nodes, total }) => `${nodes.length} of ${count(total, "node")}.`,
          ),
        ),
    }),
    inspect: action({
      describe: "Variables and changed properties.",
      effect: "none",
      input: z.strictObject({ game, node, fields: z.array(z.string()).optional().describe("Only these") }),
      output: p.answer,
      run: ({ game, node, ...query }, { godots, signal }) =>
        withGame(godots, game, async (handled) =>
          telling(
            handled,
            await handled.game.inspect(node, given(query), { signal }),
            ({ type }) => `${node} is a ${String(type)}.`,
          ),
        ),
    }),
    set: action({
      describe: "Sets properties, in the game only.",
      effect: "update",
      input: z.strictObject({
        game,
        node,
        values: z.looseObject({}).describe('{"speed": 5, "position:x": 9}'),
      }),
      output: p.answer,
      run: ({ game, node, values }, { godots, signal }) =>
        withGame(godots, game, async (handled) => {
          const changes: Record<string, JsonObject> = {};
          for (const [property, value] of Object.entries(values)) {
            const set = await handled.game.set(node, property, p.asJson(value), { signal });
            if (!set.ok) return halfDone(set, changes);
            changes[property] = { old: set.value.old, new: set.value.value };
          }
          return answerOf(handled, { node, changes }, `${count(Object.keys(changes).length, "value")} set.`);
        }),
    }),
    input: action({
      describe: "Gives inputs, frame by frame.",
      effect: "update",
      input: z.strictObject({
        game,
        events: z
          .array(z.looseObject({}))
          .describe(
            "{kind: key, key: Ctrl+S} | {kind: action, name} | {kind: button, x, y, button: left} | {kind: move, x, y} | {kind: text, text}; x, y: unscaled; frames: wait before it, hold: frames until release, pressed: only that",
          ),
      }),
      output: p.answer,
      run: async ({ game, events }, { godots, signal, progress }) => {
        const inputs = p.checkedItems("events", gameInput, events);
        if (!inputs.ok) return inputs;
        return inTime(godots, game, progress, async (handled) =>
          telling(
            handled,
            await handled.game.input(inputs.value, { signal, timeoutMs: LONGEST_MS }),
            ({ frames }) =>
              `${count(events.length, "input")} ${frames.length === 0 ? "wait for the next steps" : "given"}.`,
          ),
        );
      },
    }),
    wait: action({
      describe: "Until true; without expression, until it stands.",
      effect: "none",
      input: z.strictObject({
        game,
        expression: expression.optional(),
        node: node.optional(),
        timeoutMs: z.int().min(10).max(110_000).optional().describe("10,000 unless set"),
      }),
      output: p.answer,
      run: ({ game, expression, node, timeoutMs = WAIT_MS }, { godots, signal, progress }) =>
        inTime(godots, game, progress, async (handled) => {
          if (expression === undefined)
            return standing(handled, handled.game.waitForStop({ signal, timeoutMs }));
          const until = await handled.game.waitUntil(
            { expression, ...given({ node }) },
            { signal, timeoutMs },
          );
          return telling(handled, until, ({ frame }) => `True in frame ${frame}.`);
        }),
    }),
    pause: action({
      describe: "Between frames.",
      effect: "mark",
      input: z.strictObject({ game }),
      output: p.answer,
      run: ({ game }, { godots, signal }) =>
        withGame(godots, game, async (handled) =>
          telling(
            handled,
            await handled.game.pause({ signal }),
            ({ frame }) => `Paused after frame ${frame}.`,
          ),
        ),
    }),
    step: action({
      describe: "Frames on, exactly so many when paused.",
      effect: "update",
      input: z.strictObject({ game, frames }),
      output: p.answer,
      run: ({ game, frames = 1 }, { godots, signal, progress }) =>
        inTime(godots, game, progress, async (handled) =>
          telling(
            handled,
            await handled.game.step(frames, { signal, timeoutMs: LONGEST_MS }),
            ({ frame }) => `Frame ${frame}.`,
          ),
        ),
    }),
    resume: action({
      describe: "After pause or a stop, or a line on.",
      effect: "mark",
      input: z.strictObject({
        game,
        how: z.enum(["continue", "next", "into", "out"]).optional().describe("continue unless set"),
      }),
      output: p.answer,
      run: ({ game, how = "continue" }, { godots, signal }) =>
        withGame(godots, game, async (handled) => {
          if (how !== "continue") return standing(handled, handled.game.resumeStop(how, { signal }));
          const resumed =
            handled.game.stop() === undefined
              ? await handled.game.resume({ signal })
              : await handled.game.resumeStop(how);
          return resumed.ok ? answerOf(handled, stateOf(handled), "It runs.") : resumed;
        }),
    }),
    screenshot: action({
      describe: "The picture, and a path to it unscaled.",
      effect: "none",
      input: z.strictObject({
        game,
        maxSize: z.int().min(16).optional().describe("Longest side; 960 unless set"),
      }),
      output: p.answer,
      run: ({ game, ...query }, { godots, signal }) =>
        withGame(godots, game, async (handled) => {
          const shot = await handled.game.screenshot(given(query), { signal });
          if (!shot.ok) return shot;
          const { png, ...known } = shot.value;
          const shown =
            known.scale < 1 ? ` Shown at ${known.scale.toFixed(3)}: divide x and y by it for inputs.` : "";
          const summary = `${known.width}×${known.height}, frame ${known.frame}.${shown}`;
          return answerOf(handled, known, summary, {
            content: [{ type: "image", data: png, mimeType: "image/png" }],
          });
        }),
    }),
    breakpoint: action({
      describe: "Sets some; on false takes away.",
      effect: "mark",
      input: z.strictObject({ game, breakpoints, on: z.boolean().optional().describe("True unless set") }),
      output: p.answer,
      run: async ({ game, breakpoints, on = true }, { project, godots }) => {
        const places = await placesOf(project, breakpoints);
        if (!places.ok) return places;
        return withGame(godots, game, async (handled) => {
          for (const place of places.value) handled.game.setBreakpoint(place, on);
          const set = handled.game.breakpoints();
          return answerOf(handled, { breakpoints: set }, `${count(set.length, "breakpoint")}.`);
        });
      },
    }),
    break: action({
      describe: "Stands at the next line that runs.",
      effect: "mark",
      input: z.strictObject({ game }),
      output: p.answer,
      run: ({ game }, { godots, signal }) =>
        withGame(godots, game, (handled) => standing(handled, handled.game.break({ signal }))),
    }),
    stack: action({
      describe: "Where it stands, and variables.",
      effect: "none",
      input: z.strictObject({ game, frame }),
      output: p.answer,
      run: ({ game, frame = 0 }, { godots }) =>
        withGame(godots, game, async (handled) => {
          const locals = await handled.game.locals(frame);
          if (!locals.ok) return locals;
          const known = { ...handled.game.stop(), frame, locals: locals.value };
          return answerOf(handled, known, whereIn(handled.game));
        }),
    }),
    evaluate: action({
      describe: "From a node, or in the stack.",
      effect: "update",
      input: z.strictObject({ game, expression, node: node.optional(), frame }),
      output: p.answer,
      run: ({ game, expression, ...at }, { godots, signal }) =>
        withGame(godots, game, async (handled) => {
          const value = await handled.game.evaluate(expression, given(at), { signal });
          if (!value.ok) return value;
          return answerOf(handled, { value: value.value }, JSON.stringify(value.value).slice(0, 200));
        }),
    }),
    profile: action({
      describe: "Monitors, and where scripts spend some frames.",
      effect: "none",
      input: z.strictObject({ game, frames }),
      output: p.answer,
      run: ({ game, frames = PROFILED }, { godots, signal, progress }) =>
        inTime(godots, game, progress, async (handled) => {
          const functions = await handled.game.profile(frames, { signal, timeoutMs: LONGEST_MS });
          if (!functions.ok) return functions;
          const monitors = await handled.game.monitors({ signal });
          if (!monitors.ok) return monitors;
          const known = { functions: functions.value, monitors: monitors.value };
          return answerOf(
            handled,
            known,
            `${count(functions.value.length, "function")} in ${frames} frames.`,
          );
        }),
    }),
    stop: action({
      describe: "Ends it and all it started.",
      effect: "undo",
      input: z.strictObject({ game }),
      output: p.answer,
      run: ({ game }, { godots }) =>
        withGame(godots, game, async (handled) => {
          await handled.game.end();
          return answerOf(handled, stateOf(handled), `${handled.id} has ended.`);
        }),
    }),
  }),
});

const WAIT_MS = 10_000;
const LONGEST_MS = 110_000;
const PROFILED = 60;
const STATES = { running: "runs", paused: "is paused", stopped: "stands", ended: "ended" } as const;
