import { type Failed, type Failure, failed, type Outcome, ok } from "@toolpact/contract";
import { DAY_MS, parseJson } from "@toolpact/contract/internal";
import type { Kysely } from "kysely";
import type { Config } from "../../config/schema.ts";
import type { Database } from "../../storage/database.ts";
import type { Session } from "../../storage/store.ts";
import { objectIn, textIn } from "../../x/shapes/x-object.ts";
import { limitReached, type PolicyLimit } from "../policy/limit.ts";
import { limitUse } from "../policy/limits.ts";
import { isSimilar, mentionsProduct, mostMentions, RATIO_WINDOW } from "./phrasing.ts";

export interface ReplyToCheck {
  /** The author of the post that it answers; undefined where that is not known. */
  readonly author: string | undefined;
  /** Undefined before it is written. */
  readonly text: string | undefined;
  /** The call that would send it, where replies that wait for a person count: its own item does not. */
  readonly claim?: string | undefined;
}

/** The limits under which a reply to somebody else needs a place, or why it may not be sent. */
export async function checkReply(
  { store, account }: Session,
  { author, text, claim }: ReplyToCheck,
  { limits, business }: Pick<Config, "limits" | "business">,
  now: number,
): Promise<Outcome<readonly PolicyLimit[], Failure>> {
  const needed = author === undefined ? [] : [authorLimit(author, limits)];
  for (const { limit, used, windowStart } of await limitUse(store.db, account, needed, now))
    if (used >= limit.max) return limitReached({ limit, resetsAt: windowStart + limit.periodMs });
  if (text === undefined) return ok(needed);

  const earlier = await latestReplies(store.db, account);
  if (earlier.some((other) => isSimilar(text, other)))
    return refusedBySafety("similar_reply", "A recent reply says the same in nearly the same words.");
  const waiting =
    claim === undefined
      ? []
      : await waitingTexts(store.db, account, { tool: "x_reply_to_tweet", claim, now });
  const same = waiting.find((other) => isSimilar(text, other.text));
  if (same !== undefined)
    return refusedBySafety(
      "similar_reply",
      `Item ${same.id}, which waits for a person, is a reply in nearly the same words.`,
    );
  const mentions = earlier.filter((other) => mentionsProduct(other, business)).length;
  if (mentionsProduct(text, business) && mentions >= mostMentions(limits.product_mention_ratio))
    return refusedBySafety(
      "product_mentions",
      `${mentions} of the latest ${earlier.length} replies name the product (limits.product_mention_ratio).`,
    );
  return ok(needed);
}

/** At most so many replies to one author in a day, counted from the first. */
function authorLimit(authorId: string, limits: Config["limits"]): PolicyLimit {
  return {
    key: `replies_to:${authorId}`,
    max: limits.max_replies_per_author_per_day,
    periodMs: DAY_MS,
    setting: "limits.max_replies_per_author_per_day",
  };
}

/** Replies to an author that count against the limit now. */
export async function repliesToAuthor(
  db: Kysely<Database>,
  account: string,
  authorId: string,
  limits: Config["limits"],
  now: number,
): Promise<number> {
  const [use] = await limitUse(db, account, [authorLimit(authorId, limits)], now);
  return use?.used ?? 0;
}

/** The texts of the latest published replies, newest first. */
export async function latestReplies(db: Kysely<Database>, account: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("publications")
    .select("text")
    .where("account", "=", account)
    .where("kind", "=", "reply")
    .orderBy("published_at", "desc")
    .limit(RATIO_WINDOW)
    .execute();
  return rows.map(({ text }) => text);
}

/** The texts of a tool's calls that wait for a person, without that of this call. */
async function waitingTexts(
  db: Kysely<Database>,
  account: string,
  { tool, claim, now }: { readonly tool: string; readonly claim: string; readonly now: number },
): Promise<readonly { readonly id: number; readonly text: string }[]> {
  const rows = await db
    .selectFrom("approvals")
    .select(["id", "args_json"])
    .where("account", "=", account)
    .where("tool", "=", tool)
    .where("status", "in", ["pending", "releasing"])
    .where("expires_at", ">", now)
    .where("claim", "!=", claim)
    .execute();
  return rows.map(({ id, args_json }) => ({
    id,
    text: textIn(objectIn(parseJson(args_json)), "text") ?? "",
  }));
}

/** Refuses a post that calls people in nearly the words of another post, which may still wait for a person. */
export async function checkMentions(
  { store, account }: Session,
  { text, claim }: { readonly text: string; readonly claim: string },
  now: number,
): Promise<Failed<Failure> | undefined> {
  const published = await store.db
    .selectFrom("publications")
    .select("text")
    .where("account", "=", account)
    .where("kind", "!=", "reply")
    .orderBy("published_at", "desc")
    .limit(RATIO_WINDOW)
    .execute();
  const same = (other: string) => isSimilar(withoutNames(text), withoutNames(other));
  if (published.some((other) => same(other.text)))
    return refusedBySafety("similar_mention", "A recent post says the same to other people.");
  const waiting = await waitingTexts(store.db, account, { tool: "x_post_tweet", claim, now });
  const item = waiting.find((other) => same(other.text));
  return (
    item &&
    refusedBySafety(
      "similar_mention",
      `Item ${item.id}, which waits for a person, says the same to other people.`,
    )
  );
}

function withoutNames(text: string): string {
  return text.replace(/@\w{1,15}/g, "@");
}

type SafetyRule = "similar_reply" | "similar_mention" | "product_mentions";

function refusedBySafety(rule: SafetyRule, why: string): Failed<Failure<"policy_denied_user_rule">> {
  return failed({
    code: "policy_denied_user_rule",
    policyDecision: "denied",
    message: `${why} Nothing was sent.`,
    suggestedFix: FIXES[rule],
    fixBy: "agent",
    details: { matched_rule_id: `safety:${rule}` },
  });
}

const FIXES: Readonly<Record<SafetyRule, string>> = {
  similar_reply: "Say something that fits this post alone.",
  similar_mention:
    "X forbids the same message to many people. Write one post without names, or ask the person.",
  product_mentions: "Leave the product out.",
};
