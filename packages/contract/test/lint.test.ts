import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInMemory } from "@toolpact/cli/testing";
import { afterAll, describe, expect, test } from "vitest";
import { program } from "../src/command/program.ts";
import type { JsonObject } from "../src/index.ts";
import { lint } from "../src/testing/index.ts";
import { notesApp } from "./notes-product.ts";

const folder = mkdtempSync(join(tmpdir(), "toolpact-lint-"));
afterAll(() => rmSync(folder, { recursive: true }));

const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const text = { type: "string", description: "Any text" };
const schemaOf = (properties: JsonObject, more: JsonObject = {}) => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more,
});
const good: JsonObject = {
  name: "get_note",
  title: "Get a note",
  description: "Get one note by its id.",
  inputSchema: schemaOf({ id: text }),
  annotations: hints,
};
const rulesOf = (...tools: JsonObject[]) =>
  lint({ tools }).findings.map(({ level, rule }) => `${level} ${rule}`);
const withSchema = (inputSchema: JsonObject) => ({ ...good, inputSchema });
const withArgument = (argument: JsonObject | boolean) => withSchema(schemaOf({ argument }));

test("a good definition has nothing wrong, and a cost", () => {
  const { findings, costs, total } = lint({ tools: [good] });
  expect(findings).toEqual([]);
  const bytes = Buffer.byteLength(JSON.stringify(good));
  expect(costs).toEqual([{ tool: "get_note", bytes, tokens: Math.ceil(bytes / 4) }]);
  expect(total.bytes).toBe(bytes + 2);
});

test.each<[string, JsonObject]>([
  ["error name", { ...good, name: "notes.get" }],
  ["error name", { ...good, name: "n".repeat(65) }],
  ["error description", { ...good, description: " " }],
  ["warning description", { ...good, description: "Notes" }],
  ["warning description-verb", { ...good, description: "This tool gets a note." }],
  ["warning description-length", { ...good, description: `Get ${"a note ".repeat(400)}` }],
  ["warning title", { ...good, title: "" }],
  ["warning hints", { ...good, annotations: {} }],
  ["error hints", { ...good, annotations: { ...hints, destructiveHint: true } }],
  ["error schema-root", withSchema({ type: "array" })],
  ["error schema-root", withSchema(schemaOf({}, { oneOf: [{ type: "object" }] }))],
  ["error schema-properties", withSchema({ type: "object", additionalProperties: false })],
  ["warning schema-open", withSchema({ type: "object", properties: {} })],
  ["error argument-name", withSchema(schemaOf({ "a b": text }))],
  ["warning argument-description", withArgument({ type: "string" })],
  ["error schema-boolean", withArgument(true)],
  ["error schema-ref", withArgument({ $ref: "https://example.com/note.json" })],
  ["warning schema-ref", withArgument({ $ref: "#/$defs/note" })],
  ["error schema-tuple", withArgument({ ...text, type: "array", prefixItems: [text] })],
  ["warning schema-union", withArgument({ ...text, type: ["string", "null"] })],
  ["warning schema-untyped", withArgument({ description: "Anything" })],
  [
    "error schema-tuple",
    withArgument({
      type: "array",
      description: "Deep",
      items: { anyOf: [{ type: "array", prefixItems: [] }] },
    }),
  ],
  ["warning tool-cost", { ...good, outputSchema: { description: "x".repeat(9_000) } }],
])("%s", (expected, tool) => {
  expect(rulesOf(tool)).toEqual([expected]);
});

test("the surface as a whole", () => {
  const many = Array.from({ length: 41 }, (_, index) => ({ ...good, name: `get_${index}` }));
  expect(rulesOf(...many)).toEqual(["warning tool-count"]);
  expect(rulesOf(good, good)).toEqual(["error name-unique"]);
  expect(lint({ tools: [], instructions: "x".repeat(2_049) }).findings).toMatchObject([
    { level: "error", rule: "instructions-length" },
  ]);
});

describe("toolpact lint", () => {
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const run = (...words: string[]) => runInMemory(program, words, { server: [] });

  test("reads what tools/list answers, prints what is wrong and what it costs, and exits with 1 for errors", async () => {
    const path = file("tools.json", JSON.stringify({ tools: [good, { ...good, name: "a.b", title: "" }] }));
    const { out, code } = await run("lint", path);
    expect(code).toBe(1);
    expect(out).toContain("error  a.b: Clients take names of 1 to 64");
    expect(out).toMatch(/2 tools, \d+ bytes, about \d+ tokens:/);
    expect(out).toContain("1 errors, 1 warnings");
    const asJson = await run("lint", path, "--json");
    expect(asJson.json()).toMatchObject({
      findings: [{ rule: "name", tool: "a.b" }, { rule: "title" }],
      costs: [{ tool: "get_note" }, { tool: "a.b" }],
    });
  });

  test("exits with 0 for warnings, and with --strict with 1", async () => {
    const path = file("warned.json", JSON.stringify({ result: { tools: [{ ...good, title: "" }] } }));
    expect((await run("lint", path)).code).toBe(0);
    expect((await run("lint", path, "--strict")).code).toBe(1);
  });

  test("reads a module that exports an app", async () => {
    const { surface } = notesApp().app;
    const path = file("app.mjs", `export const app = { surface: ${JSON.stringify(surface)} };`);
    expect(await run("lint", path)).toMatchObject({ code: 0, out: expect.stringContaining("6 tools") });
  });

  test("starts any server and lints what it lists", async () => {
    const server = new URL("./notes-stdio.ts", import.meta.url).pathname;
    const line = `${process.execPath} --conditions=toolpact-source ${server} 2>/dev/null`;
    expect(await run("lint", "--command", line)).toMatchObject({
      code: 0,
      out: expect.stringContaining("6 tools"),
    });
  });

  test.each([
    [["lint"], "Name a file, or a server with --command."],
    [["lint", file("none.json", "{}")], "has no list of tools"],
    [["lint", file("none.mjs", "export const a = 1;")], "exports no app"],
    [["lint", file("bad.json", "{")], "cannot be loaded"],
    [["lint", "--command", "exit 3"], "The server ended before it had answered."],
  ])("%j says why it cannot", async (words, message) => {
    const { err, code } = await run(...words);
    expect(code).toBe(1);
    expect(err).toContain(message);
  });
});
