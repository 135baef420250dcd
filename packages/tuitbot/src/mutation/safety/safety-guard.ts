import type { Call, Guard, JsonObject, Next } from "@toolpact/contract";
import type { Access, XClient } from "@toolpact/x-api";
import type { Config } from "../../config/schema.ts";
import { refusedByX } from "../../x/toolkit/preflight.ts";
import type { GuardOutcome, MutationContext } from "../call-context.ts";
import { beforeItBegins, mutationGuard } from "../mutation-guard.ts";
import { type Mutation, summoned } from "../plan.ts";
import { hasAnswered } from "../receipts/receipt-queries.ts";
import { answeredPost } from "./answered-post.ts";
import { checkReply } from "./check-reply.ts";

export interface SafetyOptions {
  readonly config: Pick<Config, "limits" | "business" | "scoring">;
  readonly client: XClient;
  readonly access: Access;
  readonly now: () => number;
}

/**
 * Keeps a reply to somebody else decent, whoever wants to send it and whether a person has agreed or not: only where
 * X allows it on this plan, never to oneself, not too often to the same author, not in the same words again, not about
 * the product all the time. What limits, phrases and X's own rules say of every publication is in the policy behind it.
 */
export function safetyGuard(options: SafetyOptions): Guard<unknown, unknown, JsonObject> {
  return mutationGuard(
    "safety",
    ["policy_denied_user_rule", "policy_denied_rate_limited", "x_forbidden"],
    beforeItBegins((call, context, next) => checkSafety(call, context, options, next)),
  );
}

async function checkSafety(
  call: Call<unknown, unknown, JsonObject>,
  context: MutationContext<Mutation>,
  { config, client, access, now }: SafetyOptions,
  next: Next,
): Promise<GuardOutcome> {
  const { store, account, receipts, mutation } = context;
  const { replyTo } = mutation;
  if (replyTo === undefined) return next();
  // Continuing one's own post is no reply in the sense of the rules; a second reply is denied by the policy.
  if (await receipts.hasMade(`post:${replyTo}`)) return next();
  if (await hasAnswered(store.db, account, replyTo)) return next();
  const lookup = { client, access, config, now: now(), signal: call.signal };
  const { author, isSummoned } = await answeredPost(context, replyTo, lookup);
  // Before a person is asked for what X would refuse.
  const refused =
    isSummoned === undefined || author === account ? undefined : refusedByX("reply", access, { isSummoned });
  if (refused !== undefined) return refused;
  if (isSummoned) context.mutation = summoned(mutation);
  const [text] = mutation.policy.texts;
  const checked = await checkReply(context, { author, text }, config, now());
  if (!checked.ok) {
    context.decision = "deny";
    context.ruleId = String(checked.failure.details?.matched_rule_id ?? checked.failure.details?.limit);
    return checked;
  }
  // The places themselves are taken with the receipt, so that of two calls at once one gets the last.
  context.limits = [...context.limits, ...checked.value];
  return next();
}
