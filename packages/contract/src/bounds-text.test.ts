import { expect, test } from "vitest";
import { withBoundsInText } from "./bounds-text.ts";

test.each([
  [{ description: "Page size", minimum: 1, maximum: 100, default: 10 }, "Page size, 1–100, default 10"],
  [{ description: "A name", maxLength: 25, minLength: 1 }, "A name, at most 25 characters"],
  [{ description: "Ids", maxItems: 4 }, "Ids, at most 4 entries"],
  [{ description: "Up to 255 characters", maxLength: 255 }, "Up to 255 characters"],
  [{ description: "From 0 to 100", minimum: 0, maximum: 100 }, "From 0 to 100"],
  [{ description: "true: all of it", default: false }, "true: all of it"],
  [{ description: "Length of a step", default: "DAY" }, "Length of a step, default DAY"],
  [{ description: "An id", minimum: 1 }, "An id"],
])("the bounds of %j are in its description once", (part, description) => {
  const { properties } = withBoundsInText({ type: "object", properties: { it: part } });
  expect(properties).toEqual({ it: { ...part, description } });
});
