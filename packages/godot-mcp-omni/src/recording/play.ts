import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock, JsonObject } from "@toolpact/contract";
import { makeFolderSync } from "@toolpact/file-lock";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { openDisplay } from "../game/display.ts";
import type { DisplayChoice } from "../game/game-shapes.ts";
import type { GodotBinary } from "../godot/binary.ts";
import { cacheFolder, type Environment } from "../godot/environment.ts";
import { type RunnerProcess, startRunner } from "../testing/runner-process.ts";
import { type Played, playedOf } from "./played.ts";
import { ofInstance, type Recording, unknownInstance, type Watched } from "./recording.ts";
import { type GameFailure, takeTurns } from "./take-turns.ts";
import { PIXEL_TOLERANCE } from "./verdict.ts";

export interface PlayOptions {
  readonly binary: GodotBinary;
  readonly project: string;
  readonly env: Environment;
  readonly display: DisplayChoice;
  /** Folder for the screenshots of this run. */
  readonly folder: string;
  /** Absolute paths of the stored screenshots, in order; they need not exist. */
  readonly kept: readonly string[];
  /** Whether to record inputs from keyboard and mouse. */
  readonly capture: boolean;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The home of the game, with its `user://`; by default that of all recordings. */
  readonly home?: string;
  readonly look?: Look;
}

/** Further observations while it plays. */
export interface Look {
  /** Values at the end of every frame. */
  readonly watch?: readonly Watched[];
  /** Fingerprints of each frame's visible content, to compare runs by. */
  readonly trace?: boolean;
  /** Frames to take additional screenshots in, with the longest side of each. */
  readonly pictures?: { readonly frames: readonly number[]; readonly maxSize: number };
  /** The frame to read all nodes in. */
  readonly stateAt?: number;
}

/** Time limit for a quitting game to end. */
const GRACE_MS = 2_000;

/**
 * Plays a recording in its own Godot process with a fixed frame length: the same inputs give the same game. Several
 * instances have a process each, and one clock.
 */
export async function play(recording: Recording, options: PlayOptions): Promise<Result<Played>> {
  const { binary, project, env, clock, signal, folder, timeoutMs } = options;
  const { home = join(cacheFolder(env, process.platform), "home") } = options;
  const unknown = unknownInstance(recording);
  if (unknown !== undefined) return errors.fail("E_SCHEMA_VALIDATION", unknown);
  const display = await openDisplay({ choice: options.display, godot: binary.path, env, home, clock });
  if (!display.ok) return display;
  if (display.value.kind === "none" && options.display !== "none")
    return errors.fail("E_UNSUPPORTED", "There is no display to show the game on.", {
      suggestedFix: display.value.warnings.join(" "),
      fixBy: "operator",
    });
  makeFolderSync(folder, 0o777);
  const games: RunnerProcess[] = [];
  try {
    for (const line of recording.instances ?? [""]) {
      const started = await startRunner({
        binary,
        project,
        args: [...display.value.args, "--fixed-fps", String(recording.fps), "--disable-vsync"],
        userArgs: line.split(" ").filter((word) => word !== ""),
        env: { ...display.value.env, GODOT_MCP_FIXED_FPS: String(recording.fps) },
        clock,
        signal,
      });
      if (!started.ok) return started;
      games.push(started.value);
    }
    const pictures = picturesOf(recording, options);
    const shots = shotsOf(recording, options);
    const requests = games.map((_, index) =>
      requestOf(index + 1, recording, [...pictures, ...shots], options),
    );
    const [only] = games;
    const answers =
      only !== undefined && games.length === 1
        ? await playAlone(only, requests[0] ?? {}, timeoutMs)
        : await takeTurns(games, requests, recording.frames, timeoutMs);
    if (!answers.ok) return await unfinished(answers.failure, games, recording, options);
    return ok({
      ...playedOf(answers.value, recording, pictures, options.look?.watch ?? []),
      shots: shots.filter(({ path }) => existsSync(path)),
    });
  } finally {
    await Promise.all(games.map((game) => game.end()));
    display.value.close();
  }
}
/** The answer of the only game, without turns. */
async function playAlone(
  game: RunnerProcess,
  request: JsonObject,
  timeoutMs: number,
): Promise<Outcome<readonly JsonObject[], GameFailure>> {
  const answer = await game.ask("recording", request, timeoutMs);
  return answer.ok ? ok([answer.value]) : failed({ game: 0, failure: answer.failure });
}

