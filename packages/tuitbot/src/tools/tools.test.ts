import { catalog, successEnvelope, surfaceOf } from "@toolpact/contract";
import { isOperationId } from "@toolpact/x-api";
import { describe, expect, it } from "vitest";
import { errors } from "../errors.ts";
import { profiles } from "../profiles.ts";
import { actionOf, operationsOf, scopesOf } from "../x/x-operations.ts";
import { allTools } from "./all-tools.ts";
import { adsTools } from "./x/ads.ts";
import { removedTools } from "./x/removed.ts";

const names = allTools.map(({ name }) => name);
/** Tools that ask nothing of X that is in its table of operations. */
const asksNothing = new Set([...removedTools, ...adsTools].map(({ name }) => name));
const anyOperation = new Set(["x_get", "x_post", "x_put", "x_delete"]);

it("names the operations of every tool that asks X for particular ones", () => {
  const asking = allTools
    .filter(({ name, needs }) => needs.includes("x") && !asksNothing.has(name) && !anyOperation.has(name))
    .map(({ name }) => name);
  expect(Object.keys(operationsOf).sort()).toEqual([...asking, "health_check"].sort());
  for (const id of Object.values(operationsOf).flat()) expect(isOperationId(id), id).toBe(true);
  for (const name of Object.keys(actionOf)) expect(names).toContain(name);
});

it("knows the scopes of a tool from its operations", () => {
  expect(scopesOf("x_like_tweet")).toEqual(["like.write", "tweet.read", "users.read"]);
  expect(scopesOf("x_upload_media")).toEqual(["media.write"]);
  expect(scopesOf("get_config")).toEqual([]);
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
  ["utility-write", 38_000],
] as const)("keeps the list of %s below %d bytes", (profile, most) => {
  const { tools } = surfaceOf({
    name: "tuitbot",
    version: "0",
    instructions: "",
    catalog: catalog(allTools).select({ profile }),
    dialect: successEnvelope(errors).bare,
  });
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(most);
});

it("gives no read-only profile a tool that changes anything", () => {
  for (const profile of profiles.filter((name) => name.endsWith("readonly"))) {
    const all = catalog(allTools).select({ profile }).tools;
    expect(catalog(allTools).select({ profile, readOnly: true }).tools).toEqual(all);
  }
});
