import type { Failure, JsonObject, OkNotes, Outcome, RunTools } from "@toolpact/contract";
import type { GodotCode } from "../../errors.ts";
import type { Game } from "../../game/game.ts";
import type { Handled } from "../../game/games.ts";
import type { Godots } from "../../workspace/godots.ts";
import { type Answer, told } from "../answer.ts";
import { count } from "../words.ts";

const MOST_NEWS = 3;

export async function withGame(
  godots: Godots,
  id: string | undefined,
  work: (handled: Handled) => Promise<Answer>,
): Promise<Answer> {
  const handled = godots.games.find(id);
  return handled.ok ? work(handled.value) : handled;
}

/** As `withGame`, for what may take long: tells every second that it goes on. */
export async function inTime(
  godots: Godots,
  id: string | undefined,
  progress: RunTools["progress"],
  work: (handled: Handled) => Promise<Answer>,
): Promise<Answer> {
  let seconds = 0;
  let stop = () => {};
  const tell = () => {
    stop = godots.games.clock.after(1_000, () => {
      progress({ done: ++seconds, message: count(seconds, "second") });
      tell();
    });
  };
  tell();
  return withGame(godots, id, work).finally(() => stop());
}

/** Every answer says which game it is of, and whether that has failed since the last one. */
export function answerOf(
  handled: Handled,
  value: object,
  summary: string,
  notes: Omit<Partial<OkNotes>, "summary"> = {},
): Answer {
  const { errors, next } = handled.game.errors({ after: handled.errorsSeen });
  handled.errorsSeen = next;
  const news = errors
    .filter(({ severity }) => severity === "error")
    .slice(0, MOST_NEWS)
    .map(({ path, line, message }) => `New error at ${path}:${line}: ${message}`);
  const warnings = [...(notes.warnings ?? []), ...news];
  return told(
    { game: handled.id, ...value },
    { ...notes, summary, ...(warnings.length > 0 && { warnings }) },
  );
}

export function telling<T extends object>(
  handled: Handled,
  answer: Outcome<T, Failure<GodotCode>>,
  summary: (value: T) => string,
): Answer {
  return answer.ok ? answerOf(handled, answer.value, summary(answer.value)) : answer;
}

export async function standing(handled: Handled, waiting: ReturnType<Game["resumeStop"]>): Promise<Answer> {
  const stop = await waiting;
  if (!stop.ok) return stop;
  const locals = await handled.game.locals(0);
  return answerOf(
    handled,
    { ...stop.value, ...(locals.ok && { locals: locals.value }) },
    whereIn(handled.game),
  );
}

export function whereIn(game: Game): string {
  const stop = game.stop();
  const [top] = stop?.stack ?? [];
  return top === undefined ? "It stands." : `It stands at ${top.path}:${top.line}: ${stop?.reason}`;
}

export function stateOf({ id, game }: Handled): JsonObject {
  const { exit, ...known } = game.status();
  return { game: id, ...known, ...(exit !== undefined && { exit: { ...exit } }) };
}

/** The values before the one that was refused stay set, and the answer says so. */
export function halfDone(refused: { ok: false; failure: Failure<GodotCode> }, changes: JsonObject): Answer {
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

/** Only what was given: an argument that is undefined is none. */
export function given<T extends object>(query: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
