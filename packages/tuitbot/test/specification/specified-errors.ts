/**
 * Code, category and retry flag of the 27 errors, copied from the specification to be independent of the
 * declarations.
 */
export const specifiedErrors: readonly (readonly [code: string, category: string, retryable: boolean])[] = [
  ["x_rate_limited", "X API", true],
  ["x_auth_expired", "X API", false],
  ["x_forbidden", "X API", false],
  ["x_account_restricted", "X API", false],
  ["x_network_error", "X API", true],
  ["x_not_configured", "X API", false],
  ["x_api_error", "X API", true],
  ["db_error", "Database", true],
  ["validation_error", "Validation", false],
  ["invalid_input", "Validation", false],
  ["tweet_too_long", "Validation", false],
  ["llm_error", "LLM", true],
  ["llm_not_configured", "LLM", false],
  ["unsupported_media_type", "Media", false],
  ["file_read_error", "Media", false],
  ["media_upload_error", "Media", false],
  ["thread_partial_failure", "Thread", true],
  ["policy_error", "Policy", true],
  ["policy_denied_blocked", "Policy", false],
  ["policy_denied_rate_limited", "Policy", false],
  ["policy_denied_hard_rule", "Policy", false],
  ["policy_denied_user_rule", "Policy", false],
  ["context_error", "Context", false],
  ["recommendation_error", "Context", false],
  ["topic_error", "Context", false],
  ["not_found", "Resource", false],
  ["serialization_error", "Internal", false],
];
