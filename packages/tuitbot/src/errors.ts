import { type CodeOf, defineErrors } from "@toolpact/contract";
import { forbiddenReasons } from "@toolpact/x-api";

/** A closed set. The code alone determines if a retry may help; `fix_by` says who must act first. */
export const errors = defineErrors(
  {
    x_rate_limited: {
      category: "X API",
      retryable: true,
      meaning: "X's rate limit for this operation is used up",
      reasons: ["window", "connections"],
    },
    x_auth_expired: {
      category: "X API",
      retryable: false,
      meaning: "X refused the sign-in, and it could not be renewed",
    },
    x_forbidden: {
      category: "X API",
      retryable: false,
      meaning: "X does not let this account, app or plan do that",
      reasons: ["removed_by_x", "conflict", "unexpected_status", ...forbiddenReasons],
    },
    x_account_restricted: {
      category: "X API",
      retryable: false,
      meaning: "X has suspended or locked the signed-in account",
      reasons: ["suspended", "locked"],
    },
    x_network_error: {
      category: "X API",
      retryable: true,
      meaning: "X could not be reached, or did not answer in time",
      reasons: ["unreachable", "interrupted", "timeout", "aborted", "unreadable", "duplicate_request"],
    },
    x_not_configured: {
      category: "X API",
      retryable: false,
      meaning: "Nobody is signed in to X, or the token or keys that X takes for this are not set",
    },
    x_api_error: {
      category: "X API",
      retryable: true,
      meaning: "X failed while it worked on the request",
    },
    db_error: {
      category: "Database",
      retryable: true,
      meaning: "The database could not be used",
      reasons: ["busy", "unreachable", "full", "denied", "damaged", "replaced", "account_unknown"],
    },
    validation_error: {
      category: "Validation",
      retryable: false,
      meaning: "The call was understood and is not acceptable now",
      reasons: [
        "duplicate_request",
        "idempotency_key_reused",
        "outcome_unknown",
        "url_price",
        "already_decided",
      ],
    },
    invalid_input: {
      category: "Validation",
      retryable: false,
      meaning: "An argument is missing or wrong",
      reasons: ["request_blocked", "path_not_allowed"],
    },
    tweet_too_long: {
      category: "Validation",
      retryable: false,
      meaning: "A post is longer than 280 weighted characters",
    },
    llm_error: {
      category: "LLM",
      retryable: true,
      meaning: "The language model failed",
      reasons: [
        "unreachable",
        "timeout",
        "rate_limited",
        "provider_error",
        "refused",
        "unreadable",
        "unusable",
      ],
    },
    llm_not_configured: { category: "LLM", retryable: false, meaning: "No language model is set up" },
    unsupported_media_type: {
      category: "Media",
      retryable: false,
      meaning: "X does not take files of this type",
    },
    file_read_error: { category: "Media", retryable: false, meaning: "The media file could not be read" },
    media_upload_error: {
      category: "Media",
      retryable: false,
      meaning: "X did not accept the media file",
      reasons: ["too_large", "processing_failed", "refused_by_x"],
    },
    thread_partial_failure: {
      category: "Thread",
      retryable: true,
      meaning: "Some posts of the thread are out, the rest is not",
    },
    policy_error: { category: "Policy", retryable: true, meaning: "The policy could not be evaluated" },
    policy_denied_blocked: { category: "Policy", retryable: false, meaning: "The policy blocks this tool" },
    policy_denied_rate_limited: {
      category: "Policy",
      retryable: false,
      meaning: "The policy's own limit is used up",
      reasons: ["policy_limit", "budget"],
    },
    policy_denied_hard_rule: {
      category: "Policy",
      retryable: false,
      meaning: "A safety rule that cannot be switched off forbids this",
      reasons: ["content_changed", "changed_since_approval", "not_approved", "needs_person", "needs_passkey"],
    },
    policy_denied_user_rule: {
      category: "Policy",
      retryable: false,
      meaning: "A rule of the operator, or the person, forbids this",
      reasons: ["budget", "rejected_by_person", "stopped_by_person"],
    },
    context_error: {
      category: "Context",
      retryable: false,
      meaning: "The context of an author could not be put together",
    },
    recommendation_error: {
      category: "Context",
      retryable: false,
      meaning: "No recommendation could be made",
    },
    topic_error: { category: "Context", retryable: false, meaning: "The topics could not be analysed" },
    not_found: { category: "Resource", retryable: false, meaning: "There is no such thing, or X hides it" },
    serialization_error: {
      category: "Internal",
      retryable: false,
      meaning: "A bug in this server prevented the answer from being shown",
    },
  },
  {
    badInput: "invalid_input",
    duplicate: "validation_error",
    deadline: "x_network_error",
    internal: "serialization_error",
  },
);

export type ErrorCode = CodeOf<typeof errors>;

export const xErrors = [
  "x_rate_limited",
  "x_auth_expired",
  "x_forbidden",
  "x_account_restricted",
  "x_network_error",
  "x_not_configured",
  "x_api_error",
  "not_found",
  "invalid_input",
] as const satisfies readonly ErrorCode[];

/** Codes of a tool that sends text. */
export const xWriteErrors = [...xErrors, "tweet_too_long"] as const satisfies readonly ErrorCode[];

export const xThreadErrors = [
  ...xWriteErrors,
  "thread_partial_failure",
] as const satisfies readonly ErrorCode[];

/** For an upload, `not_found` means that it failed. */
const isOfUpload = (code: XError): code is Exclude<XError, "not_found"> => code !== "not_found";
type XError = (typeof xErrors)[number];

export const xMediaErrors = [
  ...xErrors.filter(isOfUpload),
  "unsupported_media_type",
  "file_read_error",
  "media_upload_error",
] as const satisfies readonly ErrorCode[];

/** Before a tool that changes something at X. */
export const guardErrors = [
  "validation_error",
  "db_error",
  "policy_denied_blocked",
  "policy_denied_rate_limited",
  "policy_denied_hard_rule",
  "policy_denied_user_rule",
] as const satisfies readonly ErrorCode[];
