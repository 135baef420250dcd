import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isNotification, isRequest, isResponse } from "./json-rpc.ts";

const id = fc.oneof(
  fc.constantFrom<unknown>("a", 1, 0, -1, 1.5, 2 ** 53, null, true, {}, []),
  fc.constant(undefined),
);
const meta = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, 5, [], {}, { more: 1 }),
  fc.record({ progressToken: id }, { requiredKeys: [] }),
  fc.record({
    "io.modelcontextprotocol/related-task": fc.constantFrom<unknown>(5, {}, { taskId: "a" }, { taskId: 5 }),
  }),
);
const params = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, 5, "a", []),
  fc.record({ _meta: meta, name: fc.jsonValue({ maxDepth: 1 }) }, { requiredKeys: [] }),
);
const result = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, 5, []),
  fc.record({ _meta: meta, tools: fc.jsonValue({ maxDepth: 1 }) }, { requiredKeys: [] }),
);
const error = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, 5, []),
  fc.record(
    {
      code: fc.constantFrom<unknown>(1, 1.5, "1"),
      message: fc.constantFrom<unknown>("a", 5),
      data: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: [] },
  ),
);
const message = fc.record(
  {
    jsonrpc: fc.oneof(
      { weight: 8, arbitrary: fc.constant<unknown>("2.0") },
      fc.constantFrom<unknown>("1.0", 2),
    ),
    id,
    method: fc.oneof({ weight: 8, arbitrary: fc.constant<unknown>("ping") }, fc.constant(5)),
    params,
    result,
    error,
    more: fc.constant(1),
  },
  { requiredKeys: ["jsonrpc"] },
);

test("messages are of the same kind as for the SDK", () => {
  const usual = fc.oneof(
    message,
    message.map(({ more: _, result: __, error: ___, ...sent }) => sent),
    message.map(({ more: _, method: __, params: ___, ...answer }) => answer),
    fc.jsonValue({ maxDepth: 2 }),
  );
  fc.assert(
    fc.property(usual, (value) => {
      const parsed: unknown = JSON.parse(JSON.stringify(value));
      expect([isRequest(parsed), isNotification(parsed), isResponse(parsed)]).toEqual([
        isJSONRPCRequest(parsed),
        isJSONRPCNotification(parsed),
        isJSONRPCResponse(parsed),
      ]);
    }),
    { numRuns: 5_000 },
  );
});
