import type { ConfigProblem } from "./problem.ts";
import type { Config } from "./schema.ts";
import { isThisMachine } from "./this-machine.ts";

/** Between keys, which a single key's schema cannot see. */
export function brokenRules(config: Config): readonly ConfigProblem[] {
  return RULES.flatMap(({ key, message, isBroken }) => (isBroken(config) ? [{ key, message }] : []));
}

interface Rule extends ConfigProblem {
  readonly isBroken: (config: Config) => boolean;
}

const RULES: readonly Rule[] = [
  {
    key: "ads",
    message: "needs all four keys, or none.",
    isBroken: ({ ads }) => ![0, 4].includes(Object.values(ads).filter((key) => key !== undefined).length),
  },
  {
    key: "limits.min_action_delay_seconds",
    message: "must not be above limits.max_action_delay_seconds.",
    isBroken: ({ limits }) => limits.min_action_delay_seconds > limits.max_action_delay_seconds,
  },
  {
    key: "llm.api_key",
    message: "is needed for this llm.provider.",
    isBroken: ({ llm }) => !["", "ollama"].includes(llm.provider) && llm.api_key === undefined,
  },
  {
    key: "mcp_policy.blocked_tools",
    message: "and mcp_policy.require_approval_for name the same tool: it is one or the other.",
    isBroken: ({ mcp_policy }) =>
      mcp_policy.blocked_tools.some((tool) => mcp_policy.require_approval_for.includes(tool)),
  },
  {
    key: "mcp_policy.rules",
    message: "has two rules with the same id.",
    isBroken: ({ mcp_policy }) =>
      new Set(mcp_policy.rules.map(({ id }) => id)).size < mcp_policy.rules.length,
  },
  {
    key: "schedule.preferred_times",
    message: "has more times than limits.max_tweets_per_day allows posts.",
    isBroken: ({ schedule, limits }) => maxSlots(schedule) > limits.max_tweets_per_day,
  },
  {
    key: "server.tls_cert",
    message: "also needs server.tls_key and server.public_url.",
    isBroken: ({ server: { tls_cert, tls_key, public_url } }) =>
      tls_cert === undefined ? tls_key !== undefined : tls_key === undefined || public_url === undefined,
  },
  {
    key: "server.token",
    message: "is needed where server.host can be reached from other machines.",
    isBroken: ({ server }) => !isThisMachine(server.host) && server.token === undefined,
  },
  {
    key: "storage.url",
    message: "must begin with postgres:// or postgresql://.",
    isBroken: ({ storage }) => storage.url !== undefined && !/^postgres(ql)?:\/\//.test(storage.url),
  },
];

/** Times of day selected by `auto`. */
const AUTO_SLOTS = 3;

function maxSlots(schedule: Config["schedule"]): number {
  const usual = schedule.preferred_times.reduce((sum, slot) => sum + (slot === "auto" ? AUTO_SLOTS : 1), 0);
  return Math.max(usual, ...Object.values(schedule.preferred_times_override).map((times) => times.length));
}
