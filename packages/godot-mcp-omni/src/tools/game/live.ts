import type { Json } from "@toolpact/contract";
import * as z from "zod";
import { closedGate, closedToCalls } from "../../config/gates.ts";
import type { ReplyCode } from "../../errors.ts";
import { gameInput } from "../../game/game.ts";
import { ANY_CODE, REPLY } from "../codes.ts";
import * as p from "../params.ts";
import type { DefineAction } from "../product.ts";
import { count } from "../words.ts";
import { after, expression, frames, game, LONGEST_MS, node, PAGES } from "./arguments.ts";
import { gameAnswer, partlySet, passOn, stopAnswer, withGame, withProgress } from "./game-answers.ts";
import * as result from "./results.ts";

/** Actions that look into the running game, drive it and hold it still. */
export function liveActions(action: DefineAction<"godots" | "settings">) {
  return {
    tree: action({
      describe: "List live nodes, 200 per page.",
      effect: "none",
      errors: REPLY,
      input: z.strictObject({
        game,
        node: node.optional(),
        depth: z.int().min(0).optional().describe("Levels below node"),
        type: z.string().optional().describe("Area2D"),
        group: z.string().optional().describe("enemies"),
        name: z.string().optional().describe("Part of the name"),
        after,
        limit: p.limit(PAGES),
      }),
      output: result.nodePage,
      run: ({ game, name, ...query }, { godots, signal }) =>
        withGame(godots, game, async (handle) =>
          passOn(
            handle,
            await handle.game.tree(p.defined({ ...query, nameContains: name }), { signal }),
            ({ nodes, total }) => `${nodes.length} of ${count(total, "node")}.`,
          ),
        ),
    }),
    inspect: action({
      describe: "Get variables and changed properties of a live node.",
      effect: "none",
      errors: REPLY,
      input: z.strictObject({ game, node, fields: z.array(z.string()).optional().describe("Only these") }),
      output: result.liveObject,
      run: ({ game, node, ...query }, { godots, signal }) =>
        withGame(godots, game, async (handle) =>
          passOn(
            handle,
            await handle.game.inspect(node, p.defined(query), { signal }),
            ({ type }) => `${node} is a ${type}.`,
          ),
        ),
    }),
    set: action({
      describe: "Set properties of a live node, not of the file.",
      effect: "update",
      errors: ANY_CODE,
      input: z.strictObject({
        game,
        node,
        values: z.looseObject({}).describe('{"speed": 5, "position:x": 9}'),
      }),
      output: result.propertiesSet,
      run: async ({ game, node, values }, { godots, settings, signal }) => {
        const refused = closedGate(settings, "allowGameCode", "Setting properties of a running game");
        if (refused !== undefined) return refused;
        return withGame(godots, game, async (handle) => {
          const changes: Record<string, { old: Json; new: Json }> = {};
          for (const [property, value] of Object.entries(values)) {
            const set = await handle.game.set(node, property, p.asJson(value), { signal });
            if (!set.ok) return partlySet(set, changes);
            changes[property] = { old: set.value.old, new: set.value.value };
          }
          return gameAnswer(handle, { node, changes }, `${count(Object.keys(changes).length, "value")} set.`);
        });
      },
    }),
    input: action({
      describe: "Send keys, actions, mouse, touch, gamepad and text, frame by frame.",
      effect: "update",
      errors: REPLY,
      input: z.strictObject({
        game,
        events: z
          .array(z.looseObject({}))
          .describe(
            "{kind: key, key: Ctrl+S}; action {name}, button {x, y, button: left}, touch {x, y}, pad {button: a} or {axis: left_x, value}, move {x, y}, text {text}; toX, toY: drag; x, y: unscaled; frames: wait before it, hold: frames until release, pressed: only that",
          ),
      }),
      output: result.inputSent,
      run: async ({ game, events }, { godots, signal, progress }) => {
        const inputs = p.checkedItems("events", gameInput, events);
        if (!inputs.ok) return inputs;
        return withProgress(godots, game, progress, async (handle) =>
          passOn(
            handle,
            await handle.game.input(inputs.value, { signal, timeoutMs: LONGEST_MS }),
            ({ frames }) =>
              `${count(events.length, "input")} ${frames.length === 0 ? "queued for the next steps" : "sent"}.`,
          ),
        );
      },
    }),
    wait: action({
      describe:
        "Wait until a GDScript expression is true. Without one, wait for a stop at a breakpoint or error.",
      effect: "none",
      errors: ANY_CODE,
      input: z.strictObject({
        game,
        expression: expression.optional(),
        node: node.optional(),
        timeoutMs: z.int().min(10).max(LONGEST_MS).optional().describe("Default: 10000"),
      }),
      output: z.union([result.conditionMet, result.gameStopped]),
      run: async (
        { game, expression, node, timeoutMs = WAIT_MS },
        { godots, settings, signal, progress },
      ) => {
        const refused = expression === undefined ? undefined : closedToCalls(settings, expression);
        if (refused !== undefined) return refused;
        return withProgress<
          z.infer<typeof result.conditionMet> | z.infer<typeof result.gameStopped>,
          ReplyCode
        >(godots, game, progress, async (handle) => {
          const wait = { signal, timeoutMs };
          if (expression === undefined) return stopAnswer(handle, handle.game.waitForStop(wait));
          const met = await handle.game.waitUntil(p.defined({ expression, node }), wait);
          return passOn(handle, met, ({ frame }) => `True in frame ${frame}.`);
        });
      },
    }),
    pause: action({
      describe: "Pause the running game. It stops after the current frame.",
      effect: "mark",
      errors: REPLY,
      input: z.strictObject({ game }),
      output: result.atFrame,
      run: ({ game }, { godots, signal }) =>
        withGame(godots, game, async (handle) =>
          passOn(handle, await handle.game.pause({ signal }), ({ frame }) => `Paused after frame ${frame}.`),
        ),
    }),
    step: action({
      describe: "Run some frames; exactly that many when paused.",
      effect: "update",
      errors: REPLY,
      input: z.strictObject({ game, frames }),
      output: result.atFrame,
      run: ({ game, frames = 1 }, { godots, signal, progress }) =>
        withProgress(godots, game, progress, async (handle) =>
          passOn(
            handle,
            await handle.game.step(frames, { signal, timeoutMs: LONGEST_MS }),
            ({ frame }) => `Frame ${frame}.`,
          ),
        ),
    }),
    screenshot: action({
      describe: "Take a screenshot; path is the full-size file.",
      effect: "none",
      errors: ANY_CODE,
      input: z.strictObject({
        game,
        maxSize: z.int().min(16).optional().describe("Longest side; default: 960"),
      }),
      output: result.screenshot,
      run: ({ game, ...query }, { godots, signal }) =>
        withGame(godots, game, async (handle) => {
          const shot = await handle.game.screenshot(p.defined(query), { signal });
          if (!shot.ok) return shot;
          const { png, ...known } = shot.value;
          const scaled =
            known.scale < 1 ? ` Shown at ${known.scale.toFixed(3)}: divide x and y by it for inputs.` : "";
          const summary = `${known.width}×${known.height}, frame ${known.frame}.${scaled}`;
          return gameAnswer(handle, known, summary, {
            content: [{ type: "image", data: png, mimeType: "image/png" }],
          });
        }),
    }),
  };
}

const WAIT_MS = 10_000;
