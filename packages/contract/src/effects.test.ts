import { expect, test } from "vitest";
import { EFFECTS, hintsOf } from "./effects.ts";

test("a tool that sends is destructive, not idempotent, and its repeats are rejected", () => {
  expect(hintsOf(["send"], true)).toEqual({
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  });
  expect(EFFECTS.send.guarded).toBe(true);
});
