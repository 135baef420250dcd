import type { Json } from "@toolpact/contract";
import { isJsonObject } from "@toolpact/contract/internal";
import { expect, it } from "vitest";
import { profiles } from "../src/profiles.ts";
import { profileManifest } from "../src/server/manifest.ts";
import { allTools } from "../src/tools/all-tools.ts";
import { isClosed } from "./calls/operations.ts";
import { openStage } from "./live-stage.ts";
import { watchedCalls } from "./watched-calls.ts";

it.each(profiles)("every text and list that a tool of %s accepts has a maximum", (profile) => {
  const unbounded = profileManifest(profile).tools.flatMap(({ name, input_schema }) =>
    [...unboundedIn(input_schema, name)].map((place) => `${profile}: ${place}`),
  );
  expect(unbounded).toEqual([]);
});

it("no text of the greatest length, or one character more, ends in a bug of the server", async () => {
  const stage = await openStage("admin");
  const calls = watchedCalls("admin", stage);
  for (const { name, input_schema } of profileManifest("admin").tools) {
    const tool = allTools.find((candidate) => candidate.name === name);
    if (tool === undefined || isClosed(tool)) continue;
    for (const [argument, schema] of Object.entries(Object(input_schema.properties)))
      for (const maxLength of [Object(schema).maxLength, Object(schema).items?.maxLength]) {
        if (typeof maxLength !== "number") continue;
        const isList = Object(schema).maxLength === undefined;
        for (const letters of ["x", "@a ", "é😀\n", "["])
          for (const more of [0, 1]) {
            const text = letters.repeat(maxLength).slice(0, maxLength + more);
            const args = { ...(await calls.argsOf(tool)), [argument]: isList ? [text] : text };
            const { error } = await stage.call(name, args);
            expect([name, argument, error?.code]).not.toContain("serialization_error");
          }
      }
  }
  await stage.close();
}, 120_000);

/** The places in a JSON schema where a text or a list has no greatest length. */
function* unboundedIn(schema: Json | undefined, place: string): Generator<string> {
  if (Array.isArray(schema)) for (const one of schema) yield* unboundedIn(one, place);
  if (!isJsonObject(schema)) return;
  const { type, enum: values, const: value, pattern } = schema;
  const isBoundedText =
    values !== undefined ||
    value !== undefined ||
    schema.maxLength !== undefined ||
    // A pattern from start to end without an open repetition.
    (typeof pattern === "string" && /^\^[^*+]*\$$/.test(pattern));
  if (type === "string" && !isBoundedText) yield place;
  if (type === "array" && schema.maxItems === undefined) yield `${place}[]`;
  for (const [name, inner] of Object.entries(Object(schema.properties) as Record<string, Json>))
    yield* unboundedIn(inner, `${place}.${name}`);
  for (const key of ["items", "anyOf", "oneOf", "allOf", "prefixItems", "additionalProperties", "$defs"])
    yield* unboundedIn(schema[key], `${place}/${key}`);
}
