import { describe, expect, it } from "vitest";
import { readSpec } from "./read-spec.ts";

const read = (path: object) =>
  readSpec(JSON.stringify({ info: { version: "3" }, paths: { "/2/things/{id}": path } }));
const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
const size = (maximum: number) => ({ name: "size", in: "query", schema: { type: "integer", maximum } });

describe("a specification", () => {
  it("merges parameters of the path into its operations, which win", () => {
    const spec = read({
      parameters: [id, size(10)],
      get: { operationId: "getThing", parameters: [size(20)], responses: {} },
      delete: { operationId: "deleteThing", responses: {} },
    });
    expect(spec).toMatchObject({
      value: {
        operations: [
          {
            id: "getThing",
            params: [
              { name: "id", required: true },
              { name: "size", max: 20 },
            ],
          },
          { id: "deleteThing", params: [{ name: "id" }, { name: "size", max: 10 }] },
        ],
      },
    });
  });

  it("with an unsupported operation is rejected as a whole", () => {
    expect(read({ patch: { operationId: "editThing", responses: {} } })).toEqual({
      ok: false,
      failure: "editThing is called with patch, which the table cannot describe",
    });
  });

  it("may have other keys next to the operations of a path", () => {
    expect(read({ summary: "things", get: { operationId: "getThing", responses: {} } })).toMatchObject({
      value: { operations: [{ id: "getThing" }] },
    });
  });
});
