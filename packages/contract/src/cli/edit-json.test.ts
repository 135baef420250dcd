import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { setJsonEntry } from "./edit-json.ts";

test.each([
  ["comments", "/**/".repeat(3_000)],
  ["stars", `/*${"*".repeat(3_000)}*/`],
  ["slashes", "/".repeat(3_000)],
  ["spaces", " ".repeat(3_000)],
])("a client's settings with 3,000 %s after a comma are edited in time", (_, blank) => {
  const before = `{\n  "mcpServers": {\n    "other": {},${blank}\n  }\n}\n`;
  const set = () => setJsonEntry(before, "mcpServers", "own", { command: "own" });
  // Only another context can interrupt a regular expression.
  const edited = runInNewContext("set()", { set }, { timeout: 60_000 });
  expect(edited).toMatchObject({ ok: true, value: { content: expect.stringContaining('"own": {') } });
});
