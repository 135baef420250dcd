import { EFFECTS, failed, type JsonObject, ok } from "@toolpact/contract";
import * as z from "zod";
import { errors } from "../../errors.ts";
import { queuedShape } from "../../guards/approval/ask-for-approval.ts";
import type { TuitbotTool } from "../../guards/call/tool-facts.ts";
import { writeUp } from "../../profiles.ts";
import { MAX_WORD } from "../../x/text-limits.ts";
import { note } from "../params.ts";
import { APPS, defineTool } from "../product.ts";

const MAX_CALLS = 20;

const called = { tool: z.string(), index: z.number().describe("Its place among `calls`, from 0") };

export const makeCalls = defineTool({
  name: "make_calls",
  searchWords:
    "several calls at once, follow several accounts, add several people to a list, do many things at once, batch, bulk, plan of calls",
  app: APPS.approval,
  facts: { isLocal: true, makesCalls: true },
  title: "Make several calls",
  description:
    "Make several calls that change something, in order, such as following five people. Each is carried out, queued or refused as if it were made alone. approve_all asks the person about all that wait.",
  category: "composite",
  effect: "update",
  openWorld: true,
  profiles: writeUp,
  deadlineMs: 900_000,
  needs: ["db", "workflow", "server"],
  errors: ["invalid_input", "db_error"],
  input: z.strictObject({
    calls: z
      .array(
        z.strictObject({
          tool: z.string().min(1).max(MAX_WORD).describe("Such as x_follow_user"),
          args: z
            .record(z.string(), z.unknown())
            .meta({ description: "Its arguments", additionalProperties: true }),
        }),
      )
      .min(1)
      .max(MAX_CALLS)
      .describe("In the order in which to make them"),
    note,
  }),
  output: z.object({
    results: z.array(
      z.discriminatedUnion("status", [
        z.object({
          status: z.literal("queued"),
          ...called,
          policy_decision: queuedShape.policy_decision,
          approval_queue_id: z.number(),
          reason: z.string().describe("Why a person is asked"),
        }),
        z.object({ status: z.literal("executed"), ...called, result: z.unknown() }),
        z.object({
          status: z.literal("failed"),
          ...called,
          code: z.string(),
          reason: z.string(),
          suggested_fix: z.string().optional(),
        }),
      ]),
    ),
    estimated_usd: z.number().describe("X's price of the queued calls"),
    not_made: z.number().optional().describe("Calls at the end that were not made: time was up"),
  }),
  handler: async ({ calls, note }, { workflow, server, signal }) => {
    const unfit = calls.findIndex(({ tool }) => !isChange(server.tools.find(({ name }) => name === tool)));
    if (unfit >= 0)
      return errors.fail(
        "invalid_input",
        `\`calls\` ${unfit}: ${JSON.stringify(calls[unfit]?.tool)} is not a tool that changes something at X. Nothing was done.`,
        { suggestedFix: "Call other tools by themselves; find_tools finds them.", fixBy: "agent" },
      );
    const results = [];
    let estimatedUsd = 0;
    for (const [index, { tool, args }] of calls.entries()) {
      if (signal.aborted) break;
      // Arguments came as JSON.
      const given = { ...(note !== undefined && { note }), ...args } as JsonObject;
      const made = await workflow.call(tool, given, "make_calls", signal);
      if (made.ok === null) {
        const { policy_decision, approval_queue_id, reason, estimated_usd } = made.queued;
        const status = "queued" as const;
        results.push({ status, tool, index, policy_decision, approval_queue_id, reason });
        estimatedUsd += estimated_usd;
      } else if (made.ok) results.push({ status: "executed" as const, tool, index, result: made.result });
      else {
        const { code, message: reason, suggestedFix: suggested_fix } = made.failure;
        if (code === "db_error" && results.length === 0) return failed({ ...made.failure, code });
        results.push({
          status: "failed" as const,
          tool,
          index,
          code,
          reason,
          ...(suggested_fix !== undefined && { suggested_fix }),
        });
      }
    }
    const left = calls.length - results.length;
    // To a thousandth of a dollar.
    const estimated_usd = Math.round(estimatedUsd * 1_000) / 1_000;
    return ok({ results, estimated_usd, ...(left > 0 && { not_made: left }) });
  },
});

/** Changes something at X. */
function isChange(tool: TuitbotTool | undefined): boolean {
  return (
    tool !== undefined &&
    tool.facts.isLocal !== true &&
    tool.effects.some((effect) => EFFECTS[effect].mutates)
  );
}
