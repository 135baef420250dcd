import type { ErrorRow } from "@toolpact/contract";
import * as z from "zod";
import { errors } from "../src/errors.ts";
import { decisionShape } from "../src/guards/approval/decision-view.ts";
import { isUtilityProfile, isWorkflowProfile, type Profile } from "../src/profiles.ts";

/** The schema of every answer of a profile, for any tool. It allows nothing else. */
export function envelopeOf(profile: Profile) {
  const meta = metaOf(profile);
  // Only utility answers may have nothing but their data.
  const said = isUtilityProfile(profile) ? meta.optional() : meta;
  return z.discriminatedUnion("success", [
    z.strictObject({ success: z.literal(true), data: z.unknown(), meta: said }),
    z.strictObject({ success: z.literal(false), data: z.null(), error, meta: said }),
  ]);
}

function metaOf(profile: Profile) {
  if (isUtilityProfile(profile)) return z.strictObject(plain);
  if (isWorkflowProfile(profile)) return z.strictObject({ ...plain, ...timed, ...workflow });
  return z.strictObject({ ...plain, ...timed });
}

const plain = {
  tool_version: z.literal("1.0"),
  pagination: z
    .strictObject({
      next_token: z.string().optional(),
      result_count: z.int().min(0),
      has_more: z.boolean(),
    })
    .optional(),
  truncated: z.strictObject({ what: z.string(), go_on: z.string() }).optional(),
  warnings: z.array(z.string()).optional(),
};

const timed = {
  elapsed_ms: z.int().min(0),
  cost: z.strictObject({ estimated_usd: z.number().min(0) }).optional(),
  retry_count: z.int().min(1).optional(),
};

const usd = z.number().min(0);

const workflow = {
  mode: z.enum(["autopilot", "composer"]),
  approval_mode: z.boolean(),
  cost: z
    .strictObject({
      // Left out where it is what was settled.
      estimated_usd: usd.optional(),
      settled_usd: usd.optional(),
      unpriced_requests: z.int().min(1).optional(),
      // Left out where the database cannot tell.
      day_usd: usd.optional(),
      month_usd: usd.optional(),
    })
    .optional(),
  correlation_id: z.uuid().optional(),
  policy_decision: z.literal("routed_to_approval").optional(),
  receipt_id: z.uuid().optional(),
  replayed: z.literal(true).optional(),
  // Decisions made since the last call about earlier calls.
  decisions: z
    .array(
      z.strictObject({
        approval_queue_id: z.int(),
        tool: z.string(),
        ...decisionShape,
        person_says: z.string().optional(),
        edited_to: z.string().nullable().optional(),
      }),
    )
    .min(1)
    .optional(),
  rollback: z
    .strictObject({
      reversible: z.boolean(),
      undo_tool: z.string().optional(),
      params: z.record(z.string(), z.unknown()).optional(),
      calls: z.array(z.record(z.string(), z.unknown())).optional(),
      note: z.string().optional(),
    })
    .optional(),
};

const error = z
  .strictObject({
    code: z.enum(Object.keys(errors.rows)),
    message: z.string().min(1),
    retryable: z.boolean(),
    reason: z.string().optional(),
    retry_after_ms: z.int().min(0).optional(),
    rate_limit_reset: z.iso.datetime().optional(),
    policy_decision: z.string().optional(),
    suggested_fix: z.string().min(1).optional(),
    fix_by: z.enum(["agent", "operator", "human"]).optional(),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .refine(
    ({ code, retryable }) => rows[code]?.retryable === retryable,
    "retryable must follow from the code alone",
  )
  .refine(
    ({ retryable, fix_by }) => !retryable || fix_by !== undefined,
    "a retryable failure must say who acts",
  )
  .refine(
    ({ retryable, retry_after_ms }) => retryable || retry_after_ms === undefined,
    "a failure that is not retryable must not give a time to retry",
  )
  .refine(
    ({ retryable, fix_by, retry_after_ms }) =>
      !retryable || fix_by === "agent" || retry_after_ms === undefined,
    "a failure that the agent cannot fix must not give it a time to call again",
  );

const rows: Readonly<Record<string, ErrorRow>> = errors.rows;
