import * as z from "zod";
import type { GameInput } from "./game.ts";

const frames = z.int().min(0).max(36_000).optional();
const press = { frames, pressed: z.boolean().optional(), hold: frames };
const place = { x: z.number(), y: z.number() };

const written = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("key"), key: z.string().min(1), ...press }),
  z.strictObject({
    kind: z.literal("action"),
    name: z.string().min(1),
    strength: z.number().min(0).max(1).optional(),
    ...press,
  }),
  z.strictObject({
    kind: z.literal("button"),
    button: z.enum(["left", "right", "middle", "wheel_up", "wheel_down"]).optional(),
    ...place,
    ...press,
  }),
  z.strictObject({ kind: z.literal("move"), frames, ...place }),
  z.strictObject({ kind: z.literal("text"), frames, text: z.string().min(1).max(10_000) }),
]);

/** An input as callers write it. */
// Omitted members are absent; the type of the schema cannot express that.
export const gameInput = written as z.ZodType<GameInput>;
