import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, columns, EXIT, type LocalMachine, paint } from "@toolpact/cli";
import { type Json, type JsonObject, systemClock } from "@toolpact/contract";
import { commandFailure } from "@toolpact/contract/internal/cli";
import { failed, ok } from "@toolpact/outcome";
import type { StepReport } from "../workflow/run.ts";
import { openServer } from "./context.ts";
import { command } from "./machine.ts";

const run = command({
  name: "run",
  describe: "Run a workflow file",
  details: "Steps run one after the other; the first that fails ends it, unless it says otherwise.",
  args: { file: { describe: "A JSON file", required: true } },
  options: {
    var: {
      kind: "list",
      keepsCommas: true,
      placeholder: "NAME=VALUE",
      describe: "Values for the workflow's variables",
    },
    "dry-run": { kind: "flag", describe: "Check it, run nothing" },
  },
  examples: [
    { line: "godot-mcp-omni --project ~/game workflow run build.json", does: "runs it on a project" },
    { line: "godot-mcp-omni workflow run build.json --var level=2 --dry-run", does: "only checks it" },
  ],
  async run({ file, var: variables, "dry-run": dryRun }, context) {
    const { machine, terminal, signal } = context;
    const text = await readFile(resolve(machine.cwd, file), "utf8").catch(() => undefined);
    if (text === undefined)
      return failed({ message: `${file} cannot be read.`, fix: "Name a workflow file that exists." });
    const [{ parsedJson }, { parseWorkflow }, { checkWorkflow, runWorkflow }] = await Promise.all([
      import("../tools/workflow/workflow.ts"),
      import("../workflow/schema.ts"),
      import("../workflow/run.ts"),
    ]);
    const json = parsedJson(text, file);
    if (!json.ok) return failed(commandFailure(json.failure));
    const workflow = parseWorkflow(json.value);
    if (!workflow.ok) return failed(commandFailure(workflow.failure));
    const opened = await openServer(context, ["all"]);
    if (!opened.ok) return opened;
    try {
      const { toolbox } = await opened.value.core();
      const given = variablesOf(variables ?? []);
      const checked = checkWorkflow(workflow.value, toolbox, given);
      if (!checked.ok) return failed(commandFailure(checked.failure));
      if (dryRun) {
        const steps = workflow.value.steps.length;
        return ok({ text: `${steps} steps would run.`, json: { dryRun: true, steps } });
      }
      const report = await runWorkflow(workflow.value, {
        toolbox,
        clock: systemClock,
        signal,
        variables: given,
        onStep: (step) => context.isJson || terminal.err(line(step, terminal)),
      });
      const passed = report.steps.filter((step) => step.status === "passed").length;
      return ok({
        text: `${passed} of ${report.steps.length} steps passed.`,
        // A report is JSON; its interface only lacks an index signature.
        json: report as unknown as Json,
        ...(!report.passed && { exitCode: EXIT.failed }),
      });
    } finally {
      await opened.value.close();
    }
  },
});

export const workflow: Command<LocalMachine> = {
  name: "workflow",
  describe: "Lists of tool calls in a file",
  examples: run.examples,
  commands: [run],
};

const MARKS = { passed: ["green", "✓"], failed: ["red", "✗"], skipped: ["dim", "–"] } as const;

function line(
  { id, title, status, summary, problems }: StepReport,
  terminal: { readonly hasColor: boolean },
): string {
  const [color, mark] = MARKS[status];
  const detail = status === "failed" ? problems.join("; ") : summary;
  return columns([[paint(terminal, color, mark), id, title === id ? "" : title, detail]]);
}

function variablesOf(given: readonly string[]): JsonObject {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf("=");
      return at === -1 ? [pair, true] : [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
