import { randomBytes } from "node:crypto";
import * as z from "zod";
import { printable, quote } from "../bad-input.ts";
import { canonicalJson, isJsonObject, type JsonObject } from "../json.ts";
import type { Tool } from "../tool.ts";
import { GATE_META, type GateFacts } from "./gate-product.ts";

/** The name of the tool that submits a plan. */
export const PLAN_CALLS = "plan_calls";

/** A call as a step of a plan. */
export interface PlanStep {
  readonly id: string;
  readonly title: string;
  readonly step: number;
  readonly of: number;
}

const MAX_CALLS = 20;

const plan = z.strictObject({
  title: z.string().trim().min(1).max(100),
  calls: z
    .array(
      z.strictObject({
        tool: z.string(),
        arguments: z.custom<JsonObject>(isJsonObject, "expected an object").default({}),
      }),
    )
    .min(1)
    .max(MAX_CALLS),
});

export const PLAN_DEFINITION: JsonObject = {
  name: PLAN_CALLS,
  title: "Submit a plan",
  description: `Submit up to ${MAX_CALLS} calls that need approval, for a person to read and approve together. Each is sent once, in this order, when it is approved. Make the same call later to get its result.`,
  inputSchema: {
    type: "object",
    properties: {
      title: { type: "string", description: "The purpose of the plan, in a few words" },
      calls: {
        type: "array",
        maxItems: MAX_CALLS,
        items: {
          type: "object",
          properties: { tool: { type: "string" }, arguments: { type: "object" } },
          required: ["tool", "arguments"],
        },
      },
    },
    required: ["title", "calls"],
  },
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  _meta: { [GATE_META]: { rule: "read_only" } },
};

export interface PlanOptions {
  readonly toolNamed: (name: string) => Tool<GateFacts> | undefined;
  /** The rule for a call by this caller. */
  readonly needsApproval: (tool: Tool<GateFacts>, args: JsonObject) => boolean;
  /** Makes the call, which waits for approval. */
  readonly submit: (tool: string, args: JsonObject, step: PlanStep) => Promise<JsonObject>;
}

/** Answers `plan_calls`. Nothing is submitted unless every call of the plan can be. */
export async function planCalls(
  given: JsonObject,
  { toolNamed, needsApproval, submit }: PlanOptions,
): Promise<JsonObject> {
  const parsed = plan.safeParse(given);
  if (!parsed.success) return answer({ error: z.prettifyError(parsed.error) }, true);
  const { calls } = parsed.data;
  const seen = new Set<string>();
  for (const [index, { tool: name, arguments: args }] of calls.entries()) {
    const tool = toolNamed(name);
    const text = canonicalJson([name, args]);
    const problem =
      tool === undefined
        ? `there is no tool ${quote(name)}`
        : seen.has(text)
          ? "it is equal to an earlier call of the plan"
          : needsApproval(tool, args)
            ? undefined
            : `${name} needs no approval, so call it directly`;
    if (problem !== undefined)
      return answer({ error: `Call ${index + 1}: ${problem}. Nothing was submitted.` }, true);
    seen.add(text);
  }
  const id = randomBytes(4).toString("hex");
  const results: JsonObject[] = [];
  for (const [index, { tool, arguments: args }] of calls.entries()) {
    const step = { id, title: printable(parsed.data.title), step: index + 1, of: calls.length };
    const result = await submit(tool, args, step);
    const meta = isJsonObject(result._meta) ? result._meta[GATE_META] : undefined;
    const { code = "sent", item_id = null } = isJsonObject(meta) ? meta : {};
    results.push({ tool, code, item_id });
  }
  return answer({ plan: id, calls: results });
}

/** The first sentence of an item's reason. */
export function planWords({ id, title, step, of }: PlanStep): string {
  return `Call ${step} of ${of} of the plan ${JSON.stringify(title)} (${id}). `;
}

/** The step that a reason begins with. Only the gate writes reasons. */
export function planIn(reason: string): PlanStep | undefined {
  const found = /^Call (\d+) of (\d+) of the plan ("(?:[^"\\]|\\.)*") \(([0-9a-f]{8})\)\. /.exec(reason);
  if (found === null) return undefined;
  const [, step, of, title = '""', id = ""] = found;
  return { id, title: JSON.parse(title), step: Number(step), of: Number(of) };
}

function answer(value: JsonObject, isError = false): JsonObject {
  return { content: [{ type: "text", text: JSON.stringify(value) }], ...(isError && { isError }) };
}
