import type { JsonObject } from "@toolpact/contract";
import { systemClock } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import * as z from "zod";
import { errors } from "../errors.ts";
import { product } from "../product.ts";
import { findTests } from "../testing/find-tests.ts";
import { knowClasses } from "../testing/known-classes.ts";
import { runTests } from "../testing/run-tests.ts";
import { reportOf, summaryOf } from "../testing/test-results.ts";
import { ANY_CODE } from "./codes.ts";
import * as p from "./params.ts";
import { count } from "./words.ts";

const choice = {
  path: z.string().optional().describe("res://… script or folder; all tests unless set"),
  test: z.string().optional().describe("One test, such as test_jump"),
};

export const testTool = product.defineActionTool({
  name: "godot_test",
  title: "Tests",
  describe:
    "Runs the project's tests headless. Without a framework: scripts test_*.gd with `func test_x(check)`, and check.equal(got, expected), near, is_true, contains, await check.frames(2), check.scene(path).",
  category: "test",
  openWorld: false,
  profiles: ["full"],
  needs: ["project", "godots"],
  errors: ANY_CODE,
  deadlineMs: 1_800_000,
  goOn: "Name a file in path.",
  actions: (action) => ({
    list: action({
      describe: "Tests with file and line.",
      effect: "none",
      input: z.strictObject(choice),
      output: p.answer,
      run: async (chosen, { project }) => {
        const tests = await findTests(project, chosen);
        if (!tests.ok) return tests;
        return ok(
          // Tests are JSON; their interface only lacks the index that says so.
          { tests: tests.value } as unknown as JsonObject,
          { summary: `${count(tests.value.length, "test")}.` },
        );
      },
    }),
    run: action({
      describe: "Runs them, each in a new instance with its own time limit.",
      effect: "update",
      input: z.strictObject({
        ...choice,
        timeoutMs: z.int().min(100).max(600_000).optional().describe("For each test; 10,000 unless set"),
        isolate: z.boolean().optional().describe("A new Godot for each test"),
      }),
      output: p.answer,
      run: async (
        { timeoutMs = 10_000, isolate = false, ...chosen },
        { project, godots, signal, progress },
      ) => {
        const tests = await findTests(project, chosen);
        if (!tests.ok) return tests;
        if (tests.value.length === 0)
          return errors.fail("E_NOT_FOUND", `There are no tests in ${chosen.path ?? "the project"}.`, {
            suggestedFix: "Write res://test/test_first.gd with `func test_it(check): check.equal(1 + 1, 2)`.",
          });
        const binary = await godots.binary();
        if (!binary.ok) return binary;
        const ready = await knowClasses(project, godots, signal);
        if (!ready.ok) return ready;
        const results = await runTests(tests.value, {
          binary: binary.value,
          project: project.root,
          env: godots.env,
          clock: systemClock,
          signal,
          timeoutMs,
          isolate,
          progress,
        });
        if (!results.ok) return results;
        const report = reportOf(results.value);
        // A report is JSON; its interface only lacks the index that says so.
        return ok({ ...report } as unknown as JsonObject, {
          summary: summaryOf(report),
          execution: { mode: "engine", godot: binary.value.version },
        });
      },
    }),
  }),
});
