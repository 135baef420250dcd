import { type Outcome, ok } from "@toolpact/contract";
import type { Missing } from "@toolpact/contract/internal";
import * as z from "zod";
import { readinessView, serverState } from "../../app/readiness.ts";
import type { WorkflowStatus } from "../../app/workflow-status.ts";
import { runnerShape, runnerView } from "../../drafts/runner.ts";
import { stopView } from "../../guards/stop/stop.ts";
import { allSix } from "../../profiles.ts";
import type { Writer } from "../../writing/llm.ts";
import { writerName } from "../../writing/llm.ts";
import { type Connection, clockTrouble } from "../../x/connection.ts";
import { defineTool } from "../product.ts";
import { readinessShape } from "./readiness-shape.ts";

const part = z.object({
  status: z.string(),
  message: z.string().optional(),
  fix: z.string().optional().describe("How to fix it"),
});

export const healthCheck = defineTool({
  name: "health_check",
  searchWords:
    "is everything working, check the connection, is it broken, am I signed in, something is wrong, status",
  facts: { everyday: true, operations: ["getUsersMe"] },
  title: "Check health",
  description:
    "Check whether this account can act now and what blocks it: sign-in, database, stop, budget, limits, language model, runner.",
  category: "health",
  effect: "none",
  openWorld: true,
  profiles: allSix,
  needs: ["server"],
  errors: [],
  deadlineMs: Number.POSITIVE_INFINITY,
  input: z.strictObject({}),
  output: z.object({
    status: z.enum(["ok", "degraded"]),
    ...readinessShape,
    profile: z.string(),
    version: z.string(),
    authenticated_user: z
      .object({ id: z.string(), username: z.string(), name: z.string() })
      .nullable()
      .describe("Null where nobody is known to be signed in"),
    x: part,
    clock: part.optional().describe("Whether this machine's clock agrees with X's"),
    // Only with policy and approval.
    database: part.extend({ engine: z.string().optional() }).optional(),
    llm: part.optional(),
    pending_approvals: z.number().optional(),
    approved_waiting: z.number().optional().describe("Approved calls that wait until X can be used again"),
    unsettled_receipts: z.number().optional(),
    runner: runnerShape.optional().describe("Whether something publishes what is scheduled"),
    stop: z
      .object({ at: z.string(), by: z.string(), reason: z.string().nullable() })
      .optional()
      .describe("A person has stopped everything: nothing is sent to X until they resume"),
  }),
  handler: async (_input, { server, signal }) => {
    const [{ connection, stored, readiness }, writer] = await Promise.all([
      serverState(server, signal),
      server.writer?.(signal),
    ]);
    const clock = clockPart(connection);
    return ok({
      status: readiness.obstacles.length === 0 ? ("ok" as const) : ("degraded" as const),
      ...readinessView(readiness),
      profile: server.profile,
      version: server.version,
      authenticated_user: connection.status === "ok" ? { ...connection.me } : null,
      x: xPart(connection),
      ...(clock && { clock }),
      ...(stored !== undefined && { ...kept(stored), ...(writer && { llm: writerPart(writer) }) }),
    });
  },
});

function xPart(connection: Connection): z.input<typeof part> {
  if (connection.status === "ok") return { status: "ok" };
  return { status: connection.status, message: connection.message, fix: connection.fix };
}

function clockPart(connection: Connection): z.input<typeof part> | undefined {
  if (connection.status !== "ok" || connection.aheadMs === undefined) return undefined;
  const trouble = clockTrouble(connection.aheadMs);
  return trouble === undefined ? { status: "ok" } : { status: "wrong", ...trouble };
}

function kept(stored: WorkflowStatus) {
  if (stored.status !== "ok") {
    const { approvedWaiting, ...database } = stored;
    if (approvedWaiting === undefined) return { database };
    const waiting = `Approved and not carried out yet: ${approvedWaiting}.`;
    return {
      database: { ...database, message: `${stored.message} ${waiting}` },
      approved_waiting: approvedWaiting,
    };
  }
  return {
    database: { status: "ok", engine: stored.engine },
    pending_approvals: stored.pendingApprovals,
    unsettled_receipts: stored.unsettledReceipts,
    runner: runnerView(stored.runner),
    ...(stored.stop && { stop: stopView(stored.stop) }),
  };
}

function writerPart(writer: Outcome<Writer, Missing>): z.input<typeof part> {
  if (writer.ok) return { status: "configured", message: writerName(writer.value) };
  const { message, suggestedFix } = writer.failure;
  return { status: "not_configured", message, ...(suggestedFix !== undefined && { fix: suggestedFix }) };
}
