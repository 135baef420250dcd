import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Failed, Failure, Json, JsonObject } from "@toolpact/contract";
import { makeFolderSync } from "@toolpact/file-lock";
import { ok } from "@toolpact/outcome";
import { errors, type GodotCode, type Result } from "../errors.ts";
import { openDisplay } from "../game/display.ts";
import type { DisplayChoice } from "../game/game-shapes.ts";
import type { GodotBinary } from "../godot/binary.ts";
import { cacheFolder, type Environment } from "../godot/environment.ts";
import { type RunnerProcess, startRunner } from "../testing/runner-process.ts";
import type { RecordedInput, Recording } from "./recording.ts";
import { PIXEL_TOLERANCE, type PlayError, type SeenPicture } from "./verdict.ts";

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
  readonly watch?: readonly { readonly expression: string; readonly node?: string }[];
  /** Fingerprints of each frame's visible content, to compare runs by. */
  readonly trace?: boolean;
  /** Frames to take additional screenshots in, with the longest side of each. */
  readonly pictures?: { readonly frames: readonly number[]; readonly maxSize: number };
  /** The frame to read all nodes in. */
  readonly stateAt?: number;
}

/** The observed properties of each node, and the variables of its script. */
export type GameState = Readonly<Record<string, Readonly<Record<string, Json>>>>;

export interface Played {
  /** In the order of the recording's checks. */
  readonly values: readonly Seen[];
  readonly pictures: readonly SeenPicture[];
  readonly inputs: readonly RecordedInput[];
  /** Fewer than requested if the user closed the window. */
  readonly frames: number;
  /** Script errors of the game. */
  readonly errors: readonly PlayError[];
  readonly output: readonly string[];
  /** Why clicks and walks by meaning failed. */
  readonly problems: readonly string[];
  /** Watched values, one row per frame. */
  readonly samples: readonly (readonly Json[])[];
  /** Two numbers for each frame; frames with one of them in common look the same. */
  readonly trace: readonly (readonly [number, number])[];
  readonly state: GameState;
  /** The files of the additional screenshots. */
  readonly shots: readonly { readonly frame: number; readonly path: string }[];
  /** Duration of each frame, in milliseconds; null if unknown. */
  readonly times: readonly (number | null)[];
}

export type Seen = { readonly value: Json } | { readonly problem: string };

/** Time limit for a quitting game to end. */
const GRACE_MS = 2_000;

/** Plays a recording in its own Godot process with a fixed frame length: the same inputs give the same game. */
export async function play(recording: Recording, options: PlayOptions): Promise<Result<Played>> {
  const { binary, project, env, clock, signal, folder } = options;
  const { home = join(cacheFolder(env, process.platform), "home"), look = {} } = options;
  const display = await openDisplay({ choice: options.display, godot: binary.path, env, home, clock });
  if (!display.ok) return display;
  if (display.value.kind === "none" && options.display !== "none")
    return errors.fail("E_UNSUPPORTED", "There is no display to show the game on.", {
      suggestedFix: display.value.warnings.join(" "),
      fixBy: "operator",
    });
  makeFolderSync(folder, 0o777);
  try {
    const started = await startRunner({
      binary,
      project,
      args: [...display.value.args, "--fixed-fps", String(recording.fps), "--disable-vsync"],
      env: display.value.env,
      clock,
      signal,
    });
    if (!started.ok) return started;
    const godot = started.value;
    const pictures = recording.pictures.map((picture, index) => ({
      index,
      frame: picture.frame,
      tolerance: picture.tolerance ?? PIXEL_TOLERANCE,
      path: join(folder, `${picture.frame}.png`),
      difference: join(folder, `${picture.frame}-difference.png`),
      shown: shownOf(join(folder, `${picture.frame}-difference.png`)),
      mostShown: MAX_SHOWN,
      kept: options.kept[index] ?? "",
    }));
    const shots = (look.pictures?.frames ?? []).map((frame, index) => ({
      index: pictures.length + index,
      frame,
      path: join(folder, `shot-${frame}.png`),
      kept: "",
      maxSize: look.pictures?.maxSize ?? MAX_SHOWN,
    }));
    const answer = await godot.ask(
      "recording",
      {
        scene: recording.scene,
        frames: recording.frames,
        fps: recording.fps,
        seed: recording.seed,
        // A parsed recording is JSON; its optional members only widen the type.
        inputs: recording.inputs as JsonObject[],
        checks: recording.checks.map(({ frame, expression = "", node = "", pixel }, index) => ({
          index,
          frame,
          expression,
          node,
          ...(pixel !== undefined && { pixel }),
        })),
        watch: (look.watch ?? []).map(({ expression, node = "" }) => ({ expression, node })),
        trace: look.trace ?? false,
        stateAt: look.stateAt ?? 0,
        pictures: [...pictures, ...shots],
        capture: options.capture,
      },
      options.timeoutMs,
    );
    if (!answer.ok) return unfinished(answer, godot, recording, options);
    await godot.end();
    return ok({
      ...played(answer.value, recording, pictures),
      shots: shots.filter(({ path }) => existsSync(path)).map(({ frame, path }) => ({ frame, path })),
    });
  } finally {
    display.value.close();
  }
}

