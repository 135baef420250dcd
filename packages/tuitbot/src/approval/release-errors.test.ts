import { EFFECTS } from "@toolpact/contract";
import { expect, test } from "vitest";
import { factsOf } from "../mutation/plan.ts";
import { fullCatalog } from "../server/catalog.ts";
import { describedStacks } from "../server/guard-stacks.ts";
import { releaseErrors } from "./release-errors.ts";

test("a released call can end in no other way than approve_item declares", () => {
  const stackFor = describedStacks("admin");
  const released = fullCatalog
    .select({ profile: "admin" })
    .tools.filter((tool) => !factsOf(tool).isLocal && tool.effects.some((effect) => EFFECTS[effect].mutates));
  const codes = released.flatMap((tool) => [...tool.errors, ...stackFor(tool).codesFor(tool)]);
  expect([...new Set(codes)].filter((code) => !releaseErrors.some((known) => known === code))).toEqual([]);
});
