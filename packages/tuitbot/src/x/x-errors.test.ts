import type { ErrorRow } from "@toolpact/contract";
import { forbiddenReasons, isRetryable, mayHaveTakenEffect, type ProviderError } from "@toolpact/x-api";
import { describe, expect, it } from "vitest";
import { type ErrorCode, errors, xErrors } from "../errors.ts";
import { xFailed } from "./x-errors.ts";

const message = "What happened.";

/** Every member, with every value of closed fields. */
const everyError: readonly (readonly [ProviderError, ErrorCode, reason?: string])[] = [
  [
    { kind: "rate_limited", limit: "window", retryAfterMs: 5000, resetAt: 1_790_000_000_000, message },
    "x_rate_limited",
    "window",
  ],
  [
    { kind: "rate_limited", limit: "connections", retryAfterMs: 5000, resetAt: 1_790_000_000_000, message },
    "x_rate_limited",
    "connections",
  ],
  [{ kind: "auth_expired", message }, "x_auth_expired"],
  ...forbiddenReasons.map(
    (reason) => [{ kind: "forbidden", reason, message }, "x_forbidden", reason] as const,
  ),
  [{ kind: "account_restricted", restriction: "suspended", message }, "x_account_restricted", "suspended"],
  [{ kind: "account_restricted", restriction: "locked", message }, "x_account_restricted", "locked"],
  ...(["unreachable", "interrupted", "timeout", "aborted", "unreadable"] as const).flatMap((cause) =>
    [true, false].map(
      (ambiguous) => [{ kind: "network", cause, ambiguous, message }, "x_network_error", cause] as const,
    ),
  ),
  [{ kind: "server_error", status: 500, message }, "x_api_error"],
  [{ kind: "server_error", status: 503, message }, "x_api_error"],
  [{ kind: "not_found", message }, "not_found"],
  [{ kind: "invalid_request", message }, "invalid_input"],
  [{ kind: "invalid_request", parameters: ["max_results"], message }, "invalid_input"],
  [{ kind: "other", status: 200, message }, "not_found"],
  [{ kind: "other", status: 410, message }, "not_found"],
  [{ kind: "other", status: 405, message }, "invalid_input"],
  [{ kind: "other", status: 413, message }, "invalid_input"],
  [{ kind: "other", status: 302, message }, "x_forbidden", "unexpected_status"],
  ...[409, 412, 423, 424, 425, 428].map(
    (status) => [{ kind: "other", status, message }, "x_forbidden", "conflict"] as const,
  ),
  ...[407, 417, 418, 421, 426, 451, 499].map(
    (status) => [{ kind: "other", status, message }, "x_forbidden", "unexpected_status"] as const,
  ),
  [{ kind: "other", message }, "x_forbidden", "unspecified"],
];

describe.each(["read", "write"] as const)("a failed %s", (purpose) => {
  it("gets its code and its reason", () => {
    for (const [error, code, reason] of everyError) {
      const { failure } = xFailed(error, purpose);
      expect([failure.code, failure.reason], JSON.stringify(error)).toEqual([code, reason]);
      expect(xErrors).toContain(failure.code);
    }
  });

  it("never makes what is permanent look as if it could be retried, nor the other way round", () => {
    for (const [error] of everyError) {
      const { code } = xFailed(error, purpose).failure;
      expect(errors.rows[code].retryable, `${error.kind} became ${code}`).toBe(isRetryable(error));
    }
  });

  it("gives only reasons of the code's closed list", () => {
    for (const [error] of everyError) {
      const { code, reason } = xFailed(error, purpose).failure;
      const row: ErrorRow = errors.rows[code];
      if (reason !== undefined) expect(row.reasons).toContain(reason);
    }
  });

  it("always says what to do, except about what is simply not there", () => {
    for (const [error] of everyError) {
      const { code, suggestedFix, fixBy } = xFailed(error, purpose).failure;
      if (code !== "not_found") expect([suggestedFix, fixBy]).not.toContain(undefined);
    }
  });
});

it("an error of a rate limit has the time at which it resets", () => {
  const { failure } = xFailed(
    {
      kind: "rate_limited",
      limit: "window",
      retryAfterMs: 90_000,
      resetAt: Date.UTC(2026, 8, 1, 12),
      message,
    },
    "read",
  );
  expect(failure).toMatchObject({ retryAfterMs: 90_000, rateLimitReset: "2026-09-01T12:00:00.000Z" });
});

it("names missing scopes and the command that grants them", () => {
  const { failure } = xFailed(
    { kind: "forbidden", reason: "missing_scope", scopes: ["like.write", "users.read"], message },
    "write",
  );
  expect(failure.details).toEqual({ scopes: ["like.write", "users.read"] });
  expect(failure.suggestedFix).toBe("Run `tuitbot auth login` and allow: like.write, users.read.");
});

it("warns before a write is sent again that may have been carried out, and only then", () => {
  for (const [error] of everyError) {
    const write = xFailed(error, "write").failure.details?.may_have_taken_effect === true;
    const read = xFailed(error, "read").failure.details?.may_have_taken_effect === true;
    expect([write, read], error.kind).toEqual([mayHaveTakenEffect(error), false]);
  }
});

it("an error of X keeps the details that X's support asks for", () => {
  const { failure } = xFailed(
    { kind: "server_error", status: 503, requestId: "a1b2", retries: 2, message },
    "read",
  );
  expect(failure.details).toEqual({ status: 503, x_request_id: "a1b2", retries: 2 });
});
