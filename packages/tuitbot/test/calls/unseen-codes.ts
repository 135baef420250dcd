import { operations } from "@toolpact/x-api";
import type { ErrorCode } from "../../src/errors.ts";
import { canReply, type TuitbotTool } from "../../src/guards/call/tool-facts.ts";
import { removedTools } from "../../src/tools/x/removed.ts";
import { isChange, isOfApp, operationsFor } from "./operations.ts";

/** Codes that a tool declares and that the suite over all tools cannot bring about, each with the reason. */
export function isUnseen(tool: TuitbotTool, code: string): boolean {
  return (
    (UNSEEN[tool.name]?.some((known) => known === code) ?? false) ||
    (code === "x_account_restricted" && operationsFor(tool).every(isOfApp)) ||
    // A call that fails is forgotten, and these fail at once: only two at the same moment would meet.
    (code === "validation_error" && removedTools.some(({ name }) => name === tool.name)) ||
    // See receipts.test.ts and composites.test.ts: a second reply to the same post.
    (code === "policy_denied_hard_rule" && canReply(tool.facts)) ||
    // X has no price for them, so no budget is too small.
    (code.startsWith("policy_denied_") && !isChange(tool) && isFree(tool)) ||
    // Without keys that is all they say; with keys see ads.test.ts.
    (tool.category === "ads" && code !== "x_not_configured")
  );
}

function isFree(tool: TuitbotTool): boolean {
  return operationsFor(tool).every((operation) => operations[operation].price === undefined);
}

const UNSEEN: Readonly<Record<string, readonly ErrorCode[]>> = {
  // X would have to fail at the one question of who is signed in, which was answered before.
  x_post_thread: ["x_api_error", "x_network_error"],
  // The agent may approve here, and nothing waits but what safety rules ask about: see self-approval.test.ts.
  approve_all: ["policy_denied_hard_rule"],
  reject_item: ["policy_denied_hard_rule"],
  approve_item: [
    "tweet_too_long",
    "unsupported_media_type",
    "file_read_error",
    "media_upload_error",
    "x_not_configured",
    "policy_denied_blocked",
    "policy_denied_rate_limited",
    "policy_denied_hard_rule",
    "policy_denied_user_rule",
  ],
  // A limit of an agent: see agents.test.ts.
  compose_tweet: ["policy_denied_rate_limited"],
  // As x_upload_media, x_post_tweet and x_post_thread, which it calls.
  publish_draft: [
    "unsupported_media_type",
    "file_read_error",
    "media_upload_error",
    "tweet_too_long",
    "x_account_restricted",
    "x_network_error",
    "x_api_error",
    "policy_denied_blocked",
    "policy_denied_rate_limited",
    "policy_denied_hard_rule",
    "policy_denied_user_rule",
  ],
  // Only while the database is busy or away.
  get_author_context: ["db_error"],
  recommend_engagement_action: ["db_error"],
  topic_performance_snapshot: ["db_error"],
  // Only at its deadline: what the model did wrong is said with each draft.
  draft_replies_for_candidates: ["llm_error"],
  // See plan.test.ts.
  generate_reply: ["x_forbidden"],
  edit_draft: ["x_forbidden", "policy_error"],
  // No approval is needed here, so neither the key nor a draft's files are read: see own-words.test.ts.
  create_draft: ["x_forbidden", "policy_error"],
  create_recurring_posts: ["x_forbidden", "policy_error"],
  schedule_draft: ["file_read_error", "policy_error"],
  x_post_tweet_dry_run: ["x_forbidden"],
  x_post_thread_dry_run: ["x_forbidden"],
};
