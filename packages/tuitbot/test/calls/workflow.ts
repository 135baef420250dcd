import { DatabaseSync } from "node:sqlite";
import { cast } from "@toolpact/x-sandbox";
import { queuedItem } from "../live-server.ts";
import type { LiveStage } from "../live-stage.ts";
import { type Args, badInput, longText, none, type ToolCall, tooLong } from "./tool-call.ts";

export const workflowCalls: Readonly<Record<string, ToolCall>> = {
  list_pending_approvals: { args: none },
  get_pending_count: { args: none },
  approve_item: {
    args: pendingDeletion,
    failures: [
      {
        what: "an item that is not there",
        args: () => ({ id: 999_999 }),
        code: "not_found",
        asksX: false,
      },
      {
        what: "what was rejected",
        args: rejectedDeletion,
        code: "validation_error",
        reason: "already_decided",
        asksX: false,
      },
      {
        what: "a thread that breaks in the middle",
        args: (stage) => pending(stage, "x_post_thread", { tweets: ["For @sandbox_friend.", "And all."] }),
        fault: { operation: "createPosts", kind: "rate_limited", at: 2 },
        code: "thread_partial_failure",
        asksX: true,
      },
      badInput("no item", () => ({ id: 0 })),
    ],
  },
  approve_all: { args: none },
  reject_item: {
    args: pendingDeletion,
    failures: [
      { what: "an item that is not there", args: () => ({ id: 999_999 }), code: "not_found", asksX: false },
      {
        what: "what was rejected",
        args: rejectedDeletion,
        code: "validation_error",
        reason: "already_decided",
        asksX: false,
      },
    ],
  },

  make_calls: {
    args: (stage) => {
      // Another post each time: the same bookmark again would be a repeat.
      const { id } = stage.sandbox.say(cast.friend, "One of several.");
      return { calls: [{ tool: "x_bookmark_tweet", args: { tweet_id: id } }] };
    },
    failures: [
      badInput("a tool that changes nothing", () => ({ calls: [{ tool: "get_config", args: {} }] })),
    ],
  },
  undo_last: {
    args: async (stage) => {
      // Another post each time: the same bookmark again would be a repeat.
      const { id } = stage.sandbox.say(cast.friend, "Marked, and unmarked.");
      const { meta } = await stage.call("x_bookmark_tweet", { tweet_id: id });
      return { correlation_id: meta?.correlation_id };
    },
    failures: [
      {
        what: "a change that never was",
        args: () => ({ correlation_id: "00000000-0000-4000-8000-000000000000" }),
        code: "not_found",
        asksX: false,
      },
    ],
  },

  stop_everything: {
    args: () => ({ reason: "A test of the stop" }),
    afterwards({ database }) {
      const opened = new DatabaseSync(database, { timeout: 10_000 });
      opened.exec("delete from stops");
      opened.close();
    },
  },

  get_policy_status: { args: none },
  get_rate_limits: { args: none },
  get_mcp_tool_metrics: { args: none, failures: [badInput("no time", () => ({ since_hours: 0 }))] },
  get_mcp_error_breakdown: { args: () => ({ since_hours: 1 }) },
  get_x_usage: { args: () => ({ days: 3 }), failures: [badInput("no days", () => ({ days: 0 }))] },
  get_action_log: {
    // A name of older configurations does as well.
    args: () => ({ action_type: "delete_tweet" }),
    failures: [badInput("a tool that is none", () => ({ action_type: "x_pots_tweet" }))],
  },
  get_action_counts: { args: none },
  get_recent_mutations: {
    args: () => ({ limit: 5, tool_name: "x_unbookmark_tweet", status: "success" }),
    failures: [badInput("a tool that is none", () => ({ tool_name: "x_pots_tweet" }))],
  },
  get_mutation_detail: {
    args: async (stage) => {
      const { meta } = await stage.call("x_unbookmark_tweet", { tweet_id: stage.friendsPost });
      return { correlation_id: meta?.correlation_id };
    },
    failures: [
      {
        what: "a change that never was",
        args: () => ({ correlation_id: "00000000-0000-4000-8000-000000000000" }),
        code: "not_found",
        asksX: false,
      },
    ],
  },

  x_post_tweet_dry_run: {
    args: () => ({ text: "Only a thought, with example.com in it." }),
    failures: [tooLong(() => ({ text: longText })), badInput("nothing", () => ({ text: "" }))],
  },
  x_post_thread_dry_run: {
    args: () => ({ tweets: ["One thought.", "And another."] }),
    failures: [tooLong(() => ({ tweets: ["fine", longText] })), badInput("nothing", () => ({ tweets: [] }))],
  },
};

/** A call that a safety rule has sent to a person, by the number of its item. */
async function pending(stage: LiveStage, tool: string, args: Args): Promise<Args> {
  const answer = await stage.call(tool, args);
  const id = queuedItem(answer);
  if (id === undefined) throw new Error(`${tool} does not wait: ${JSON.stringify(answer)}`);
  return { id };
}

function pendingDeletion(stage: LiveStage): Promise<Args> {
  const tweet_id = stage.sandbox.say(cast.owner, "To be gone.").id;
  return pending(stage, "x_delete_tweet", { tweet_id });
}

async function rejectedDeletion(stage: LiveStage): Promise<Args> {
  const item = await pendingDeletion(stage);
  await stage.call("reject_item", item);
  return item;
}
