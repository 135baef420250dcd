import type { Failure, JsonObject, RunTools } from "@toolpact/contract";
import type { OkNotes } from "@toolpact/contract/internal";
import { ok, type Success } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type ReplyCode, type Result } from "../../errors.ts";
import type { Game } from "../../game/game.ts";
import type { GameStatus, OutputPage, Place } from "../../game/game-shapes.ts";
import type { GameHandle } from "../../game/games.ts";
import type { FileCode, Project } from "../../project/project.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { count, type ToolAnswer } from "../product.ts";

/** Calls `work` with the game of that handle; by default the newest one. */
export async function withGame<T extends object, Code extends ReplyCode = never>(
  workspace: Workspace,
  id: string | undefined,
  work: (handle: GameHandle) => Promise<ToolAnswer<T, Code>>,
): Promise<ToolAnswer<T, Code | "E_NOT_FOUND">> {
  const handle = workspace.games.find(id);
  return handle.ok ? work(handle.value) : handle;
}

/** Like `withGame`, for long work: reports progress every second. */
export async function withProgress<T extends object, Code extends ReplyCode>(
  workspace: Workspace,
  id: string | undefined,
  progress: RunTools["progress"],
  work: (handle: GameHandle) => Promise<ToolAnswer<T, Code>>,
): Promise<ToolAnswer<T, Code | "E_NOT_FOUND">> {
  let seconds = 0;
  let stopTimer = () => {};
  const report = () => {
    stopTimer = workspace.games.clock.after(1_000, () => {
      progress({ done: ++seconds, message: count(seconds, "second") });
      report();
    });
  };
  report();
  return withGame(workspace, id, work).finally(() => stopTimer());
}

/** Names the game in every answer. */
export function gameAnswer<T extends object>(
  handle: GameHandle,
  value: T,
  summary: string,
  notes: Omit<Partial<OkNotes>, "summary"> = {},
): Success<{ readonly game: string } & T, OkNotes> {
  return ok({ game: handle.id, ...value }, { ...notes, summary });
}

/** Printed lines of a game; errors begin with `!`. */
export function printed({ lines }: OutputPage): string[] {
  return lines.map(({ text, isError }) => (isError ? `! ${text}` : text));
}

/** Returns the game's answer with a summary. */
export function passOn<T extends object>(
  handle: GameHandle,
  answer: Result<T, ReplyCode>,
  summary: (value: T) => string,
): ToolAnswer<{ readonly game: string } & T, ReplyCode> {
  return answer.ok ? gameAnswer(handle, answer.value, summary(answer.value)) : answer;
}

/** The stop of a game, with the variables of that frame. */
export async function stopAnswer(handle: GameHandle, waiting: ReturnType<Game["waitForStop"]>) {
  const stop = await waiting;
  if (!stop.ok) return stop;
  const locals = await handle.game.locals(0);
  return gameAnswer(
    handle,
    { ...stop.value, ...(locals.ok && { locals: locals.value }) },
    describeStop(handle.game),
  );
}

export function describeStop(game: Game): string {
  const stop = game.stop();
  const [top] = stop?.stack ?? [];
  return top === undefined ? "It has stopped." : `Stopped at ${top.path}:${top.line}: ${stop?.reason}`;
}

export function gameStatus({ id, game }: GameHandle): { readonly game: string } & GameStatus {
  return { game: id, ...game.status() };
}

/** Properties before the refused one stay set, which the answer reports. */
export function partlySet(refused: { ok: false; failure: Failure<ReplyCode> }, changes: JsonObject) {
  const done = Object.keys(changes);
  if (done.length === 0) return refused;
  const { message, details } = refused.failure;
  return {
    ...refused,
    failure: {
      ...refused.failure,
      message: `${message} Set before it, and still so: ${done.join(", ")}.`,
      details: { ...details, changes },
    },
  };
}

/** Arguments that several actions of godot_game share. */
export const game = z.string().optional().describe("game-1; default: the newest");
export const node = z.string().describe("/root/Main/Player, Player, %Unique, #id");
export const after = z.int().optional().describe("`next` of the last page");
export const frames = z.int().min(1).max(36_000).optional().describe("Default: 1; profile, watch: 60");
export const frame = z.int().min(0).optional().describe("Of the stack; 0 is innermost");
export const expression = z.string().describe("count > 3, $Player.x, Autoload.z");
export const events = z
  .array(z.looseObject({}))
  .describe(
    "{kind: action, name: jump, at: 10, hold: 5}, {kind: key, key: Ctrl+S}, {kind: click, text: Play} or x, y; text, walk, button, touch, pad, move: tool_help",
  );
export const expressions = z.array(z.string()).min(1).max(8).describe("As expression");
export const picture = z.boolean().optional().describe("Add a picture");
export const on = z.boolean().optional().describe("false: remove, or wait until gone");
export const breakpoints = z.array(z.string()).describe("res://a.gd:12");

export function image(png: string) {
  return { type: "image" as const, data: png, mimeType: "image/png" };
}

/** Below the time limit of the tool. */
export const MAX_MS = 110_000;

/** Default of `limit`. */
export const PAGES = "a page";

/** Default number of frames to measure. */
export const MEASURED_FRAMES = 60;

/** Parses locations such as `res://a.gd:12`; optionally checks that the script exists and has code there. */
export async function placesOf(
  project: Project,
  texts: readonly string[],
  mustBeCode = true,
): Promise<Result<readonly Place[], FileCode>> {
  const places: Place[] = [];
  for (const text of texts) {
    const [, path = "", line] = /^(.+):(\d+)$/.exec(text) ?? [];
    if (line === undefined)
      return errors.fail(
        "E_SCHEMA_VALIDATION",
        `"${text.slice(0, 80)}" is not a line of a script: write res://a.gd:12.`,
      );
    const found = await project.readText(path);
    if (!found.ok) return found;
    const at = { path: found.value.path.res, line: Number(line) };
    const lines = found.value.text.split("\n");
    if (mustBeCode && !isCode(lines[at.line - 1])) {
      const next = lines.findIndex((each, index) => index >= at.line && isCode(each)) + 1;
      return errors.fail(
        "E_SCHEMA_VALIDATION",
        `${at.path}:${at.line} has no code, so no game stops there.`,
        {
          suggestedFix: next === 0 ? `It has ${lines.length} lines.` : `The next line with code is ${next}.`,
        },
      );
    }
    places.push(at);
  }
  return ok(places);
}

/** Whether a line is more than a comment. */
function isCode(line: string | undefined): boolean {
  return line !== undefined && /^\s*[^\s#]/.test(line);
}
