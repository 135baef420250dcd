import { ok } from "@toolpact/contract";
import type { Access } from "@toolpact/x-api";
import * as z from "zod";
import { type Ability, isAble, readinessView, serverState } from "../../app/readiness.ts";
import type { WorkflowStatus } from "../../app/workflow-status.ts";
import { actionOf, scopesOf, type TuitbotTool } from "../../guards/call/tool-facts.ts";
import { writeUpAndApiReadonly } from "../../profiles.ts";
import type { Connection } from "../../x/connection.ts";
import { refusedByX } from "../../x/toolkit/preflight.ts";
import { SIGN_IN } from "../../x/x-errors.ts";
import { defineTool } from "../product.ts";
import { readinessShape } from "./readiness-shape.ts";

const about = {
  category: "meta",
  effect: "none",
  profiles: writeUpAndApiReadonly,
  errors: [],
  deadlineMs: Number.POSITIVE_INFINITY,
  input: z.strictObject({}),
} as const;

export const getMode = defineTool({
  ...about,
  name: "get_mode",
  searchWords: "autopilot or composer, does a person approve first",
  title: "Get the mode",
  description:
    "Get whether this server acts by itself (autopilot) or only assists (composer), and whether a person approves first.",
  openWorld: false,
  needs: ["config", "server"],
  output: z.object({
    mode: z.enum(["autopilot", "composer"]),
    approval_mode: z.boolean(),
    profile: z.string(),
  }),
  handler: (_input, { config, server }) =>
    ok({ mode: config.values.mode, approval_mode: config.approvalMode, profile: server.profile }),
});

const closedTool = z.object({
  name: z.string(),
  reason: z.string(),
  since: z.string().optional(),
  message: z.string(),
  fix: z.string(),
});

const remaining = z.object({
  action_type: z.string(),
  remaining: z.number(),
  max: z.number(),
  period_seconds: z.number(),
});

const scopeAnalysis = z.object({
  granted: z.array(z.string()).optional().describe("Only if some are missing"),
  required: z.array(z.string()).optional(),
  missing: z.array(z.string()),
  all_required_present: z.boolean(),
});

export const getCapabilities = defineTool({
  ...about,
  name: "get_capabilities",
  searchWords:
    "what can you do, which plan do I have, what does my plan allow, what is possible, am I allowed to reply",
  facts: { everyday: true },
  title: "Get what is possible",
  description:
    "Get what plan, sign-in and profile allow and what they do not, with reasons. Call it before you plan work on X.",
  openWorld: true,
  needs: ["config", "server"],
  output: z.object({
    profile: z.string(),
    tier: z.enum(["self_serve", "enterprise"]),
    premium: z.boolean(),
    can_post_tweets: z.boolean(),
    can_reply: z.boolean(),
    can_search: z.boolean(),
    ...readinessShape,
    approval_mode: z.boolean(),
    llm_available: z.boolean(),
    auth: z.object({
      status: z.string(),
      x_client_available: z.boolean(),
      authenticated_user_id: z.string().nullable(),
      token_scopes_available: z.boolean(),
    }),
    scope_analysis: scopeAnalysis.nullable().describe("Null where X does not say what was granted"),
    unavailable_tools: z.array(closedTool),
    // Only with policy and approval.
    pending_approvals: z.number().optional(),
    rate_limits: z.array(remaining).optional(),
    recommended_max_actions: z
      .object({ replies: z.number(), tweets: z.number(), threads: z.number() })
      .optional()
      .describe("How many are left now"),
    guidance: z.array(z.string()),
  }),
  handler: async (_input, { config, server, signal }) => {
    const [{ connection, stored, readiness }, writer] = await Promise.all([
      serverState(server, signal),
      server.writer?.(signal),
    ]);
    const { access, tools, profile } = server;
    const isSignedIn = connection.status === "ok";
    const closed = closedTools(tools, access);
    const scopes = analyse(connection, tools);
    const can = (ability: Ability, tool: string) =>
      isAble(readiness.obstacles, ability) &&
      tools.some(({ name }) => name === tool) &&
      !closed.some(({ name }) => name === tool);
    return ok({
      profile,
      tier: access.plan,
      premium: access.isPremium,
      can_post_tweets: can("post", "x_post_tweet"),
      can_reply: can("reply", "x_reply_to_tweet"),
      can_search: can("read", "x_search_tweets"),
      ...readinessView(readiness),
      approval_mode: config.approvalMode,
      llm_available: writer?.ok === true,
      auth: {
        status: connection.status,
        x_client_available: isSignedIn,
        authenticated_user_id: isSignedIn ? connection.me.id : null,
        token_scopes_available: scopes !== null,
      },
      scope_analysis: scopes,
      unavailable_tools: closed,
      ...(stored?.status === "ok" && room(stored, (ability) => isAble(readiness.obstacles, ability))),
      guidance: [
        ...readiness.obstacles.map(({ message, fix }) => `${message} ${fix}`),
        ...guidanceFor(connection, scopes?.missing ?? [], closed, access),
        ...(stored?.status === "ok" ? adviceOn(stored) : []),
      ],
    });
  },
});

