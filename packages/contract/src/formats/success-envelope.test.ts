import { failed, ok } from "@toolpact/outcome";
import { describe, expect, test } from "vitest";
import type { EnvelopeFormat, RenderContext } from "../envelope-format.ts";
import { defineErrors, type Failure } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { type SuccessNotes, successEnvelope } from "./success-envelope.ts";

const errors = defineErrors(
  {
    rate_limited: { category: "Service", retryable: true, meaning: "Rate limit exceeded" },
    policy_denied_blocked: { category: "Policy", retryable: false, meaning: "Blocked by policy rule" },
    invalid_input: { category: "Validation", retryable: false, meaning: "Invalid parameter value" },
  },
  {
    badInput: "invalid_input",
    duplicate: "invalid_input",
    deadline: "rate_limited",
    internal: "invalid_input",
  },
);
const toolVersion = "1.0";
const timed = successEnvelope(errors, { toolVersion });
const bare = successEnvelope(errors, { timing: false, toolVersion });

const context: RenderContext<JsonObject> = {
  call: { id: "c-1", action: undefined, tool: "get_capabilities" },
  elapsedMs: 12,
  annotations: {},
  warnings: [],
};
const envelope = (
  format: EnvelopeFormat<JsonObject, SuccessNotes>,
  outcome: Parameters<typeof format.render>[0],
  more: Partial<typeof context> = {},
) => format.render(outcome, { ...context, ...more }).envelope;

describe("the success envelope", () => {
  test("matches the specification's example with the product's metadata", () => {
    const workflow = successEnvelope(errors, {
      toolVersion,
      meta: () => ({ mode: "autopilot", approval_mode: false }),
    });
    expect(envelope(workflow, ok({ tier: "Basic", can_reply: true }))).toEqual({
      success: true,
      data: { tier: "Basic", can_reply: true },
      meta: { tool_version: "1.0", elapsed_ms: 12, mode: "autopilot", approval_mode: false },
    });
  });

  test("has null data and all error details for a failure", () => {
    const failure = failed({
      code: "rate_limited",
      message: "Only 15 of these are allowed in 15 minutes.",
      reason: "window",
      retryAfterMs: 900_000,
      rateLimitReset: "2026-11-15T12:00:00Z",
      policyDecision: "denied",
      suggestedFix: "Wait.",
      fixBy: "agent" as const,
      details: { limit: 15 },
    });
    expect(envelope(timed, failure)).toEqual({
      success: false,
      data: null,
      error: {
        code: "rate_limited",
        message: "Only 15 of these are allowed in 15 minutes.",
        retryable: true,
        reason: "window",
        retry_after_ms: 900_000,
        rate_limit_reset: "2026-11-15T12:00:00Z",
        policy_decision: "denied",
        suggested_fix: "Wait.",
        fix_by: "agent",
        details: { limit: 15 },
      },
      meta: { tool_version: "1.0", elapsed_ms: 12 },
    });
  });

  test("reads retryable from the code alone", () => {
    for (const [code, row] of Object.entries(errors.rows)) {
      expect(envelope(timed, failed({ code, message: "No." }))).toMatchObject({
        error: { retryable: row.retryable },
      });
      // A failure from untyped code; the compiler rejects it elsewhere.
      const contradiction = { code, message: "No.", retryable: !row.retryable } as unknown as Failure;
      expect(envelope(timed, failed(contradiction))).toMatchObject({ error: { retryable: row.retryable } });
    }
  });

  test("has the product's metadata in every answer, as of the end of the call", () => {
    let mode = "autopilot";
    const workflow = successEnvelope(errors, {
      toolVersion,
      meta: () => ({ mode, approval_mode: mode === "composer" }),
    });
    expect(envelope(workflow, ok(null))).toMatchObject({ meta: { mode: "autopilot", approval_mode: false } });
    mode = "composer";
    expect(envelope(workflow, failed({ code: "invalid_input", message: "No." }))).toMatchObject({
      meta: { mode: "composer", approval_mode: true },
    });
  });

  test("without timing has no meta where there is nothing in it, and no timing where there is", () => {
    expect(envelope(bare, ok([]))).toEqual({ success: true, data: [] });
    const paged = ok([], { pagination: { next_token: "n", result_count: 10, has_more: true } });
    expect(envelope(bare, paged)).toEqual({
      success: true,
      data: [],
      meta: { tool_version: "1.0", pagination: { next_token: "n", result_count: 10, has_more: true } },
    });
  });

  test("has a version in its metadata only if the product gave one", () => {
    const plain = successEnvelope(errors);
    expect(envelope(plain, ok(1))).toEqual({ success: true, data: 1, meta: { elapsed_ms: 12 } });
    expect(plain.noteCut({ success: true, data: 1 }, { what: "data", goOn: "" }).meta).not.toHaveProperty(
      "tool_version",
    );
  });

  test("reports the cut and how to continue, with or without other metadata", () => {
    const cut = { what: "data: the first 1 of 9 items", goOn: "Call again." };
    const truncated = { what: "data: the first 1 of 9 items", go_on: "Call again." };
    expect(timed.noteCut(envelope(timed, ok([1])) ?? {}, cut)).toMatchObject({
      meta: { elapsed_ms: 12, truncated },
    });
    expect(bare.noteCut(envelope(bare, ok([1])) ?? {}, cut)).toEqual({
      success: true,
      data: [1],
      meta: { tool_version: "1.0", truncated },
    });
  });
});
