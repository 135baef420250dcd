import type { Failure, JsonObject } from "@toolpact/contract";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { GodotCode, Result } from "../errors.ts";
import type { RunnerProcess } from "../testing/runner-process.ts";

/** The failure of one of several games, with its index. */
export interface GameFailure {
  readonly game: number;
  readonly failure: Failure<GodotCode>;
}

/**
 * Plays a recording in several games with one clock: each plays a frame while the others stand still, in their order. A
 * message that one sends over loopback in its frame has arrived when the next one begins the same frame.
 */
export async function takeTurns(
  games: readonly RunnerProcess[],
  requests: readonly JsonObject[],
  frames: number,
  timeoutMs: number,
): Promise<Outcome<readonly JsonObject[], GameFailure>> {
  const playing: Promise<Result<JsonObject>>[] = [];
  for (let frame = 1; frame <= frames; frame++)
    for (const [game, runner] of games.entries()) {
      // A game opens its scene after the earlier ones have played their first frame.
      playing[game] ??= runner.ask("recording", requests[game] ?? {}, timeoutMs);
      const played = await Promise.race([runner.ask("frame", {}, timeoutMs), playing[game]]);
      if (!played.ok) return failed({ game, failure: played.failure });
    }
  const answers: JsonObject[] = [];
  for (const [game, asked] of playing.entries()) {
    const answer = await asked;
    if (!answer.ok) return failed({ game, failure: answer.failure });
    answers.push(answer.value);
  }
  return ok(answers);
}
