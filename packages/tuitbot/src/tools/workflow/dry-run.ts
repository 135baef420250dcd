import { type Failed, type Failure, failed, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import { parsePost } from "@toolpact/x-api";
import * as z from "zod";
import type { Workflow } from "../../app/services.ts";
import type { Preview } from "../../guards/preview.ts";
import { writeUp } from "../../profiles.ts";
import { mediaId } from "../../x/ids.ts";
import { postsOfThread } from "../params.ts";
import { defineTool } from "../product.ts";

const pretending = {
  category: "write",
  effect: "none",
  openWorld: false,
  profiles: writeUp,
  needs: ["workflow", "db"],
  errors: ["tweet_too_long", "invalid_input", "x_forbidden", "db_error"],
} as const;

const verdict = {
  dry_run: z.literal(true),
  would: z
    .enum(["send", "queue", "refuse", "replay", "simulate"])
    .describe("queue: a person is asked first; replay: the answer of the same call made before"),
  why: z.string().optional().describe("Why it would not be sent"),
  valid: z.literal(true),
  policy_would_allow: z.boolean(),
  policy_decision: z.enum(["allow", "deny", "require_approval", "dry_run"]),
  matched_rule_id: z.string().nullable(),
  reason: z.string().optional().describe("Why the policy would not allow it"),
  estimated_usd: z.number(),
  budget: z
    .object({ code: z.string(), reason: z.string(), message: z.string() })
    .optional()
    .describe("What the budget would object to"),
  duplicate_of: z
    .string()
    .optional()
    .describe("A post of the last day with the same words; X refuses another"),
  earlier_call: z.string().optional().describe("State of an earlier call with the same arguments"),
  limits: z.array(z.object({ key: z.string(), used: z.number(), max: z.number() })),
};

export const postTweetDryRun = defineTool({
  ...pretending,
  name: "x_post_tweet_dry_run",
  facts: { everyday: true },
  title: "Preview a post",
  description:
    "Check what x_post_tweet would do with these arguments: text rules, policy, price and limits. Nothing is sent or used up.",
  input: z.strictObject({
    text: z.string().describe("As for x_post_tweet"),
    media_ids: z.array(mediaId).max(4).optional().describe("Up to 4 ids from x_upload_media"),
  }),
  output: z.object({
    ...verdict,
    text: z.string(),
    text_length: z.number().describe("Weighted characters, as X counts"),
    has_media: z.boolean(),
    media_count: z.number(),
    media_ids: z.array(z.string()),
  }),
  handler: async (input, { workflow, signal }) => {
    const { text, media_ids = [] } = input;
    const judged = await judge(workflow, "x_post_tweet", { ...input }, signal);
    if (!judged.ok) return judged;
    return ok({ ...judged.value, text, ...lengthOf(text), ...mediaOf(media_ids) });
  },
});

export const postThreadDryRun = defineTool({
  ...pretending,
  name: "x_post_thread_dry_run",
  title: "Preview a thread",
  description:
    "Check what x_post_thread would do with these arguments: text rules, policy, price and limits. Nothing is sent or used up.",
  input: z.strictObject({
    ...postsOfThread,
  }),
  output: z.object({
    ...verdict,
    tweet_count: z.number(),
    tweets: z.array(
      z.object({
        index: z.number(),
        text: z.string(),
        text_length: z.number(),
        has_media: z.boolean(),
        media_count: z.number(),
        media_ids: z.array(z.string()),
        chain_action: z.enum(["post", "reply_to_previous"]),
      }),
    ),
  }),
  handler: async (input, { workflow, signal }) => {
    const { tweets, media_ids = [] } = input;
    const judged = await judge(workflow, "x_post_thread", { ...input }, signal);
    if (!judged.ok) return judged;
    return ok({
      ...judged.value,
      tweet_count: tweets.length,
      tweets: tweets.map((text, index) => ({
        index,
        text,
        ...lengthOf(text),
        ...mediaOf(media_ids[index] ?? []),
        chain_action: index === 0 ? ("post" as const) : ("reply_to_previous" as const),
      })),
    });
  },
});

type Refusal = Failure<(typeof pretending.errors)[number]>;

/** What would become of the call. One that X is known to refuse fails as the call itself would. */
async function judge(
  workflow: Workflow,
  tool: string,
  args: JsonObject,
  signal: AbortSignal,
): Promise<Outcome<Verdict, Refusal>> {
  const planned = await workflow.preview(tool, args, signal);
  if (!planned.ok) return refused(planned.failure);
  const { refusal, decision, budget, earlier, estimatedUsd, limits, duplicateOf } = planned.value;
  if (refusal !== undefined) return refused(refusal);
  return ok({
    dry_run: true,
    ...whatWouldHappen(planned.value),
    valid: true,
    policy_would_allow: decision.kind === "allow",
    policy_decision: decision.kind,
    matched_rule_id: decision.ruleId ?? null,
    ...("reason" in decision && { reason: decision.reason }),
    estimated_usd: estimatedUsd,
    ...(budget !== undefined && { budget: objection(budget) }),
    ...(duplicateOf !== undefined && { duplicate_of: duplicateOf }),
    ...(earlier !== undefined && { earlier_call: earlier }),
    limits: limits.map((limit) => ({ ...limit })),
  });
}

/** In the order of the guards that the call itself would pass; X comes last. */
function whatWouldHappen({
  earlier,
  budget,
  decision,
  limits,
  duplicateOf,
}: Preview): Pick<Verdict, "would" | "why"> {
  if (earlier === "done") return { would: "replay", why: "The same call was carried out before." };
  if (earlier === "running" || earlier === "just_done" || earlier === "unsettled")
    return { would: "refuse", why: "The same call was made moments ago, or its outcome is not known yet." };
  if (budget !== undefined) return { would: "refuse", why: budget.message };
  if (decision.kind === "deny") return { would: "refuse", why: decision.reason };
  const full = limits.find(({ used, max }) => used >= max);
  if (full !== undefined) return { would: "refuse", why: `The limit ${full.key} is used up.` };
  if (duplicateOf !== undefined)
    return { would: "refuse", why: `X refuses the same words again within a day: see post ${duplicateOf}.` };
  if (decision.kind === "require_approval") return { would: "queue", why: decision.reason };
  return { would: decision.kind === "dry_run" ? "simulate" : "send" };
}

type Verdict = z.input<z.ZodObject<typeof verdict>>;

/** Of the checks before sending and of the database: the codes that both tools declare. */
function refused(failure: Failure): Failed<Refusal> {
  return failed(failure as Refusal);
}

function objection({ code, reason = "", message }: NonNullable<Preview["budget"]>) {
  return { code, reason, message };
}

function lengthOf(text: string): { text_length: number } {
  return { text_length: parsePost(text).weighted_length };
}

function mediaOf(media_ids: readonly string[]) {
  return { has_media: media_ids.length > 0, media_count: media_ids.length, media_ids: [...media_ids] };
}