/** The inputs and observations of one instance. */
function requestOf(
  instance: number,
  recording: Recording,
  pictures: readonly TakenPicture[],
  { capture, look = {} }: PlayOptions,
): JsonObject {
  const { scene, frames, fps, seed, inputs, checks } = recording;
  const indexed = <T>(entries: readonly T[]) => entries.map((entry, index) => ({ ...entry, index }));
  return {
    scene,
    frames,
    fps,
    // Games with equal random numbers would be unlike those on two machines.
    seed: seed + instance - 1,
    inTurns: recording.instances !== undefined,
    // A parsed recording is JSON; its optional members only widen the type.
    inputs: ofInstance(indexed(inputs), instance) as readonly object[] as JsonObject[],
    checks: ofInstance(indexed(checks), instance).map(
      ({ index, frame, expression = "", node = "", pixel }) => ({
        index,
        frame,
        expression,
        node,
        ...(pixel !== undefined && { pixel }),
      }),
    ),
    watch: ofInstance(look.watch ?? [], instance).map(({ expression, node = "" }) => ({ expression, node })),
    trace: look.trace ?? false,
    stateAt: look.stateAt ?? 0,
    pictures: indexed(pictures).filter(
      (picture) => picture.instance === instance,
    ) as readonly object[] as JsonObject[],
    capture,
  };
}

/** The screenshots that the recording has. */
function picturesOf({ pictures }: Recording, { folder, kept }: PlayOptions) {
  return pictures.map(({ frame, instance = 1, tolerance = PIXEL_TOLERANCE }, index) => {
    const name = nameOfPicture(frame, instance);
    const difference = join(folder, `${name}-difference.png`);
    return {
      instance,
      frame,
      tolerance,
      path: join(folder, `${name}.png`),
      difference,
      shown: shownOf(difference),
      mostShown: MAX_SHOWN,
      kept: kept[index] ?? "",
    };
  });
}

/** Further screenshots, of every instance. */
function shotsOf({ instances = [""] }: Recording, { folder, look = {} }: PlayOptions) {
  const { frames = [], maxSize = MAX_SHOWN } = look.pictures ?? {};
  return frames.flatMap((frame) =>
    instances.map((_, index) => {
      const instance = index + 1;
      return {
        instance,
        frame,
        path: join(folder, `shot-${nameOfPicture(frame, instance)}.png`),
        kept: "",
        maxSize,
      };
    }),
  );
}

type TakenPicture = ReturnType<typeof picturesOf>[number] | ReturnType<typeof shotsOf>[number];

function nameOfPicture(frame: number, instance: number): string {
  return instance === 1 ? `${frame}` : `${instance}-${frame}`;
}

/** Reports where a game hangs, or how it ended. */
async function unfinished(
  { game: index, failure }: GameFailure,
  games: readonly RunnerProcess[],
  { frames, instances }: Recording,
  { timeoutMs, signal }: PlayOptions,
) {
  const { code } = failure;
  const game = games[index];
  if (game === undefined) return failed(failure);
  const name = instances === undefined ? "The game" : `Instance ${index + 1}`;
  if (code === "E_TIMEOUT" && !signal.aborted) {
    const at = await game.breaks.whereNow();
    await game.end();
    return errors.fail(
      code,
      `${name} did not come to frame ${frames} within ${timeoutMs} ms and was stopped.`,
      {
        details: { stack: (at?.stack ?? []).map((frame) => ({ ...frame })), output: game.output.slice(-20) },
        suggestedFix:
          "Give it more time with timeoutMs, or fix the loop that the stack in the details is in.",
      },
    );
  }
  if (code !== "E_NOT_CONNECTED") return failed(failure);
  const exit = await game.end(GRACE_MS);
  return errors.fail(code, `${name} ended before frame ${frames}.`, {
    details: { exit: exit.code ?? exit.signal, output: game.output.slice(-20) },
    suggestedFix: "It quit or crashed; its output in the details may show why.",
  });
}

/** Longest side of a returned screenshot, as for godot_game. */
const MAX_SHOWN = 960;

export function shownOf(difference: string): string {
  return difference.replace(/\.png$/, "-shown.png");
}
