import { type CodeOf, defineErrors } from "../errors.ts";

/**
 * The errors of tools built from an OpenAPI document. A product with more errors spreads these rows into its own
 * set.
 *
 * ```ts
 * const errors = defineErrors(
 *   { ...openApiErrors.rows, not_now: { category: "policy", retryable: true, meaning: "Outside office hours" } },
 *   openApiErrors.roles,
 * );
 * ```
 */
export const openApiErrors = defineErrors(
  {
    bad_input: {
      category: "input",
      retryable: false,
      meaning: "An argument is missing or wrong, or the API refused it (400, 413, 415, 422)",
    },
    duplicate: {
      category: "input",
      retryable: false,
      meaning: "The same call was made a moment ago",
      reasons: ["duplicate_request"],
    },
    not_signed_in: {
      category: "permission",
      retryable: false,
      meaning: "The API does not accept the credential, or there is none (401)",
    },
    denied: { category: "permission", retryable: false, meaning: "The API does not allow that (402, 403)" },
    not_found: { category: "resource", retryable: false, meaning: "There is no such thing (404, 410)" },
    conflict: {
      category: "resource",
      retryable: false,
      meaning: "It contradicts what is there already (409, 412)",
    },
    rate_limited: { category: "limit", retryable: true, meaning: "Too many requests (429)" },
    refused: { category: "api", retryable: false, meaning: "The API refused it for another reason (4xx)" },
    api_error: { category: "api", retryable: true, meaning: "The API failed (5xx)" },
    unreachable: { category: "network", retryable: true, meaning: "The API could not be reached" },
    too_slow: { category: "network", retryable: true, meaning: "The API did not answer in time" },
    unknown_outcome: {
      category: "api",
      retryable: false,
      meaning: "A request that must not be sent twice got no clear answer (5xx, late or lost)",
      reasons: ["api_error", "unreachable", "too_slow"],
    },
    unexpected_answer: {
      category: "api",
      retryable: false,
      meaning: "The API answered with a redirect, or with more than is read",
    },
    bug: { category: "server", retryable: false, meaning: "A bug in this server" },
  },
  { badInput: "bad_input", duplicate: "duplicate", deadline: "too_slow", internal: "bug" },
);

export type OpenApiCode = CodeOf<typeof openApiErrors>;
