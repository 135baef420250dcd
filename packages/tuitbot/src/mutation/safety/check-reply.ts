import { type Failure, type Outcome, ok } from "@toolpact/contract";
import type { Config } from "../../config/schema.ts";
import type { Session } from "../../storage/session.ts";
import { type Limit, limitReached } from "../policy/limit.ts";
import { limitUse } from "../policy/limits.ts";
import { authorLimit } from "./author-limit.ts";
import { latestReplies } from "./latest-replies.ts";
import { isSimilar } from "./phrasing.ts";
import { mentionsProduct, mostMentions } from "./product-mention.ts";
import { refusedBySafety } from "./refusals.ts";

export interface ReplyToCheck {
  /** Who wrote the post that it answers; undefined where nobody knows. */
  readonly author: string | undefined;
  /** Undefined before there is one. */
  readonly text: string | undefined;
}

/** The limits under which a reply to somebody else needs a place, or why it may not be sent. */
export async function checkReply(
  { store, account }: Session,
  { author, text }: ReplyToCheck,
  { limits, business }: Pick<Config, "limits" | "business">,
  now: number,
): Promise<Outcome<readonly Limit[], Failure>> {
  if (author === account) return refusedBySafety("self_reply", "This post is one of your own.");
  const needed = author === undefined ? [] : [authorLimit(author, limits)];
  for (const { limit, used, windowStart } of await limitUse(store.db, account, needed, now))
    if (used >= limit.max) return limitReached({ limit, resetsAt: windowStart + limit.periodMs });
  if (text === undefined) return ok(needed);

  const earlier = await latestReplies(store.db, account);
  if (earlier.some((other) => isSimilar(text, other)))
    return refusedBySafety("similar_reply", "A recent reply says the same in nearly the same words.");
  const mentions = earlier.filter((other) => mentionsProduct(other, business)).length;
  if (mentionsProduct(text, business) && mentions >= mostMentions(limits.product_mention_ratio))
    return refusedBySafety(
      "product_mentions",
      `${mentions} of the latest ${earlier.length} replies name the product (limits.product_mention_ratio).`,
    );
  return ok(needed);
}
