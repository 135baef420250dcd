import type { Scope, SuiteName } from "./official-suite.ts";

const BY_NAME = "they call the suite's fixtures by name, or want sessions";

/** For the server with all of the suite's fixtures. */
export const EVERYTHING: Scope = {
  except: /^tasks-/,
  because: "the tasks extension is optional, and this server offers none",
};

/** The same through a gate, which announces list changes for all its servers. */
export const BEHIND_GATE: Scope = {
  ...EVERYTHING,
  // Triggered by test_trigger_tool_change and test_trigger_prompt_change, which the server does not have.
  exceptChecks: [
    "sep-2575-server-sends-tools-list-changed-on-subscription",
    "sep-2575-server-sends-prompts-list-changed-on-subscription",
  ],
};

/** Scenarios that apply to any server. */
export const OF_ANY_SERVER = {
  "2026-07-28": {
    only: [
      "server-stateless",
      "tools-list",
      "resources-list",
      "prompts-list",
      "caching",
      "sep-2164-resource-not-found",
      "http-header-validation",
      "dns-rebinding-protection",
      "server-sse-multiple-streams",
      "input-required-result-unsupported-methods",
    ],
    // Triggered by test_missing_capability, test_streaming_elicitation, test_logging_tool and test_trigger_tool_change.
    exceptChecks: [
      "sep-2575-server-sends-tools-list-changed-on-subscription",
      "sep-2575-server-rejects-undeclared-capability",
      "sep-2575-missing-capability-http-400",
      "sep-2575-http-server-no-independent-requests-on-stream",
      "sep-2575-server-no-log-without-loglevel",
    ],
    because: BY_NAME,
  },
  "2025-11-25": {
    only: [
      "server-initialize",
      "ping",
      "logging-set-level",
      "tools-list",
      "resources-list",
      "prompts-list",
      "dns-rebinding-protection",
    ],
    exceptChecks: [],
    because: BY_NAME,
  },
} as const satisfies Partial<Record<SuiteName, Scope>>;
