import { expect, test } from "vitest";
import * as z from "zod";
import { unportable, wireSchema } from "./schema.ts";

const eitherOr = z
  .strictObject({ a: z.string().optional().describe("One"), b: z.string().optional().describe("Other") })
  .meta({ anyOf: [{ required: ["a"] }, { required: ["b"] }] });

test("a root that says anyOf is refused, unless the long form was asked for", () => {
  const schema = wireSchema(eitherOr, "input");
  expect(unportable(schema, "flat")).toBe("its root has anyOf");
  expect(unportable(schema, "oneOf")).toBeUndefined();
});

test("an argument that no header can carry is not promised in one", () => {
  const mirrored = (type: z.ZodType) =>
    unportable(
      wireSchema(
        z.strictObject({ region: type.describe("Where").meta({ "x-mcp-header": "Region" }) }),
        "input",
      ),
    );
  expect(mirrored(z.string())).toBeUndefined();
  expect(mirrored(z.array(z.string()))).toBe("region cannot be repeated in a header");
});

test("an output schema has one type per schema, and says so where any value may come", () => {
  const output = z.object({
    name: z.string().nullable().describe("Whose"),
    raw: z.unknown().describe("As it came"),
    map: z.record(z.string(), z.unknown()),
  });
  expect(wireSchema(output, "output").properties).toEqual({
    name: { description: "Whose", anyOf: [{ type: "string" }, { type: "null" }] },
    raw: {
      description: "As it came",
      anyOf: [
        { type: "object", additionalProperties: true },
        ...["array", "string", "number", "boolean", "null"].map((type) => ({ type })),
      ],
    },
    map: { type: "object", propertyNames: { type: "string" }, additionalProperties: true },
  });
});
