import { expect, test } from "vitest";
import { bugText } from "./bug-text.ts";

test("the log line of a bug is short, whatever its message quotes, and holds no secret", () => {
  const error = new Error(`No such text: ${"x".repeat(200_000)}`);
  const line = bugText({ reference: "r1", where: "a_tool", error });
  expect(line).toMatch(/^a_tool failed \(r1\): Error: No such text: xxx/);
  expect(line.length).toBeLessThan(5_000);
  const secret = new Error("GET https://ana:hunter2@example.com failed");
  expect(bugText({ reference: "r2", where: "a_tool", error: secret })).not.toContain("hunter2");
  expect(bugText({ reference: "r3", where: "a_tool", error: { token: "t" } })).toBe(
    "a_tool failed (r3): unknown error",
  );
});
