import type { ProviderError } from "../src/errors.ts";

export interface ErrorFixture {
  readonly name: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly scopes?: readonly string[];
  readonly expected: Partial<ProviderError> & Pick<ProviderError, "kind">;
}

export const fixtureTime = 1_800_000_000_000;

const inMinutes = (minutes: number) => String(fixtureTime / 1000 + minutes * 60);
const window = (limit: number, remaining: number, minutes: number) => ({
  "x-rate-limit-limit": String(limit),
  "x-rate-limit-remaining": String(remaining),
  "x-rate-limit-reset": inMinutes(minutes),
});

const tooManyRequests = {
  title: "Too Many Requests",
  detail: "Too Many Requests",
  type: "about:blank",
  status: 429,
};
const forbidden = (detail: string) => ({ title: "Forbidden", type: "about:blank", status: 403, detail });
/** X uses two hosts for problem types. */
const typed = (title: string, host: "x.com" | "twitter.com", segment: string) => ({
  title,
  type: `https://api.${host}/2/problems/${segment}`,
});

export const errorFixtures: readonly ErrorFixture[] = [
  {
    name: "no credits, old shape",
    status: 402,
    body: {
      account_id: 1553086854915936300,
      title: "CreditsDepleted",
      detail:
        "Your enrolled account [1553086854915936256] does not have any credits to fulfill this request.",
      type: "https://api.twitter.com/2/problems/credits",
    },
    expected: { kind: "forbidden", reason: "credits_depleted", problem: "credits" },
  },
  {
    name: "no credits, new shape",
    status: 402,
    body: {
      detail: "credits depleted",
      status: 402,
      title: "Payment Required",
      type: "https://api.x.com/2/problems/credits-depleted",
    },
    expected: { kind: "forbidden", reason: "credits_depleted", problem: "credits-depleted" },
  },
  {
    name: "duplicate content",
    status: 403,
    body: forbidden("You are not allowed to create a Tweet with duplicate content."),
    scopes: ["tweet.write"],
    expected: { kind: "forbidden", reason: "duplicate_content" },
  },
  {
    name: "duplicate content, numbered error",
    status: 403,
    body: { errors: [{ code: 187, message: "Status is a duplicate." }] },
    expected: { kind: "forbidden", reason: "duplicate_content" },
  },
  {
    name: "reply where the author has not engaged the account",
    status: 403,
    body: forbidden(
      "Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.",
    ),
    scopes: ["tweet.write"],
    expected: { kind: "forbidden", reason: "reply_not_allowed" },
  },
  {
    name: "app not enrolled",
    status: 403,
    body: {
      client_id: "1234",
      required_enrollment: "Appropriate Level of API Access",
      registration_url: "https://developer.example/",
      title: "Client Forbidden",
      detail: "When authenticating requests, use keys of an enrolled app.",
      reason: "client-not-enrolled",
      type: "https://api.twitter.com/2/problems/client-forbidden",
    },
    expected: { kind: "forbidden", reason: "not_enrolled", problem: "client-forbidden" },
  },
  {
    name: "operation not on the plan",
    status: 403,
    body: {
      title: "Client Forbidden",
      detail: "This client may not use this operation.",
      reason: "official-client-forbidden",
      type: "https://api.x.com/2/problems/client-forbidden",
    },
    expected: { kind: "forbidden", reason: "unavailable_on_plan" },
  },
  {
    name: "app token where a user is needed",
    status: 403,
    body: {
      title: "Unsupported Authentication",
      detail: "Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint.",
      type: "https://api.twitter.com/2/problems/unsupported-authentication",
      status: 403,
    },
    expected: { kind: "forbidden", reason: "unsupported_authentication" },
  },
  {
    name: "user token without the scope",
    status: 403,
    body: forbidden("Forbidden"),
    scopes: ["like.write", "tweet.read", "users.read"],
    expected: {
      kind: "forbidden",
      reason: "missing_scope",
      scopes: ["like.write", "tweet.read", "users.read"],
    },
  },
  {
    name: "bare refusal of an app token",
    status: 403,
    body: forbidden("Forbidden"),
    expected: { kind: "forbidden", reason: "unspecified" },
  },
  {
    name: "read-only permissions",
    status: 403,
    body: {
      title: "Forbidden",
      status: 403,
      detail:
        "Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.",
      type: "https://api.twitter.com/2/problems/oauth1-permissions",
    },
    scopes: ["tweet.write"],
    expected: { kind: "forbidden", reason: "missing_scope", scopes: ["tweet.write"] },
  },
  {
    name: "protected resource",
    status: 403,
    body: typed("Authorization Error", "x.com", "not-authorized-for-resource"),
    expected: { kind: "forbidden", reason: "resource_not_authorized" },
  },
  {
    name: "private field",
    status: 403,
    body: typed("Field Authorization Error", "x.com", "not-authorized-for-field"),
    expected: { kind: "forbidden", reason: "field_not_authorized" },
  },
  {
    name: "private field, other type",
    status: 403,
    body: typed("Field Authorization Error", "x.com", "field-unauthorized"),
    expected: { kind: "forbidden", reason: "field_not_authorized" },
  },
  {
    name: "resource of a kind X does not serve",
    status: 403,
    body: typed("Disallowed Resource", "x.com", "disallowed-resource"),
    expected: { kind: "forbidden", reason: "disallowed_resource" },
  },
  {
    name: "suspended account",
    status: 403,
    body: forbidden("Your account is suspended and is not permitted to access this feature."),
    scopes: ["tweet.write"],
    expected: { kind: "account_restricted", restriction: "suspended" },
  },
  {
    name: "suspended account, numbered error",
    status: 403,
    body: {
      errors: [
        { code: 64, message: "Your account is suspended and is not permitted to access this feature." },
      ],
    },
    expected: { kind: "account_restricted", restriction: "suspended" },
  },
  {
    name: "locked account",
    status: 403,
    body: { errors: [{ code: 326, message: "To protect our users, this account is temporarily locked." }] },
    expected: { kind: "account_restricted", restriction: "locked" },
  },
  {
    name: "window used up",
    status: 429,
    headers: window(50, 0, 7),
    body: tooManyRequests,
    expected: {
      kind: "rate_limited",
      limit: "window",
      retryAfterMs: 420_000,
      resetAt: fixtureTime + 420_000,
    },
  },
  {
    name: "day used up while the short window still has room",
    status: 429,
    headers: {
      ...window(100, 93, 7),
      "x-user-limit-24hour-limit": "300",
      "x-user-limit-24hour-remaining": "0",
      "x-user-limit-24hour-reset": inMinutes(600),
    },
    body: tooManyRequests,
    expected: { kind: "rate_limited", limit: "window", retryAfterMs: 36_000_000 },
  },
  {
    name: "window used up, typed",
    status: 429,
    headers: { "retry-after": "3" },
    body: typed("Too Many Requests", "x.com", "rate-limit-exceeded"),
    expected: { kind: "rate_limited", limit: "window", retryAfterMs: 3000, problem: "rate-limit-exceeded" },
  },
  {
    name: "window that has just ended",
    status: 429,
    headers: window(50, 0, -1),
    body: tooManyRequests,
    expected: { kind: "rate_limited", limit: "window", retryAfterMs: 1000 },
  },
  {
    name: "window used up, no header says until when",
    status: 429,
    body: tooManyRequests,
    expected: { kind: "rate_limited", limit: "window", retryAfterMs: 900_000 },
  },
  {
    name: "usage cap, behind a rate window that looks fine",
    status: 429,
    headers: window(40000, 39999, 15),
    body: {
      account_id: "1",
      product_name: "standard-basic",
      title: "UsageCapExceeded",
      period: "Monthly",
      scope: "Product",
      detail: "Usage cap exceeded: Monthly product cap",
      type: "https://api.twitter.com/2/problems/usage-capped",
    },
    expected: { kind: "forbidden", reason: "usage_capped", problem: "usage-capped" },
  },
  {
    name: "too many streams",
    status: 429,
    body: {
      title: "ConnectionException",
      detail: "This stream is at its connection limit.",
      connection_issue: "TooManyConnections",
      type: "https://api.twitter.com/2/problems/streaming-connection",
    },
    expected: { kind: "rate_limited", limit: "connections", retryAfterMs: 60_000 },
  },
  {
    name: "not implemented",
    status: 501,
    body: { title: "Not Implemented" },
    expected: { kind: "other", status: 501 },
  },
  {
    name: "invalid parameters",
    status: 400,
    body: {
      errors: [
        { parameters: { max_results: ["500"] }, message: "The `max_results` value is out of range." },
        { parameters: { ids: ["x"], max_results: ["500"] }, message: "The `ids` value is not valid." },
      ],
      title: "Invalid Request",
      detail: "One or more parameters to your request was invalid.",
      type: "https://api.twitter.com/2/problems/invalid-request",
    },
    expected: { kind: "invalid_request", parameters: ["max_results", "ids"], problem: "invalid-request" },
  },
  {
    name: "invalid body, numbered error",
    status: 400,
    body: { code: 214, message: "Bad request." },
    expected: { kind: "invalid_request" },
  },
  ...["invalid-rules", "duplicate-rules", "rule-cap"].map(
    (segment): ErrorFixture => ({
      name: `stream rules: ${segment}`,
      status: 400,
      body: typed("Rules", "twitter.com", segment),
      expected: { kind: "invalid_request", problem: segment },
    }),
  ),
  {
    name: "refused token",
    status: 401,
    headers: { "x-transaction-id": "a1b2c3d4e5f60718" },
    body: { title: "Unauthorized", type: "about:blank", status: 401, detail: "Unauthorized" },
    expected: { kind: "auth_expired", requestId: "a1b2c3d4e5f60718" },
  },
  {
    name: "unknown post",
    status: 404,
    body: typed("Not Found Error", "twitter.com", "resource-not-found"),
    expected: { kind: "not_found", problem: "resource-not-found" },
  },
  {
    name: "unknown page",
    status: 404,
    body: { errors: [{ code: 34, message: "Sorry, that page does not exist." }] },
    expected: { kind: "not_found" },
  },
  {
    name: "resource that cannot be shown",
    status: 404,
    body: typed("Resource Unavailable", "x.com", "resource-unavailable"),
    expected: { kind: "not_found" },
  },
  {
    name: "server error whose errors are strings",
    status: 500,
    body: { errors: ["internal server error"] },
    expected: { kind: "server_error", status: 500 },
  },
  {
    name: "server error as a string",
    status: 503,
    body: "Service Unavailable",
    expected: { kind: "server_error", status: 503 },
  },
  {
    name: "server error as a page",
    status: 502,
    body: "<!DOCTYPE html><html><head><title>Over capacity</title></head><body></body></html>",
    expected: { kind: "server_error", status: 502 },
  },
  {
    name: "server error, typed",
    status: 500,
    body: typed("Internal Error", "x.com", "internal-error"),
    expected: { kind: "server_error", status: 500, problem: "internal-error" },
  },
  {
    name: "something X has not answered so far",
    status: 418,
    body: typed("New", "x.com", "brand-new"),
    expected: { kind: "other", status: 418, problem: "brand-new" },
  },
  {
    name: "a post that is not there, as a success",
    status: 200,
    body: {
      errors: [
        {
          value: "456",
          resource_id: "456",
          resource_type: "tweet",
          parameter: "id",
          title: "Not Found Error",
          detail: "Could not find tweet with id: [456].",
          type: "https://api.twitter.com/2/problems/resource-not-found",
        },
      ],
    },
    expected: { kind: "not_found", problem: "resource-not-found" },
  },
  {
    name: "a suspended account that was asked about, as a success",
    status: 200,
    body: {
      errors: [
        {
          resource_type: "user",
          parameter: "username",
          title: "Forbidden",
          detail: "User has been suspended: [someone].",
          type: "https://api.twitter.com/2/problems/resource-not-found",
        },
      ],
    },
    expected: { kind: "not_found" },
  },
  {
    name: "a protected post, as a success",
    status: 200,
    body: {
      errors: [
        {
          resource_type: "tweet",
          title: "Authorization Error",
          type: "https://api.twitter.com/2/problems/not-authorized-for-resource",
        },
      ],
    },
    expected: { kind: "forbidden", reason: "resource_not_authorized" },
  },
  {
    name: "an answer X could not put together, as a success",
    status: 200,
    body: {
      errors: [typed("Field Hydration Error", "x.com", "field-hydration-failure")],
    },
    expected: { kind: "server_error", status: 500 },
  },
];