type StoredWorkflow = Extract<WorkflowStatus, { status: "ok" }>;

/** Under the current limits. */
function room({ pendingApprovals, rateLimits }: StoredWorkflow, able: (ability: Ability) => boolean) {
  const left = (ability: Ability, key: string) =>
    able(ability) ? (rateLimits.find(({ action_type }) => action_type === key)?.remaining ?? 0) : 0;
  return {
    pending_approvals: pendingApprovals,
    rate_limits: rateLimits.map(({ action_type, remaining, max_requests, period_seconds }) => ({
      action_type,
      remaining,
      max: max_requests,
      period_seconds,
    })),
    recommended_max_actions: {
      replies: left("reply", "replies_per_day"),
      tweets: left("post", "tweets_per_day"),
      threads: left("post", "threads_per_week"),
    },
  };
}

function adviceOn({ pendingApprovals, unsettledReceipts }: StoredWorkflow): string[] {
  return [
    ...(pendingApprovals > 0
      ? [`${pendingApprovals} calls wait for the person: \`tuitbot approve\`, or approve_item.`]
      : []),
    ...(unsettledReceipts > 0
      ? [
          `Of ${unsettledReceipts} calls it is not certain yet whether X carried them out: do not repeat them.`,
        ]
      : []),
  ];
}

function closedTools(tools: readonly TuitbotTool[], access: Access): z.input<typeof closedTool>[] {
  return tools.flatMap((tool) => {
    const { name } = tool;
    const action = actionOf(tool.facts);
    const refusal = action && refusedByX(action, access);
    if (refusal === undefined) return [];
    const { reason = "unspecified", message, suggestedFix = "", details } = refusal.failure;
    const since = details?.since;
    return [
      {
        name,
        reason,
        ...(typeof since === "string" && { since }),
        message: message.replace(/ Nothing was sent\.$/, ""),
        fix: suggestedFix,
      },
    ];
  });
}

function analyse(
  connection: Connection,
  tools: readonly TuitbotTool[],
): z.input<typeof scopeAnalysis> | null {
  if (connection.status !== "ok" || connection.scopes === undefined) return null;
  const granted = [...connection.scopes].sort();
  const required = [...scopesOf(tools.map(({ facts }) => facts))];
  const missing = required.filter((scope) => !granted.includes(scope));
  if (missing.length === 0) return { missing, all_required_present: true };
  return { granted, required, missing, all_required_present: false };
}

function guidanceFor(
  connection: Connection,
  missingScopes: readonly string[],
  closed: readonly { name: string }[],
  access: Access,
): string[] {
  if (connection.status !== "ok") return [];
  const advice = [
    ...(missingScopes.length > 0
      ? [`Some tools lack a permission: run \`${SIGN_IN}\` and allow ${missingScopes.join(", ")}.`]
      : []),
    ...(closed.length > 0
      ? [`X does not offer ${closed.length} tools on this plan: see \`unavailable_tools\`.`]
      : []),
    ...(access.plan === "self_serve"
      ? [
          "Replies go out only where the author has mentioned or quoted this account: see x_get_user_mentions.",
        ]
      : []),
  ];
  return advice.length > 0 ? advice : ["Everything in this profile can be used."];
}
