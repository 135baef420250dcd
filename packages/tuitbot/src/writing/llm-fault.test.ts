import { expect, test } from "vitest";
import { faultOf } from "./llm-fault.ts";

test.each([
  ["2", 2_000],
  ["0.5", 500],
  ["0", 0],
  ["-5", undefined],
  ["Infinity", undefined],
  ["1e400", undefined],
  ["", undefined],
  ["Wed, 21 Oct 2026 07:28:00 GMT", undefined],
])("a provider that says to wait %j is understood", (said, ms) => {
  expect(faultOf({ statusCode: 429, responseHeaders: { "retry-after": said } }).retryAfterMs).toBe(ms);
});
