import { lint } from "@toolpact/contract/testing";
import { expect, test } from "vitest";
import { profiles } from "../src/profiles.ts";
import { surfaceFor } from "../src/server/surface.ts";

test.each(profiles)("clients take every definition of %s", (profile) => {
  const wrong = lint(surfaceFor(profile)).findings.filter(
    // Profiles have as many tools as X has operations; sets of them are chosen with --tools.
    ({ rule }) => rule !== "tool-count" && rule !== "list-cost",
  );
  expect(wrong).toEqual([]);
});
