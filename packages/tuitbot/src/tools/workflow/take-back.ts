import { ok } from "@toolpact/contract";
import * as z from "zod";
import { undoableMutations } from "../../audit/undoable.ts";
import { errors } from "../../errors.ts";
import { queuedShape } from "../../guards/approval/ask-for-approval.ts";
import { stopAll, stopView } from "../../guards/stop/stop.ts";
import { writeUp } from "../../profiles.ts";
import { MAX_NOTE, MAX_WORD } from "../../x/text-limits.ts";
import { cleaned, cleanText, NOTICE } from "../../x/untrusted.ts";
import { note } from "../params.ts";
import { APPS, defineTool } from "../product.ts";

export const undoLast = defineTool({
  name: "undo_last",
  searchWords: "undo the last thing, take back, revert, delete what was just posted",
  app: APPS.approval,
  facts: { everyday: true, isLocal: true, makesCalls: true },
  title: "Undo the last change",
  description:
    "Undo the newest change at X, or the one you name: deletes a post or thread, removes a follow, bookmark and so on. Deletions ask the person first.",
  category: "write",
  effect: "undo",
  openWorld: true,
  profiles: writeUp,
  deadlineMs: 200_000,
  needs: ["db", "workflow"],
  errors: ["not_found", "db_error"],
  input: z.strictObject({
    correlation_id: z
      .string()
      .min(1)
      .max(MAX_WORD)
      .optional()
      .describe("From get_recent_mutations; the newest if left out"),
    note,
  }),
  output: z.object({
    undoes: z.object({
      correlation_id: z.string(),
      tool_name: z.string(),
      params: z.unknown(),
      result: z.unknown(),
      created_at: z.string(),
    }),
    results: z
      .array(
        z.discriminatedUnion("status", [
          z.object({ ...queuedShape, tool: z.string(), params: z.looseObject({}) }),
          z.object({ status: z.literal("executed"), tool: z.string(), params: z.looseObject({}) }),
          z.object({
            status: z.literal("failed"),
            tool: z.string(),
            params: z.looseObject({}),
            code: z.string(),
            reason: z.string(),
          }),
        ]),
      )
      .describe("The calls that undo it, in order"),
    notice: z.string(),
  }),
  handler: async ({ correlation_id, note }, { db, workflow, signal }) => {
    const undoable = await undoableMutations(db.store.db, db.account);
    const found = undoable.find(
      ({ mutation }) => correlation_id === undefined || mutation.correlation_id === correlation_id,
    );
    if (found === undefined)
      return errors.fail(
        "not_found",
        correlation_id === undefined
          ? "Nothing was sent to X that can be undone."
          : `Nothing that can still be undone has the id ${correlation_id}.`,
        {
          suggestedFix:
            "Call get_recent_mutations for what was sent. To take a post off the schedule use discard_draft.",
          fixBy: "agent",
        },
      );
    const { mutation, calls } = found;
    const results = [];
    for (const { tool, args: params } of calls) {
      const call = { ...params, ...(note !== undefined && { note }) };
      const done = await workflow.call(tool, call, "undo_last", signal);
      if (done.ok === null) results.push({ ...done.queued, tool, params });
      else if (done.ok) results.push({ status: "executed" as const, tool, params });
      else {
        const { code, message: reason } = done.failure;
        results.push({ status: "failed" as const, tool, params, code, reason });
        break;
      }
    }
    const { tool_name, params, result, created_at } = mutation;
    return ok({
      notice: NOTICE,
      undoes: {
        correlation_id: mutation.correlation_id,
        tool_name,
        params: cleaned(params),
        result: cleaned(result),
        created_at,
      },
      results,
    });
  },
});

export const stopEverything = defineTool({
  name: "stop_everything",
  searchWords: "stop, emergency stop, pause everything, halt posting, stop the autopilot, freeze the bot",
  facts: { everyday: true, isLocal: true },
  title: "Stop everything",
  description:
    "Stop at once everything that agents and loops send to X for this account. Scheduled and approved posts wait. Only the person can resume.",
  category: "policy",
  effect: "update",
  openWorld: false,
  profiles: writeUp,
  needs: ["db", "workflow"],
  errors: ["db_error"],
  input: z.strictObject({
    reason: z.string().trim().min(1).max(MAX_NOTE).optional().describe("Why, for the person"),
  }),
  output: z.object({
    stop: z.object({ at: z.string(), by: z.string(), reason: z.string().nullable() }),
    resume: z.string(),
  }),
  handler: async ({ reason }, { db, workflow, caller }) => {
    const { transport, client } = caller;
    const stop = await stopAll(db.store.db, db.account, {
      at: workflow.now(),
      by: oneLine(`agent via ${transport}${client === undefined ? "" : `, ${client}`}`),
      reason: reason === undefined ? undefined : oneLine(reason),
    });
    return ok({
      stop: stopView(stop),
      resume: "Only the person can resume: `tuitbot resume`, or the web app.",
    });
  },
});

/** An agent's words for a terminal: one line, nothing invisible. */
function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, " ");
}
