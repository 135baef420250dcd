import type { Json } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { closedToCalls, type Gates } from "../../config/gates.ts";
import { errors, type ReplyCode, type Result } from "../../errors.ts";
import type { GameHandle } from "../../game/games.ts";
import { gameInput, type Stepped, type StepQuery } from "../../game/input-shapes.ts";
import * as p from "../params.ts";
import { ANY_CODE, count, type DefineAction } from "../product.ts";
import {
  events,
  expressions,
  frames,
  game,
  gameAnswer,
  image,
  MAX_MS,
  node,
  picture,
  printed,
  withProgress,
} from "./game-answers.ts";
import * as result from "./results.ts";
import { startFor, startInput } from "./start.ts";

const stretch = {
  frames,
  until: z.string().optional().describe("Stop when: coins == 1"),
  events: events.optional(),
  picture,
};

/** Actions that play some frames and report all events in them. */
export function playActions(action: DefineAction<"project" | "workspace" | "settings">) {
  return {
    step: action({
      description: "Play frames until a condition; lists changes.",
      effect: "update",
      errors: ANY_CODE,
      input: z.strictObject({
        game,
        ...stretch,
        maxFrames: z.int().min(1).max(36_000).optional().describe("Default: 600"),
        expressions: expressions.optional(),
        node: node.optional(),
      }),
      output: result.stepped,
      handler: async ({ game, picture = false, ...asked }, { workspace, settings, signal, progress }) => {
        const query = stepQuery(asked, settings);
        if (!query.ok) return query;
        return withProgress(workspace, game, progress, async (handle) => {
          const played = await playStretch(handle, query.value, picture, signal);
          if (!played.ok) return played;
          const { stepped, notes } = played.value;
          if (stepped.met !== false) return gameAnswer(handle, stepped, stepSummary(stepped), notes);
          return errors.fail("E_TIMEOUT", await missed(handle, query.value, stepped), {
            suggestedFix: "Look at details.changed, or allow more with maxFrames.",
            // The answer is JSON already.
            details: stepped as unknown as { [key: string]: Json },
          });
        });
      },
    }),
    verify: action({
      description: "Run, play, report all errors, end.",
      effect: "create",
      errors: ANY_CODE,
      input: z.strictObject({ ...startInput, ...stretch }),
      output: result.verified,
      handler: async (
        { scene, display, size, args, picture = false, ...asked },
        { project, workspace, settings, signal, progress },
      ) => {
        const query = stepQuery({ frames: VERIFIED_FRAMES, ...p.defined(asked) }, settings);
        if (!query.ok) return query;
        const started = await startFor(
          { scene, size, args, paused: true, ...p.defined({ display }) },
          { project, workspace, signal, progress },
        );
        if (!started.ok) return started;
        const { handle, warnings } = started.value;
        const played = await playStretch(handle, query.value, picture, signal);
        await handle.game.flush();
        const found = handle.game.errors();
        handle.errorsSeen = found.next;
        const { exit } = handle.game.status();
        await handle.game.end();
        // A game that ends by itself is not a failure of the call.
        if (!played.ok && exit === undefined) return played;
        const problems = found.errors
          .slice(0, MAX_PROBLEMS)
          .map(({ severity, message, path, line, times }) => ({
            severity,
            message: message.slice(0, MAX_MESSAGE),
            path,
            line,
            times,
          }));
        const failures = found.errors.filter(({ severity }) => severity === "error").length;
        const stepped = played.ok ? played.value.stepped : undefined;
        const isClean = failures === 0 && stepped?.met !== false && exit?.crash === undefined;
        const missing = stepped?.met === false ? ` ${query.value.until} did not become true.` : "";
        const summary = `${count(failures, "error")} in ${count(stepped?.passed ?? 0, "frame")}.${missing}`;
        return gameAnswer(
          handle,
          {
            isClean,
            errors: problems,
            ...(found.errors.length > problems.length && {
              moreErrors: found.errors.length - problems.length,
            }),
            lines: printed(handle.game.output({ limit: MAX_LINES })).map((line) =>
              line.slice(0, MAX_MESSAGE),
            ),
            ...(exit !== undefined && { exit }),
            ...(stepped !== undefined && { played: stepped }),
          },
          summary.slice(0, MAX_SUMMARY),
          { warnings, ...(played.ok && played.value.notes) },
        );
      },
    }),
  };
}

