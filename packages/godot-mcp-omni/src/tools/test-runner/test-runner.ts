import { systemClock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result } from "../../errors.ts";
import type { FileCode, Project } from "../../project/project.ts";
import { list, maybe, text } from "../../shapes.ts";
import { type FoundTests, findTests, type TestChoice } from "../../testing/find-tests.ts";
import {
  FRAMEWORK_NAMES,
  FRAMEWORKS,
  type FrameworkName,
  frameworkOf,
  hasFramework,
} from "../../testing/frameworks.ts";
import { importFirst } from "../../testing/import-first.ts";
import { runFramework } from "../../testing/run-framework.ts";
import { runTests } from "../../testing/run-tests.ts";
import { reportOf, summaryOf, testReport } from "../../testing/test-results.ts";
import { ANY_CODE, count, logsOf, product, READ } from "../product.ts";

const choice = {
  path: z.string().optional().describe("Script or folder, such as res://test; default: all tests"),
  test: z.string().optional().describe("One test, such as test_jump"),
  framework: z.enum(FRAMEWORK_NAMES).optional().describe("Default: the one whose addon the project has"),
};

const framework = z.enum(FRAMEWORK_NAMES);

const found = z.strictObject({ file: text, test: text, line: z.int(), innerClass: maybe });

export const testTool = product.defineActionTool({
  name: "godot_test",
  title: "Tests",
  description:
    "Run the project's tests headless. Without a framework: scripts test_*.gd with `func test_x(check)`, and check.equal(got, expected), near, is_true, contains, await check.frames(2), check.scene(path).",
  category: "test",
  openWorld: false,
  profiles: ["full"],
  needs: ["project", "workspace"],
  errors: ANY_CODE,
  deadlineMs: 1_800_000,
  goOn: "Name a file in path.",
  actions: (action) => ({
    list: action({
      description: "List tests with file and line.",
      effect: "none",
      errors: READ,
      input: z.strictObject(choice),
      output: z.strictObject({ framework, tests: list(found) }),
      handler: async (choice, { project }) => {
        const found = await chosenTests(project, choice);
        if (!found.ok) return found;
        const { framework, chosen: tests, empty } = found.value;
        return ok(
          { framework, tests },
          { summary: `${count(tests.length, "test")}.`, ...warningsOf(framework, empty) },
        );
      },
    }),
    run: action({
      description: "Run tests, each in a new instance with its own time limit.",
      effect: "update",
      input: z.strictObject({
        ...choice,
        timeoutMs: z.int().min(100).max(600_000).optional().describe("For each test; default: 10000"),
        isolate: z
          .boolean()
          .optional()
          .describe("A new Godot for each test, or for each file with a framework"),
        passed: z.boolean().optional().describe("List passed tests too; default: count them"),
      }),
      output: z.strictObject({ framework, ...testReport.shape }),
      handler: async (
        { timeoutMs = 10_000, isolate = false, passed = false, ...choice },
        { project, workspace, signal, progress },
      ) => {
        const found = await chosenTests(project, choice);
        if (!found.ok) return found;
        const { framework, chosen, known, empty } = found.value;
        if (chosen.length === 0)
          return errors.fail("E_NOT_FOUND", `There are no tests in ${choice.path ?? "the project"}.`, {
            suggestedFix: "Write res://test/test_first.gd with `func test_it(check): check.equal(1 + 1, 2)`.",
          });
        const binary = await workspace.binaryOutsideSandbox();
        if (!binary.ok) return binary;
        const ready = await importFirst(project, workspace, signal);
        if (!ready.ok) return ready;
        const lines: string[] = [];
        const options = {
          binary: binary.value,
          project: project.root,
          env: workspace.env,
          clock: systemClock,
          signal,
          timeoutMs,
          isolate,
          progress,
          onOutput: (some: readonly string[]) => void lines.push(...some),
        };
        const { path, test } = choice;
        const results =
          framework === "own"
            ? await runTests(chosen, options)
            : await runFramework(known, { ...options, framework, test, whole: path === undefined });
        if (!results.ok) return results;
        const report = reportOf(results.value, passed);
        return ok(
          { framework, ...report },
          {
            summary: summaryOf(report),
            execution: { mode: "engine", godot: binary.value.version },
            ...logsOf(lines),
            ...warningsOf(framework, empty),
          },
        );
      },
    }),
  }),
});

/** A framework may have its own rules to find tests. */
function warningsOf(framework: FrameworkName, empty: readonly string[]) {
  if (framework !== "own" || empty.length === 0) return {};
  return { warnings: empty.map((file) => `${file} is named like a test, but has no func test_….`) };
}

interface Chosen extends TestChoice {
  readonly framework?: FrameworkName | undefined;
}

async function chosenTests(
  project: Project,
  { framework = frameworkOf(project.root), ...choice }: Chosen,
): Promise<Result<FoundTests & { readonly framework: FrameworkName }, FileCode>> {
  if (framework !== "own" && !hasFramework(project.root, framework))
    return errors.fail(
      "E_NOT_FOUND",
      `The project has no ${framework}: there is no res://${FRAMEWORKS[framework].script}.`,
      {
        suggestedFix: "Install the addon, or run with framework own.",
      },
    );
  const tests = await findTests(project, choice, framework === "own" ? undefined : FRAMEWORKS[framework]);
  return tests.ok ? ok({ framework, ...tests.value }) : tests;
}
