import { expect, test } from "vitest";
import { profiles } from "../src/profiles.ts";
import { callWithHostileArguments } from "./hostile-calls.ts";

test.each(profiles)(
  "every tool of %s answers up to 150 hostile arguments each in the envelope",
  { timeout: 600_000 },
  async (profile) => {
    expect(await callWithHostileArguments(profile, 150)).toBeGreaterThan(1_000);
  },
);
