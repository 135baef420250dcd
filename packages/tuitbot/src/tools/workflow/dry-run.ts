import { type Failure, failed, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import { parsePost } from "@toolpact/x-api";
import * as z from "zod";
import type { Workflow } from "../../app/services.ts";
import { testCall } from "../../app/test-call.ts";
import { writeUp } from "../../profiles.ts";
import { mediaId } from "../../x/ids.ts";
import { MAX_POST } from "../../x/text-limits.ts";
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
  searchWords:
    "preview a post, check a post before publishing, what would a post cost, test without sending, price of a post",
  title: "Preview a post",
  description:
    "Check what x_post_tweet would do with these arguments: text rules, policy, price and limits. Nothing is sent or used up.",
  input: z.strictObject({
    text: z.string().max(MAX_POST).describe("As for x_post_tweet"),
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
  searchWords: "preview a thread, cost of a thread, test a thread",
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

/** Fails as the call itself would. */
async function judge(
  workflow: Workflow,
  tool: string,
  args: JsonObject,
  signal: AbortSignal,
): Promise<Outcome<Verdict, Refusal>> {
  const tested = await testCall({ tool, args }, { workflow, signal });
  // Both tools declare these codes.
  if (!tested.ok) return failed(tested.failure as Refusal);
  const { people_needed: _, ...judged } = tested.value;
  return ok({
    dry_run: true,
    valid: true,
    policy_would_allow: judged.policy_decision === "allow",
    ...judged,
  });
}

type Verdict = z.input<z.ZodObject<typeof verdict>>;

function lengthOf(text: string): { text_length: number } {
  return { text_length: parsePost(text).weighted_length };
}

function mediaOf(media_ids: readonly string[]) {
  return { has_media: media_ids.length > 0, media_count: media_ids.length, media_ids: [...media_ids] };
}
