import type { Json } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { closedToCalls } from "../../config/gates.ts";
import { errors, type ReplyCode } from "../../errors.ts";
import type { ScreenPage, TreePage } from "../../game/game-shapes.ts";
import { gameInput } from "../../game/input-shapes.ts";
import { plotOf } from "../../game/plot.ts";
import { onePage } from "../../shortened-page.ts";
import * as p from "../params.ts";
import { ANY_CODE, count, type DefineAction, REPLY } from "../product.ts";
import {
  after,
  events,
  expression,
  expressions,
  frames,
  game,
  gameAnswer,
  image,
  MAX_MS,
  MEASURED_FRAMES,
  node,
  on,
  PAGES,
  partlySet,
  passOn,
  picture,
  stopAnswer,
  withGame,
  withProgress,
} from "./game-answers.ts";
import * as result from "./results.ts";

/** Actions that inspect, control and pause the running game. */
export function liveActions(action: DefineAction<"workspace" | "settings">) {
  return {
    tree: action({
      description: "List live nodes.",
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
      handler: ({ game, name, ...query }, { workspace, signal }) =>
        withGame(workspace, game, async (handle) => {
          const read = await handle.game.tree(p.defined({ ...query, nameContains: name }), { signal });
          const page = read.ok && query.limit === undefined ? ok(shortTree(read.value, query.after)) : read;
          return passOn(handle, page, ({ nodes, total }) => `${nodes.length} of ${count(total, "node")}.`);
        }),
    }),
    screen: action({
      description: "List what is on the screen.",
      effect: "none",
      errors: REPLY,
      input: z.strictObject({ game, after, limit: p.limit(PAGES) }),
      output: result.screenPage,
      handler: ({ game, ...query }, { workspace, signal }) =>
        withGame(workspace, game, async (handle) => {
          const read = await handle.game.screen(p.defined(query), { signal });
          const page = read.ok && query.limit === undefined ? ok(shortScreen(read.value, query.after)) : read;
          return passOn(handle, page, ({ items, total }) => `${items.length} of ${count(total, "thing")}.`);
        }),
    }),
    inspect: action({
      description: "Get variables and properties of a node.",
      effect: "none",
      errors: REPLY,
      input: z.strictObject({ game, node, fields: z.array(z.string()).optional().describe("Only these") }),
      output: result.liveObject,
      handler: ({ game, node, ...query }, { workspace, signal }) =>
        withGame(workspace, game, async (handle) =>
          passOn(
            handle,
            await handle.game.inspect(node, p.defined(query), { signal }),
            ({ type }) => `${node} is a ${type}.`,
          ),
        ),
    }),
    set: action({
      description: "Set properties of a live node only.",
      effect: "update",
      errors: REPLY,
      input: z.strictObject({
        game,
        node,
        values: z.looseObject({}).describe('{"speed": 5, "position:x": 9}'),
      }),
      output: result.propertiesSet,
      handler: ({ game, node, values }, { workspace, signal }) =>
        withGame(workspace, game, async (handle) => {
          const changes: Record<string, { old: Json; new: Json }> = {};
          for (const [property, value] of Object.entries(values)) {
            const set = await handle.game.set(node, property, p.asJson(value), { signal });
            if (!set.ok) return partlySet(set, changes);
            changes[property] = { old: set.value.old, new: set.value.value };
          }
          return gameAnswer(handle, { node, changes }, `${count(Object.keys(changes).length, "value")} set.`);
        }),
    }),
    input: action({
      description: "Send inputs, each in its frame.",
      effect: "update",
      errors: REPLY,
      input: z.strictObject({ game, events }),
      output: result.inputSent,
      handler: async ({ game, events }, { workspace, signal, progress }) => {
        const inputs = p.checkedItems("events", gameInput, events);
        if (!inputs.ok) return inputs;
        return withProgress(workspace, game, progress, async (handle) =>
          passOn(
            handle,
            await handle.game.input(inputs.value, { signal, timeoutMs: MAX_MS }),
            ({ frames }) =>
              `${count(events.length, "input")} ${frames.length === 0 ? "queued for the next steps" : "sent"}.`,
          ),
        );
      },
    }),
    wait: action({
      description: "Wait until all given holds, or for a stop.",
      effect: "none",
      errors: ANY_CODE,
      input: z.strictObject({
        game,
        expression: expression.optional(),
        signal: z.string().optional().describe("died"),
        node: node.optional(),
        on,
        frames,
        line: z.string().optional().describe("Part of a new line"),
        timeoutMs: z.int().min(10).max(MAX_MS).optional().describe("Default: 10000"),
      }),
      output: z.union([result.conditionMet, result.gameStopped]),
      handler: async (
        { game, on = true, timeoutMs = WAIT_MS, ...conditions },
        { workspace, settings, signal, progress },
      ) => {
        const refused = closedToCalls(settings, conditions.expression ?? "");
        if (refused !== undefined) return refused;
        const given = p.defined(conditions);
        return withProgress<
          z.infer<typeof result.conditionMet> | z.infer<typeof result.gameStopped>,
          ReplyCode
        >(workspace, game, progress, async (handle) => {
          const wait = { signal, timeoutMs };
          if (Object.keys(given).length === 0) return stopAnswer(handle, handle.game.waitForStop(wait));
          const met = await handle.game.waitUntil({ ...given, gone: !on, after: handle.linesSeen }, wait);
          if (!met.ok) return met;
          const { frame, value, line = handle.linesSeen } = met.value;
          handle.linesSeen = line;
          return gameAnswer(handle, { frame, value }, `Came in frame ${frame}.`);
        });
      },
    }),
    watch: action({
      description: "Get values, a row per frame.",
      effect: "none",
      errors: ANY_CODE,
      input: z.strictObject({
        game,
        expressions,
        node: node.optional(),
        frames,
        picture,
      }),
      output: result.watched,
      handler: async (
        { game, expressions, node, frames = MEASURED_FRAMES, picture = false },
        { workspace, settings, signal, progress },
      ) => {
        const refused = expressions
          .map((text) => closedToCalls(settings, text))
          .find((each) => each !== undefined);
        if (refused !== undefined) return refused;
        if (frames > MAX_WATCHED)
          return errors.fail("E_SCHEMA_VALIDATION", `frames: at most ${MAX_WATCHED} can be watched.`);
        return withProgress(workspace, game, progress, async (handle) => {
          const query = p.defined({ expressions, node, frames });
          const seen = await handle.game.watch(query, { signal, timeoutMs: MAX_MS });
          if (!seen.ok) return seen;
          const columns = ["frame", ...expressions];
          const { frame, rows } = seen.value;
          const every = Math.ceil(JSON.stringify(rows).length / MAX_TABLE);
          const shown =
            every <= 1 ? rows : rows.filter((_, index) => index % every === 0 || index === rows.length - 1);
          const summary = `${count(expressions.length, "expression")} over ${count(rows.length, "frame")}.`;
          return gameAnswer(handle, { frame, columns, rows: shown }, summary, {
            ...(every > 1 && {
              warnings: [`Every ${every}th of ${rows.length} frames is shown; watch fewer to see each.`],
            }),
            ...(picture && {
              content: [image(Buffer.from(plotOf(columns, rows)).toString("base64"))],
            }),
          });
        });
      },
    }),
    pause: action({
      description: "Pause after the current frame.",
      effect: "mark",
      errors: REPLY,
      input: z.strictObject({ game }),
      output: result.atFrame,
      handler: ({ game }, { workspace, signal }) =>
        withGame(workspace, game, async (handle) =>
          passOn(handle, await handle.game.pause({ signal }), ({ frame }) => `Paused after frame ${frame}.`),
        ),
    }),
    screenshot: action({
      description: "Take a screenshot; with frames, a film.",
      effect: "none",
      errors: ANY_CODE,
      input: z.strictObject({
        game,
        maxSize: z.int().min(16).optional().describe("Longest side; default: 960"),
        since: z.string().optional().describe("Mark changes since: path or last"),
        frames,
      }),
      output: z.union([result.screenshot, result.film]),
      handler: ({ game, frames, ...query }, { workspace, signal, progress }) =>
        withProgress<z.infer<typeof result.screenshot> | z.infer<typeof result.film>, ReplyCode>(
          workspace,
          game,
          progress,
          async (handle) => {
            if (frames !== undefined) {
              if (query.since !== undefined)
                return errors.fail("E_SCHEMA_VALIDATION", "since: a film shows what changes by itself.");
              const asked = p.defined({ frames, maxSize: query.maxSize });
              const filmed = await handle.game.film(asked, { signal, timeoutMs: MAX_MS });
              if (!filmed.ok) return filmed;
              const { sheet, ...known } = filmed.value;
              const summary = `${count(known.pictures.length, "picture")} of ${count(frames, "frame")} in ${known.path}.`;
              return gameAnswer(handle, known, summary, { content: [image(sheet)] });
            }
            const shot = await handle.game.screenshot(p.defined(query), { signal });
            if (!shot.ok) return shot;
            const { png, ...known } = shot.value;
            const scaled =
              known.scale < 1 ? ` Shown at ${known.scale.toFixed(3)}: divide x and y by it for inputs.` : "";
            const changed =
              known.changed === undefined ? "" : ` ${(known.changed.share * 100).toFixed(2)} % changed.`;
            const summary = `${known.width}×${known.height}, frame ${known.frame}.${changed}${scaled}`;
            return gameAnswer(handle, known, summary, { content: [image(png)] });
          },
        ),
    }),
  };
}

const WAIT_MS = 10_000;
const MAX_WATCHED = 3_600;
/** Size limit of the rows, which keeps the whole answer below 8 kB. */
const MAX_TABLE = 7_000;

function shortScreen(screen: ScreenPage, after = 0): ScreenPage {
  const items = onePage(screen.items);
  return items.length === screen.items.length ? screen : { ...screen, items, next: after + items.length };
}

/** As many nodes as fit on a page, and the start of the next one. */
function shortTree(tree: TreePage, after = 0): TreePage {
  const nodes = onePage(tree.nodes);
  return nodes.length === tree.nodes.length ? tree : { ...tree, nodes, next: after + nodes.length };
}
