import { expect, test } from "vitest";
import { prebuilt } from "../src/servers/ours/prebuilt.ts";
import { annotationsOf, noop, tools140 } from "../src/servers/tools140.ts";

test("our server lists the same tools as the others, with the same descriptions and hints", () => {
  const declared = [...tools140, noop].map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    annotations: annotationsOf(tool),
    arguments: Object.keys(tool.input.shape),
  }));
  const listed = prebuilt.surface().tools.map(({ name, title, description, annotations, inputSchema }) => ({
    name,
    title,
    description,
    annotations,
    // The input schema of a listed tool is an object's.
    arguments: Object.keys((inputSchema as { properties: object }).properties),
  }));
  const byName = (a: { name: unknown }, b: { name: unknown }) => (String(a.name) < String(b.name) ? -1 : 1);
  expect(listed.sort(byName)).toEqual(declared.sort(byName));
  expect(listed).toHaveLength(141);
});
