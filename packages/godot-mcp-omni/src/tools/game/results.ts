import * as z from "zod";
import { count, json, jsonObject, list, place, severity, stackFrame, text } from "../../shapes.ts";

/** Every answer names the game it is about. */
const ofGame = z.strictObject({ game: text });

export const gameState = ofGame.extend({
  state: z.enum(["running", "paused", "stopped", "ended"]),
  lines: count,
  errors: count,
  exit: z
    .strictObject({
      code: z.int().nullable(),
      signal: text.nullable(),
      ended: z.boolean(),
      crash: list(text).exactOptional(),
    })
    .exactOptional(),
});

export const gameStarted = gameState.extend({
  scene: text,
  display: z.enum(["screen", "virtual", "none"]),
  renderer: text,
  godot: text,
  startMs: z.number(),
});

export const games = z.strictObject({ games: list(gameState.extend({ scene: text })) });

export const outputPage = ofGame.extend({ lines: list(text), next: count, dropped: count });

const variable = z.strictObject({ name: text, kind: z.enum(["local", "member", "global"]), value: json });

const gameError = stackFrame.extend({
  severity,
  message: text,
  source: text.exactOptional(),
  stack: list(stackFrame),
  locals: list(variable).exactOptional(),
  times: count,
});

export const errorPage = ofGame.extend({ errors: list(gameError), next: count, dropped: count });

export const atFrame = ofGame.extend({ frame: count });

const liveNode = z.strictObject({
  path: text,
  type: text,
  script: text.exactOptional(),
  children: count.exactOptional(),
});

export const nodePage = atFrame.extend({ nodes: list(liveNode), total: count, next: count.exactOptional() });

export const liveObject = atFrame.extend({
  type: text,
  id: text,
  path: text.exactOptional(),
  script: text.exactOptional(),
  groups: list(text).exactOptional(),
  children: count.exactOptional(),
  properties: jsonObject,
});

export const propertiesSet = ofGame.extend({
  node: text,
  changes: z.record(z.string(), z.strictObject({ old: json, new: json })),
});

export const inputSent = atFrame.extend({ frames: list(count) });

export const gameStopped = ofGame.extend({
  reason: text,
  isError: z.boolean(),
  stack: list(stackFrame),
  locals: list(variable).exactOptional(),
});

export const conditionMet = atFrame.extend({ value: json });

const size = { width: count, height: count };

export const screenshot = atFrame.extend({
  ...size,
  shown: z.strictObject(size),
  scale: z.number(),
  path: text,
});

export const breakpoints = ofGame.extend({ breakpoints: list(place) });

export const stackAt = gameStopped.extend({ frame: count });

export const evaluated = ofGame.extend({ value: json });

export const profile = ofGame.extend({
  functions: list(stackFrame.extend({ calls: count, totalMs: z.number(), selfMs: z.number() })),
  /** Custom monitors of the project may hold anything. */
  monitors: jsonObject,
});
