import type { Failure } from "@toolpact/contract";
import { successEnvelope } from "@toolpact/contract/internal";
import { expect, test } from "vitest";
import { type ErrorCode, errors } from "../src/errors.ts";
import { profiles } from "../src/profiles.ts";
import { profileManifest } from "../src/server/manifest.ts";

/** The error codes of the specification, and whether each is retryable. */
const SPECIFIED: Readonly<Record<ErrorCode, boolean>> = {
  x_rate_limited: true,
  x_auth_expired: false,
  x_forbidden: false,
  x_account_restricted: false,
  x_network_error: true,
  x_not_configured: false,
  x_api_error: true,
  db_error: true,
  validation_error: false,
  invalid_input: false,
  tweet_too_long: false,
  llm_error: true,
  llm_not_configured: false,
  unsupported_media_type: false,
  file_read_error: false,
  media_upload_error: false,
  thread_partial_failure: true,
  policy_error: true,
  policy_denied_blocked: false,
  policy_denied_rate_limited: false,
  policy_denied_hard_rule: false,
  policy_denied_user_rule: false,
  context_error: false,
  recommendation_error: false,
  topic_error: false,
  not_found: false,
  serialization_error: false,
};

test("the 27 codes of the specification are retryable as it says, whatever else a failure carries", () => {
  expect(Object.keys(errors.rows).sort()).toEqual(Object.keys(SPECIFIED).sort());
  expect(Object.keys(SPECIFIED)).toHaveLength(27);
  // Members that only code without types can add.
  const noise = { retryable: true, retryAfterMs: 1_000, fixBy: "agent", details: { retryable: true } };
  for (const [code, retryable] of Object.entries(SPECIFIED))
    for (const override of [retryable, !retryable, undefined]) {
      const failure = { ...noise, code, message: "No.", retryable: override } as unknown as Failure;
      const context = { tool: "x_get", annotations: {}, warnings: [], elapsedMs: 1 };
      const { envelope } = successEnvelope(errors).render({ ok: false, failure }, context as never);
      expect(envelope).toMatchObject({ error: { code, retryable } });
    }
});

test("every error code is declared by at least one tool or is common to all", () => {
  const codes = profiles.flatMap((profile) => {
    const { tools, common_error_codes } = profileManifest(profile);
    return [...common_error_codes, ...tools.flatMap(({ possible_error_codes }) => possible_error_codes)];
  });
  expect([...new Set(codes)].sort()).toEqual(Object.keys(errors.rows).sort());
});
