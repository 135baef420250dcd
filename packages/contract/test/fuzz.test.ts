import { expect, test, vi } from "vitest";
import * as z from "zod";
import { defineServer, type JsonObject, ok } from "../src/index.ts";
import { manifestOf } from "../src/internal.ts";
import { hostileArguments } from "../src/testing/hostile-arguments.ts";
import { fuzz, sampleArguments } from "../src/testing/index.ts";
import { appAnswering, brokenApp, errors as brokenErrors } from "./broken-app.ts";
import { errors, notesApp, notesCatalog, product, readStack, writeStack } from "./notes-product.ts";

test("every tool of a sound app answers whatever it is given in the envelope, with the codes it declares", async () => {
  const { app, bugs } = notesApp();
  const manifest = manifestOf({
    name: "notes",
    version: "1.0.0",
    catalog: notesCatalog,
    errors,
    services: product.services,
    stacksFor: (tool) => [tool.category === "write" ? writeStack : readStack],
  });
  // break_down has bugs on purpose.
  const tools = notesCatalog.tools.map(({ name }) => name).filter((name) => name !== "break_down");
  const { findings, calls, answers } = await fuzz(app, { errors, manifest, tools });
  expect(findings).toEqual([]);
  expect(bugs).toEqual([]);
  expect(calls).toBeGreaterThan(300);
  // Past the schemas, into refusals by tools and guards.
  expect(Object.keys(answers).sort()).toEqual(["duplicate", "invalid_input", "not_found", "ok"]);
});

test("each broken tool is found, with the arguments that broke it", async () => {
  // A small app reports its bugs here.
  vi.spyOn(console, "error").mockImplementation(() => {});
  const { findings } = await fuzz(brokenApp(), { errors: brokenErrors, patienceMs: 300 });
  expect(findings.map(({ tool, problem, what }) => ({ tool, problem, what }))).toEqual(
    [
      { tool: "throws", problem: "fails because of a bug, with bug", what: "text: zero byte" },
      {
        tool: "finds_inherited",
        problem: "fails because of a bug, with bug",
        what: "text: name every object has",
      },
      { tool: "never_ends", problem: "gave no answer in time", what: "text: empty text" },
      { tool: "leaks_a_stack", problem: "shows a stack", what: "text: path upwards" },
    ].sort((a, b) => (a.tool < b.tool ? -1 : 1)),
  );
});

const failure = (error: JsonObject) => ({ success: false, data: null, error });
const fine = { success: true, data: 1 };

test.each<[string, Parameters<typeof appAnswering>]>([
  ["answers outside the envelope", [{ hello: "world" }, false]],
  ["answers outside the envelope", [{ success: false, data: null }, true]],
  ["says in isError otherwise than in the envelope", [fine, true]],
  ["says other things as text than as an envelope", [fine, false, { success: true, data: 2 }]],
  [
    "answers with the code oops, which is not in the set",
    [failure({ code: "oops", message: "Oops.", retryable: false }), true],
  ],
  [
    "answers with the code toString, which is not in the set",
    [failure({ code: "toString", message: "Oops.", retryable: false }), true],
  ],
  ["says retryable: true for denied", [failure({ code: "denied", message: "No.", retryable: true }), true]],
  [
    "puts control characters of its arguments into a message",
    [failure({ code: "denied", message: "No \u001b[2J.", retryable: false }), true],
  ],
  [
    "fails with denied and does not say why",
    [failure({ code: "denied", message: " ", retryable: false }), true],
  ],
])("an app that %s is found", async (problem, [envelope, failed, spoken]) => {
  const app = appAnswering(envelope, failed, spoken);
  const { findings } = await fuzz(app, { errors: brokenErrors, tools: ["throws"], callsPerTool: 1 });
  expect(findings).toMatchObject([{ problem }]);
});

test("a seed repeats its calls, and another one makes others", async () => {
  const seen: JsonObject[] = [];
  const server = defineServer({ name: "memory", version: "1.0.0" });
  const remember = server.tool({
    name: "remember",
    title: "Remember",
    description: "Remember every call.",
    effect: "none",
    openWorld: false,
    errors: [],
    input: z.strictObject({ any: z.unknown().describe("Anything").meta({ type: "string" }) }),
    output: z.object({}),
    handler: ({ any }) => {
      seen.push({ any: JSON.stringify(any)?.slice(0, 50) ?? "" });
      return ok({});
    },
  });
  const app = server.app({ tools: [remember] });
  const callsOf = async (seed: number) => {
    seen.length = 0;
    await fuzz(app, { errors: brokenErrors, seed, callsPerTool: 12 });
    return [...seen];
  };
  const first = await callsOf(7);
  expect(await callsOf(7)).toEqual(first);
  expect(await callsOf(8)).not.toEqual(first);
});

test("good arguments are made up from a schema, for each action", () => {
  const schema = {
    type: "object",
    properties: {
      action: { type: "string", enum: ["add", "remove"] },
      id: { type: "string", pattern: "^\\d+$" },
      when: { type: "string", format: "date-time" },
      tags: { type: "array", items: { type: "string", minLength: 6 } },
    },
    required: ["action"],
  };
  expect(sampleArguments(schema)).toEqual([
    { action: "add", id: "123", when: "2026-01-02T03:04:05Z", tags: ["texttt"] },
    { action: "remove", id: "123", when: "2026-01-02T03:04:05Z", tags: ["texttt"] },
    { action: "add" },
    { action: "remove" },
  ]);
});

test("every form is JSON, and differs from the good arguments in one place, however deep", () => {
  const forms = [...hostileArguments({ a: "x", list: [{ deep: 1 }] })];
  const places = new Set(forms.map(({ what }) => what.split(": ")[0]));
  expect([...places]).toEqual(["as they should be", "a", "list", "list[0]", "list[0].deep", "arguments"]);
  for (const { json } of forms) expect(() => JSON.parse(json)).not.toThrow();
  expect(forms.map(({ json }) => json)).toContain('{"a":"x","list":[{"deep":1,"__proto__":{"x":1}}]}');
  expect(forms.map(({ json }) => json)).toContain('{"a":"x","list":[{"deep":1e999}]}');
});
