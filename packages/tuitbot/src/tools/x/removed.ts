import { type Action, specVersion } from "@toolpact/x-api";
import * as z from "zod";
import { errors } from "../../errors.ts";
import type { TuitbotTool } from "../../guards/call/tool-facts.ts";
import { type Profile, writeUp, writeUpAndUtilityWrite } from "../../profiles.ts";
import { conversationId } from "../../x/ids.ts";
import { refusedByX } from "../../x/toolkit/preflight.ts";
import { aPost, myself, somebodyElse } from "../params.ts";
import { defineTool } from "../product.ts";

/** The tools remain to report the removal. Nothing is sent. */
export const removedTools: readonly TuitbotTool[] = [
  removed({
    name: "x_v2_users_pin_tweet",
    title: "Pin a post",
    category: "engage",
    effect: "mark",
    profiles: writeUpAndUtilityWrite,
    params: { user_id: myself, tweet_id: aPost },
    action: "pin_post",
  }),
  removed({
    name: "x_v2_users_unpin_tweet",
    title: "Unpin a post",
    category: "engage",
    effect: "undo",
    profiles: writeUpAndUtilityWrite,
    params: { user_id: myself },
    action: "unpin_post",
  }),
  removed({
    name: "x_v2_blocks_create",
    title: "Block a person",
    category: "moderation",
    effect: "mark",
    profiles: writeUpAndUtilityWrite,
    params: { user_id: myself, target_user_id: somebodyElse },
    action: "block",
    instead: "Use x_v2_mutes_create.",
  }),
  removed({
    name: "x_v2_blocks_delete",
    title: "Unblock a person",
    category: "moderation",
    effect: "undo",
    profiles: writeUpAndUtilityWrite,
    params: { user_id: myself, target_user_id: somebodyElse },
    action: "unblock",
  }),
  removed({
    name: "x_v2_dm_conversations",
    title: "List conversations",
    category: "direct_message",
    effect: "none",
    profiles: writeUp,
    params: {},
    instead: "Use x_v2_dm_events.",
  }),
  removed({
    name: "x_v2_dm_conversation_by_id",
    title: "Get a conversation",
    category: "direct_message",
    effect: "none",
    profiles: writeUp,
    params: { id: conversationId.describe("Conversation id such as 123-456") },
    instead: "Use x_v2_dm_events_by_conversation.",
  }),
];

interface RemovedRow {
  readonly name: string;
  readonly title: string;
  readonly category: "engage" | "moderation" | "direct_message";
  readonly effect: "none" | "mark" | "undo";
  readonly profiles: readonly Profile[];
  readonly params: z.ZodRawShape;
  /** Absent if X's specification never had it. */
  readonly action?: Action;
  readonly instead?: string;
}

function removed({
  name,
  title,
  category,
  effect,
  profiles,
  params,
  action,
  instead,
}: RemovedRow): TuitbotTool {
  return defineTool({
    name,
    title,
    description: `Always fails: X has removed this from its API. Nothing is sent.${instead === undefined ? "" : ` ${instead}`}`,
    category,
    effect,
    openWorld: true,
    profiles,
    needs: ["server"],
    errors: ["x_forbidden"],
    deadlineMs: Number.POSITIVE_INFINITY,
    facts: { isLocal: true, alwaysFails: true, ...(action && { action }) },
    input: z.strictObject(params),
    output: z.object({}),
    handler: (_input, { server }) =>
      (action && refusedByX(action, server.access)) ??
      errors.fail(
        "x_forbidden",
        `X's API has no such request: version ${specVersion} of its specification is without it. Nothing was sent.`,
        {
          reason: "removed_by_x",
          suggestedFix: instead ?? "A person can do it at x.com.",
          fixBy: "agent",
          details: { absent_in_x_api: specVersion },
        },
      ),
  });
}
