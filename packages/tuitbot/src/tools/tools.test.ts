import type { Tool } from "@toolpact/contract";
import { catalog, successEnvelope, surfaceOf } from "@toolpact/contract/internal";
import { isOperationId } from "@toolpact/x-api";
import { describe, expect, it } from "vitest";
import { errors } from "../errors.ts";
import { scopesOf } from "../guards/call/tool-facts.ts";
import { profiles } from "../profiles.ts";
import { allTools } from "./all-tools.ts";
import { adsTools } from "./x/ads.ts";
import { removedTools } from "./x/removed.ts";

/** Outside X's operation table. */
const asksNothing = new Set<Tool>([...removedTools, ...adsTools].map((tool) => tool));
const anyOperation = new Set(["x_get", "x_post", "x_put", "x_delete"]);

it("names the operations of every tool that asks X for particular ones", () => {
  const asking = allTools.filter(
    (tool) => tool.needs.includes("x") && !asksNothing.has(tool) && !anyOperation.has(tool.name),
  );
  expect(asking.filter(({ facts }) => !facts.operations?.length).map(({ name }) => name)).toEqual([]);
  for (const id of allTools.flatMap(({ facts }) => facts.operations ?? []))
    expect(isOperationId(id), id).toBe(true);
});

it("a tool's scopes are derived from its operations", () => {
  const scopes = (name: string) =>
    scopesOf(allTools.filter((tool) => tool.name === name).map(({ facts }) => facts));
  expect(scopes("x_like_tweet")).toEqual(["like.write", "tweet.read", "users.read"]);
  expect(scopes("x_upload_media")).toEqual(["media.write"]);
  expect(scopes("get_config")).toEqual([]);
});

describe.each(allTools)("$name", (tool) => {
  it("is described in a few words that lead only to tools of the same profiles", () => {
    expect(tool.description.length).toBeLessThanOrEqual(200);
    const words = `${tool.description} ${JSON.stringify(tool.inputSchema("flat"))}`;
    for (const [mentioned] of words.matchAll(/\b(?:x|get|score|health|validate)_\w+/g)) {
      const other = allTools.find(({ name }) => name === mentioned);
      if (other === undefined || other === tool) continue;
      expect(
        tool.profiles.filter((profile) => !other.profiles.includes(profile)),
        `${mentioned} is not in`,
      ).toEqual([]);
    }
  });
});

it.each([
  ["readonly", 8000],
  ["api-readonly", 14_000],
  ["utility-write", 44_000],
] as const)("of the tool list of %s a model reads less than %d bytes", (profile, most) => {
  const { tools } = surfaceOf({
    name: "tuitbot",
    version: "0",
    instructions: "",
    catalog: catalog(allTools).select({ profile }),
    format: successEnvelope(errors),
  });
  // Clients do not show these to models.
  const shown = tools.map(({ outputSchema: _, _meta: __, ...tool }) => tool);
  expect(Buffer.byteLength(JSON.stringify({ tools: shown }))).toBeLessThan(most);
});

it("no read-only profile has a tool that changes anything", () => {
  for (const profile of profiles.filter((name) => name.endsWith("readonly"))) {
    const all = catalog(allTools).select({ profile }).tools;
    expect(catalog(allTools).select({ profile, readOnly: true }).tools).toEqual(all);
  }
});
