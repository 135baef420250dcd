import { type JsonObject, systemClock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type GodotCode, type Result } from "../../errors.ts";
import type { FileCode, Project } from "../../project/project.ts";
import { count, jsonObject, list, text } from "../../shapes.ts";
import { checkWorkflow, type RunReport, runReport, runWorkflow } from "../../workflow/run.ts";
import { parseWorkflow, type Workflow, workflowJsonSchema } from "../../workflow/schema.ts";
import type { Toolbox } from "../../workflow/toolbox.ts";
import * as p from "../params.ts";
import { ANY_CODE, product, READ, type ToolAnswer } from "../product.ts";
import { callOwnTool, listOwnTools, ownToolCalled, ownToolList } from "./own-tools.ts";

const source = {
  workflow: p.anyObject.optional().describe("The workflow itself"),
  path: z.string().optional().describe("Or its file, such as res://flow.json"),
};

const onlyChecked = z.strictObject({ dryRun: z.literal(true), steps: count });

export const workflowTool = product.defineActionTool({
  name: "godot_workflow",
  title: "Workflows and the project's own tools",
  description: `Call tools of the project, which are static functions in res://mcp_tools. Run a list of tool calls: {"schemaVersion": 1, "steps": [{"id": "a", "tool": "godot_scene", "args": {…}, "expect": [{"path": "result.saved", "equals": true}]}, …]}. Later steps use \${steps.a.result.…}.`,
  category: "workflow",
  openWorld: false,
  profiles: ["full"],
  needs: ["project", "workspace", "toolbox"],
  errors: ANY_CODE,
  deadlineMs: 600_000,
  actions: (action) => ({
    validate: action({
      description: "Check a workflow without running it.",
      effect: "none",
      errors: READ,
      input: z.strictObject(source),
      output: z.strictObject({
        valid: z.literal(true),
        steps: list(z.strictObject({ id: text, title: text, tool: text })),
      }),
      handler: async (input, { project, toolbox }) => {
        const workflow = await workflowOf(project, toolbox, input);
        if (!workflow.ok) return workflow;
        const steps = workflow.value.steps.map(({ id, title, tool }) => ({ id, title, tool }));
        return ok(
          { valid: true as const, steps },
          { summary: `The workflow has ${steps.length} steps and can run.` },
        );
      },
    }),
    run: action({
      description: "Run a workflow; with dryRun, only check it.",
      effect: "update",
      input: z.strictObject({
        ...source,
        variables: p.anyObject.optional().describe(`Values for \${vars.…}`),
        dryRun: z.boolean().optional().describe("Only check, change nothing"),
      }),
      output: z.union([runReport, onlyChecked]),
      handler: async (
        { variables, dryRun, ...input },
        { project, toolbox, signal, progress },
      ): Promise<ToolAnswer<RunReport | z.infer<typeof onlyChecked>>> => {
        const workflow = await workflowOf(project, toolbox, input, p.asObject(variables));
        if (!workflow.ok) return workflow;
        const total = workflow.value.steps.length;
        if (dryRun)
          return ok(
            { dryRun: true, steps: total },
            { summary: `${total} steps would run; nothing was done.` },
          );
        const report = await runWorkflow(workflow.value, {
          toolbox,
          clock: systemClock,
          signal,
          variables: p.asObject(variables),
          onStep: ({ title, status }, index) =>
            progress({ done: index + 1, total, message: `${title}: ${status}` }),
        });
        return workflowAnswer(report);
      },
    }),
    schema: action({
      description: "Get the JSON Schema of workflow files.",
      effect: "none",
      errors: [],
      input: z.strictObject({}),
      output: z.strictObject({ schema: jsonObject }),
      handler: () => ok({ schema: workflowJsonSchema() }, { summary: "The schema of workflow files." }),
    }),
    "tools.list": action({
      description: "List the project's own tools.",
      effect: "none",
      errors: [],
      input: z.strictObject({}),
      output: ownToolList,
      handler: (_input, context) => listOwnTools(context),
    }),
    "tools.call": action({
      description: "Call one; the edits that it returns are one undo step.",
      effect: "update",
      input: z.strictObject({
        tool: z.string().describe("spawn.coins"),
        args: p.anyObject.optional().describe('{"count": 3}'),
        scene: p.scene,
        mode: p.mode,
      }),
      output: ownToolCalled,
      handler: ({ args, ...input }, context) =>
        callOwnTool(context, { ...input, args: p.asObject(args) ?? {} }),
    }),
  }),
});

/** A failed run has the code of the failed step. */
function workflowAnswer(report: RunReport): ToolAnswer<RunReport> {
  const failed = report.steps.find((step) => step.status === "failed");
  if (failed === undefined) return ok(report, { summary: `All ${report.steps.length} steps passed.` });
  const code = (failed.code ?? "E_NOT_FOUND") as GodotCode;
  return errors.fail(
    code,
    `${failed.id} (${failed.title}): ${failed.problems.join("; ") || failed.summary}`,
    {
      // A report is JSON; its interface only lacks an index signature.
      details: report as unknown as JsonObject,
    },
  );
}

async function workflowOf(
  project: Project,
  toolbox: Toolbox,
  input: { readonly workflow?: object | undefined; readonly path?: string | undefined },
  variables?: JsonObject,
): Promise<Result<Workflow, FileCode>> {
  if ((input.workflow === undefined) === (input.path === undefined))
    return errors.fail("E_SCHEMA_VALIDATION", "Give exactly one of workflow and path.");
  const given = input.path === undefined ? ok<unknown>(input.workflow) : await readJson(project, input.path);
  if (!given.ok) return given;
  const workflow = parseWorkflow(given.value);
  if (!workflow.ok) return workflow;
  const checked = checkWorkflow(workflow.value, toolbox, variables);
  return checked.ok ? workflow : checked;
}

async function readJson(project: Project, path: string): Promise<Result<unknown, FileCode>> {
  const read = await project.readText(path);
  if (!read.ok) return read;
  return parsedJson(read.value.text, read.value.path.res);
}

export function parsedJson(text: string, name: string): Result<unknown, "E_SCHEMA_VALIDATION"> {
  try {
    return ok(JSON.parse(text));
  } catch (error) {
    // The message quotes unreadable text, including line ends.
    const why = (error as Error).message.replaceAll(/\s+/g, " ");
    return errors.fail("E_SCHEMA_VALIDATION", `${name} is not JSON: ${why}.`);
  }
}
