import { describe, expect, it } from "vitest";
import { fixedTokens, heldClock } from "../test/doubles.ts";
import { errorFixtures, fixtureTime } from "../test/error-fixtures.ts";
import { createXClient } from "./client.ts";
import { isRetryable, isTransient, mayHaveTakenEffect, type ProviderError } from "./errors.ts";
import { mapError } from "./map-error.ts";

const refusals = errorFixtures.filter((fixture) => fixture.status !== 200);

describe("every body X is known to refuse with", () => {
  it.each(refusals)("$status $name", ({ status, headers, body, scopes, expected }) => {
    const error = mapError(status, new Headers(headers), body, {
      now: fixtureTime,
      ...(scopes && { scopes }),
    });
    expect(error).toMatchObject(expected);
  });

  it.each(errorFixtures)(
    "$status $name, through the client",
    async ({ status, headers, body, scopes, expected }) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const client = createXClient({
        tokens: fixedTokens(scopes ? { user: "u" } : { app: "a" }),
        clock: heldClock(fixtureTime),
        fetch: async () => new Response(text, { status, ...(headers && { headers }) }),
      });
      const answer = await client.call("getPostsById", { path: { id: "1" } });
      // Through the client, missing scopes are those of the operation that was called.
      const scopesHere = "scopes" in expected ? { scopes: ["tweet.read", "users.read"] } : {};
      expect(answer).toMatchObject({ ok: false, failure: { ...expected, ...scopesHere } });
    },
  );

  it.each(errorFixtures)("$status $name, never quotes X", ({ status, body }) => {
    const { message } = mapError(status, new Headers(), body, { now: fixtureTime });
    for (const words of sentencesOf(body)) expect(message).not.toContain(words);
  });
});

describe("what may be repeated", () => {
  const errors: Record<ProviderError["kind"], ProviderError> = {
    rate_limited: { kind: "rate_limited", limit: "window", retryAfterMs: 1000, resetAt: 0, message: "" },
    auth_expired: { kind: "auth_expired", message: "" },
    forbidden: { kind: "forbidden", reason: "unspecified", message: "" },
    account_restricted: { kind: "account_restricted", restriction: "locked", message: "" },
    network: { kind: "network", cause: "interrupted", ambiguous: true, message: "" },
    server_error: { kind: "server_error", status: 500, message: "" },
    not_found: { kind: "not_found", message: "" },
    invalid_request: { kind: "invalid_request", message: "" },
    other: { kind: "other", message: "" },
  };
  const kinds = (holds: (error: ProviderError) => boolean) =>
    Object.values(errors)
      .filter(holds)
      .map((error) => error.kind);

  it("is retryable for limits, network and server errors", () => {
    expect(kinds(isRetryable)).toEqual(["rate_limited", "network", "server_error"]);
  });

  it("is transient for network and server errors, never for limits", () => {
    expect(kinds(isTransient)).toEqual(["network", "server_error"]);
  });

  it("may have taken effect when X got the request and gave no verdict", () => {
    expect(kinds(mayHaveTakenEffect)).toEqual(["network", "server_error"]);
    expect(mayHaveTakenEffect({ kind: "network", cause: "unreachable", ambiguous: false, message: "" })).toBe(
      false,
    );
  });
});

function sentencesOf(body: unknown): string[] {
  if (typeof body === "string") return body.length > 8 ? [body] : [];
  return typeof body === "object" && body !== null ? Object.values(body).flatMap(sentencesOf) : [];
}