interface Asked extends z.infer<z.ZodObject<Omit<typeof stretch, "picture">>> {
  readonly maxFrames?: number | undefined;
  readonly expressions?: readonly string[] | undefined;
  readonly node?: string | undefined;
}

function stepQuery(
  { frames, until, maxFrames, events, expressions, node }: Asked,
  gates: Gates,
): Result<StepQuery, "E_SCHEMA_VALIDATION" | "E_PERMISSION_DENIED"> {
  for (const text of [until ?? "", ...(expressions ?? [])]) {
    const refused = closedToCalls(gates, text);
    if (refused !== undefined) return refused;
  }
  const inputs = p.checkedItems("events", gameInput, events ?? []);
  if (!inputs.ok) return inputs;
  const untilSent = until === undefined && frames === undefined && inputs.value.length > 0;
  const most = until === undefined ? frames : (maxFrames ?? frames);
  return ok({
    frames: most ?? (until !== undefined || untilSent ? UNTIL_FRAMES : 1),
    events: inputs.value,
    ...(untilSent && { untilSent }),
    ...p.defined({ until, expressions, node }),
  });
}

async function playStretch(
  handle: GameHandle,
  query: StepQuery,
  picture: boolean,
  signal: AbortSignal,
): Promise<Result<{ stepped: Stepped; notes: Pictures }, ReplyCode>> {
  const stepped = await handle.game.step(query, { signal, timeoutMs: MAX_MS }, handle.together);
  if (!stepped.ok) return stepped;
  const shot = picture ? await handle.game.screenshot({}, { signal }) : undefined;
  const notes =
    shot === undefined
      ? {}
      : shot.ok
        ? { content: [image(shot.value.png)] }
        : { warnings: [`No picture: ${shot.failure.message}`] };
  return ok({ stepped: shortened(stepped.value), notes });
}

type Pictures = { readonly content?: ReturnType<typeof image>[]; readonly warnings?: string[] };

function stepSummary({ met, frame, passed, events }: Stepped): string {
  const sent = events.length === 0 ? "" : ` ${count(events.length, "event")} sent.`;
  return `${met ? "It holds in frame" : "Frame"} ${frame}, after ${count(passed, "frame")}.${sent}`;
}

async function missed(handle: GameHandle, { until = "", node }: StepQuery, stepped: Stepped) {
  const seen = await handle.game.lastSeen(until, node);
  return `${until.slice(0, 200)} did not become true in ${count(stepped.passed, "frame")}.${seen}`;
}

/** Rounds numbers, and keeps the rows that fit into a short answer. */
function shortened(stepped: Stepped): Stepped {
  // The same shape, with other numbers.
  const round = JSON.parse(JSON.stringify(stepped), (_key, value: unknown) =>
    typeof value === "number" ? Math.round(value * PRECISION) / PRECISION : value,
  ) as Stepped;
  const { values: all = [], added = [], removed = [], more = 0 } = round.changed;
  // A physics engine moves resting bodies by less than what is shown.
  const values = all.filter((row, index) => !isSame(row) || isSame(stepped.changed.values?.[index] ?? row));
  let room = ROOM - JSON.stringify({ ...round, changed: {} }).length;
  const fit = <T>(rows: readonly T[]) =>
    rows.filter((row) => {
      room -= JSON.stringify(row).length + 1;
      return room > 0;
    });
  const kept = { removed: fit(removed), added: fit(added), values: fit(values) };
  const lost =
    removed.length +
    added.length +
    values.length -
    kept.removed.length -
    kept.added.length -
    kept.values.length;
  const shown = Object.fromEntries(Object.entries(kept).filter(([, rows]) => rows.length > 0));
  const { values: _v, added: _a, removed: _r, more: _m, ...rest } = round.changed;
  return { ...round, changed: { ...rest, ...shown, ...(more + lost > 0 && { more: more + lost }) } };
}

function isSame({ old, new: now }: { readonly old: Json; readonly new: Json }): boolean {
  return JSON.stringify(old) === JSON.stringify(now);
}

const UNTIL_FRAMES = 600;
const VERIFIED_FRAMES = 120;
const MAX_PROBLEMS = 10;
const MAX_MESSAGE = 200;
const MAX_LINES = 10;
const MAX_SUMMARY = 118;
const PRECISION = 1_000;
/** Bytes of a step in an answer. */
const ROOM = 3_000;
