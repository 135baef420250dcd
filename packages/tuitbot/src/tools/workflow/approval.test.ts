import { EFFECTS } from "@toolpact/contract";
import { expect, test } from "vitest";
import { fullCatalog } from "../../server/catalog.ts";
import { stackOf } from "../../server/guard-stacks.ts";
import { approveItem } from "./approval.ts";

test("a released call can end in no other way than approve_item declares", () => {
  const released = fullCatalog
    .select({ profile: "admin" })
    .tools.filter((tool) => !tool.facts.isLocal && tool.effects.some((effect) => EFFECTS[effect].mutates));
  const codes = released.flatMap((tool) => [...tool.errors, ...stackOf("admin", tool).codesFor(tool)]);
  // Approved items are not queued again, so no key is needed.
  const possible = [...new Set(codes)].filter((code) => code !== "policy_error");
  expect(possible.filter((code) => !approveItem.errors.some((known) => known === code))).toEqual([]);
});
