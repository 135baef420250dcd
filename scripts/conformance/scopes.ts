import type { Scope, SuiteName } from "./official-suite.ts";

const BY_NAME = "they call the suite's fixtures by name, or want sessions";

/** The server has all of the suite's fixtures. */
export const EVERYTHING: Scope = {
  except: /^tasks-/,
  because: "the tasks extension is optional, and this server offers none",
};

/** A gate announces list changes for all its servers. */
export const BEHIND_GATE: Scope = {
  ...EVERYTHING,
  // Triggered by tools that the server does not have.
  exceptChecks: [
    "sep-2575-server-sends-tools-list-changed-on-subscription",
    "sep-2575-server-sends-prompts-list-changed-on-subscription",
  ],
};

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
    // Triggered by tools that other servers do not have.
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