/** Reports where a game hangs, or how it ended. */
async function unfinished(
  answer: Failed<Failure<GodotCode>>,
  godot: RunnerProcess,
  { frames }: Recording,
  { timeoutMs, signal }: PlayOptions,
) {
  const { code } = answer.failure;
  if (code === "E_TIMEOUT" && !signal.aborted) {
    const at = await godot.breaks.whereNow();
    await godot.end();
    return errors.fail(
      code,
      `The game did not come to frame ${frames} within ${timeoutMs} ms and was stopped.`,
      {
        details: { stack: (at?.stack ?? []).map((frame) => ({ ...frame })), output: godot.output.slice(-20) },
        suggestedFix:
          "Give it more time with timeoutMs, or fix the loop that the stack in the details is in.",
      },
    );
  }
  const exit = await godot.end(code === "E_NOT_CONNECTED" ? GRACE_MS : 0);
  if (code !== "E_NOT_CONNECTED") return answer;
  return errors.fail(code, `The game ended before frame ${frames}.`, {
    details: { exit: exit.code ?? exit.signal, output: godot.output.slice(-20) },
    suggestedFix: "It quit or crashed; its output in the details may show why.",
  });
}

/** The answer of `engine/test_runner_recording.gd`. */
interface RunnerAnswer
  extends Pick<Played, "inputs" | "frames" | "problems" | "samples" | "trace" | "state" | "times"> {
  readonly values: readonly (Seen & { readonly index: number })[];
  readonly pictures: readonly (Omit<SeenPicture, "path" | "difference"> & { readonly index: number })[];
  readonly output?: readonly string[];
  readonly errors?: readonly (PlayError & { readonly severity: string })[];
}

function played(
  value: JsonObject,
  recording: Recording,
  places: readonly { readonly path: string; readonly difference: string }[],
): Omit<Played, "shots"> {
  // Both sides of the connection are ours.
  const { values, pictures, output = [], errors = [], ...rest } = value as unknown as RunnerAnswer;
  const missing = { problem: "The recording ended before this frame." };
  return {
    values: recording.checks.map((_, at) => values.find(({ index }) => index === at) ?? missing),
    pictures: places.map(({ path, difference }, at) => {
      const { index: _, ...seen } = pictures.find(({ index }) => index === at) ?? { index: at, ...missing };
      return { path, difference, ...seen };
    }),
    inputs: rest.inputs,
    frames: rest.frames,
    problems: rest.problems,
    samples: rest.samples,
    trace: rest.trace,
    state: rest.state,
    times: rest.times,
    output,
    errors: errors.flatMap(({ severity, message, stack }) =>
      severity === "script_error" ? [{ message, stack }] : [],
    ),
  };
}

/** Longest side of a returned screenshot, as for godot_game. */
const MAX_SHOWN = 960;

export function shownOf(difference: string): string {
  return difference.replace(/\.png$/, "-shown.png");
}
