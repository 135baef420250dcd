import type { Json, JsonObject } from "@toolpact/contract";
import { ofInstance, type RecordedInput, type Recording, type Watched } from "./recording.ts";
import type { PlayError, SeenPicture } from "./verdict.ts";

/** The observed properties of each node, and the variables of its script. */
export type GameState = Readonly<Record<string, Readonly<Record<string, Json>>>>;

/** Two numbers; frames with one of them in common look the same. */
export type Fingerprint = readonly [number, number];

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
  /** One list per frame, with an entry per instance. */
  readonly trace: readonly (readonly Fingerprint[])[];
  readonly state: GameState;
  /** The files of the additional screenshots. */
  readonly shots: readonly { readonly frame: number; readonly instance: number; readonly path: string }[];
  /** Duration of each frame, in milliseconds; null if unknown. With several instances, the longest. */
  readonly times: readonly (number | null)[];
}

export type Seen = { readonly value: Json } | { readonly problem: string };

/** The answers of all instances as one. Texts and nodes then name their instance. */
export function playedOf(
  answers: readonly JsonObject[],
  recording: Recording,
  places: readonly { readonly path: string; readonly difference: string }[],
  watch: readonly Watched[],
): Omit<Played, "shots"> {
  // Both sides of the connection are ours.
  const games = answers as readonly unknown[] as readonly RunnerAnswer[];
  const named = (text: string, game: number) => (games.length === 1 ? text : `instance ${game + 1}: ${text}`);
  const values = games.flatMap((game) => game.values);
  const pictures = games.flatMap((game) => game.pictures);
  const missing = { problem: "The recording ended before this frame." };
  const frames = Array.from({ length: Math.min(...games.map((game) => game.frames)) }, (_, at) => at);
  return {
    values: recording.checks.map((_, at) => values.find(({ index }) => index === at) ?? missing),
    pictures: places.map(({ path, difference }, at) => {
      const { index: _, ...seen } = pictures.find(({ index }) => index === at) ?? { index: at, ...missing };
      return { path, difference, ...seen };
    }),
    inputs: games.flatMap((game) => game.inputs),
    frames: frames.length,
    problems: games.flatMap((game, at) => game.problems.map((text) => named(text, at))),
    samples: watch.length === 0 ? [] : frames.map((frame) => sampleOf(frame, games, watch)),
    trace: frames.map((frame) => games.flatMap((game) => game.trace.slice(frame, frame + 1))),
    state: Object.fromEntries(
      games.flatMap((game, at) => Object.entries(game.state).map(([node, seen]) => [named(node, at), seen])),
    ),
    times: frames.map((frame) => longest(games.map((game) => game.times[frame] ?? null))),
    output: games.flatMap(({ output = [] }, at) => output.map((line) => named(line, at))),
    errors: games.flatMap(({ errors = [] }, at) =>
      errors.flatMap(({ severity, message, stack }) =>
        severity === "script_error" ? [{ message: named(message, at), stack }] : [],
      ),
    ),
  };
}

/** The answer of `engine/test_runner_recording.gd`. */
interface RunnerAnswer
  extends Pick<Played, "inputs" | "frames" | "problems" | "samples" | "state" | "times"> {
  readonly trace: readonly Fingerprint[];
  readonly values: readonly (Seen & { readonly index: number })[];
  readonly pictures: readonly (Omit<SeenPicture, "path" | "difference"> & { readonly index: number })[];
  readonly output?: readonly string[];
  readonly errors?: readonly (PlayError & { readonly severity: string })[];
}

/** The watched values of one frame, each from its instance. */
function sampleOf(frame: number, games: readonly RunnerAnswer[], watch: readonly Watched[]): readonly Json[] {
  return watch.map(({ instance = 1 }, at) => {
    const column = ofInstance(watch.slice(0, at), instance).length;
    return games[instance - 1]?.samples[frame]?.[column] ?? null;
  });
}

function longest(times: readonly (number | null)[]): number | null {
  const known = times.filter((ms) => ms !== null);
  return known.length < times.length ? null : Math.max(...known);
}
