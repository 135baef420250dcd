import { badInput, none, notFound, type ToolCall } from "./tool-call.ts";

export const appCalls: Readonly<Record<string, ToolCall>> = {
  x_v2_compliance_jobs: {
    args: () => ({ type: "tweets" }),
    failures: [badInput("a kind that is none", () => ({ type: "lists" }))],
  },
  x_v2_compliance_job_by_id: {
    args: ({ sandbox }) => {
      const id = "1700000000000000001";
      const job = { id, type: "users", name: "Ours", resumable: false, createdAt: sandbox.clock.now() };
      sandbox.world.complianceJobs.set(id, { ...job, type: "users" });
      return { id };
    },
    failures: [notFound(() => ({ id: "1" })), badInput("no job", () => ({ id: "the last" }))],
  },
  x_v2_compliance_job_create: { args: () => ({ type: "tweets", name: "This week" }) },
  x_v2_usage_tweets: { args: () => ({ days: 2 }) },
  x_v2_stream_rules_list: { args: none },
  x_v2_stream_rules_add: {
    args: () => ({ value: "sourdough -is:retweet", tag: "bread" }),
    failures: [badInput("nothing", () => ({ value: "" }))],
  },
  x_v2_stream_rules_delete: {
    args: ({ sandbox }) => {
      const id = "1700000000000000002";
      sandbox.world.streamRules.set(id, { id, value: "rye", tag: undefined });
      return { rule_ids: id };
    },
    failures: [badInput("no rule", () => ({ rule_ids: "rye" }))],
  },
};
