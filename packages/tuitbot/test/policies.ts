import { configSchema } from "../src/config/schema.ts";
import type { PolicyAction } from "../src/guards/policy/decide.ts";
import { type NamedTool, type Policy, policyFrom } from "../src/guards/policy/policy.ts";
import { allTools } from "../src/tools/all-tools.ts";

/** Tools that a policy may name. */
export const knownTools: readonly NamedTool[] = allTools.filter(({ name }) => name.startsWith("x_"));

interface Declared {
  readonly approvalMode?: boolean;
  readonly aiRepliesAgreed?: boolean;
}

/** The policy of a configuration as an operator writes it. */
export function policy(
  config: object = {},
  { approvalMode = false, aiRepliesAgreed = true }: Declared = {},
): Policy {
  const values = configSchema.parse(config);
  const made = policyFrom(values, { approvalMode, aiRepliesAgreed }, knownTools);
  if (!made.ok) throw new Error(JSON.stringify(made.failure));
  return made.value;
}

/** A mutation for it to decide about. */
export function action(part: Partial<PolicyAction> = {}): PolicyAction {
  return {
    tools: ["x_post_tweet"],
    categories: ["write"],
    isByPerson: false,
    includes: [],
    posts: 0,
    texts: ["Hello"],
    isReply: false,
    isSecondReply: false,
    mentions: false,
    ...part,
  };
}

export const post: PolicyAction = action({ posts: 1 });
export const deletion: PolicyAction = action({
  tools: ["x_delete_tweet"],
  categories: ["delete"],
  texts: [],
});
export const repost: PolicyAction = action({
  tools: ["x_retweet"],
  categories: ["engage"],
  engagement: "repost",
  texts: [],
});
export const like: PolicyAction = action({
  tools: ["x_like_tweet"],
  categories: ["engage"],
  engagement: "like",
  texts: [],
});
export const reply: PolicyAction = action({
  tools: ["x_reply_to_tweet"],
  posts: 1,
  isReply: true,
  engagement: "reply",
});
export const thread: PolicyAction = action({
  tools: ["x_post_thread"],
  includes: ["x_post_tweet"],
  categories: ["thread"],
  posts: 3,
  texts: ["One", "Two", "Three"],
});
export const message: PolicyAction = action({
  tools: ["x_v2_dm_send_to_participant"],
  categories: ["direct_message"],
});
export const ads: PolicyAction = action({ tools: ["x_ads_campaign_create"], categories: ["ads"], texts: [] });

export const withoutRules = { mcp_policy: { require_approval_for: [] } };
export const withPolicy = (mcp_policy: object, more: object = {}) => ({
  ...more,
  mcp_policy: { require_approval_for: [], ...mcp_policy },
});
export const rule = (id: string, priority: number, type: string, conditions: object = {}) => ({
  id,
  priority,
  conditions,
  action: { type },
});
