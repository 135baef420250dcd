import * as z from "zod";
import * as of from "../../game/game-shapes.ts";
import * as input from "../../game/input-shapes.ts";
import { count, json, jsonObject, list, place, severity, text } from "../../shapes.ts";

const ofGame = z.strictObject({ game: text });

export const gameState = ofGame.extend(of.gameStatus.shape);
export const gameStarted = gameState.extend({
  ...of.started.shape,
  /** All started games, if several. */
  games: list(text).exactOptional(),
});
export const games = z.strictObject({ games: list(gameState.extend({ scene: text })) });
export const outputPage = ofGame.extend({ lines: list(text), next: count, dropped: count });
export const errorPage = ofGame.extend(of.errorPage.shape);
export const atFrame = ofGame.extend({ frame: count });
export const nodePage = ofGame.extend(of.treePage.shape);
export const liveObject = ofGame.extend(of.liveObject.shape);

export const propertiesSet = ofGame.extend({
  node: text,
  changes: z.record(z.string(), z.strictObject({ old: json, new: json })),
});

export const screenPage = ofGame.extend(of.screenPage.shape);
export const inputSent = ofGame.extend(input.inputsSent.shape);
export const stepped = ofGame.extend(input.stepped.shape);

export const verified = ofGame.extend({
  /** No error, the condition held and nothing crashed. */
  isClean: z.boolean(),
  errors: list(place.extend({ severity, message: text, times: count })),
  moreErrors: count.exactOptional(),
  lines: list(text),
  exit: of.gameStatus.shape.exit,
  played: input.stepped.exactOptional(),
});

export const gameStopped = ofGame.extend({
  ...of.stop.shape,
  locals: list(of.variable).exactOptional(),
});
export const conditionMet = atFrame.extend({ value: json });
export const watched = atFrame.extend({ columns: list(text), rows: list(list(json)) });
export const screenshot = ofGame.extend(of.screenshot.shape);
export const film = ofGame.extend(of.film.shape);
export const breakpoints = ofGame.extend({ breakpoints: list(place) });
export const stackAt = gameStopped.extend({ frame: count });
export const evaluated = ofGame.extend({ value: json });

export const profile = ofGame.extend({
  functions: list(of.profiledFunction),
  /** Custom monitors of the project may have any value. */
  monitors: jsonObject,
});
