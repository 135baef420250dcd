/** The environment of servers that may post as often as a benchmark wants. Every guard still looks at every post. */
export function postingEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...env,
    TUITBOT_APPROVAL_MODE: "false",
    TUITBOT_MCP_POLICY__REQUIRE_APPROVAL_FOR: "",
    TUITBOT_MCP_POLICY__MAX_MUTATIONS_PER_HOUR: "1000000",
    TUITBOT_LIMITS__MAX_TWEETS_PER_DAY: "1000000",
    TUITBOT_BUDGET__MAX_USD_PER_DAY: "1000000",
  };
}
