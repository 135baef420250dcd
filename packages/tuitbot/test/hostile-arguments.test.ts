import { expect, test } from "vitest";
import { profiles } from "../src/profiles.ts";
import { callWithHostileArguments } from "./hostile-calls.ts";

test.each(profiles)(
  "every tool of %s answers hostile arguments in the envelope, with a code that it declares, and changes nothing at X unasked",
  { timeout: 240_000 },
  async (profile) => {
    expect(await callWithHostileArguments(profile, 12)).toBeGreaterThan(50);
  },
);
