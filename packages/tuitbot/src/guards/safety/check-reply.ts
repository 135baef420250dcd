import { type Failed, type Failure, failed, type Outcome, ok } from "@toolpact/contract";
import { DAY_MS, parseJson } from "@toolpact/contract/internal";
import type { Kysely } from "kysely";
import type { Config } from "../../config/schema.ts";
import type { Database } from "../../storage/database.ts";
import type { Session } from "../../storage/store.ts";
import { objectIn, textIn } from "../../x/shapes/x-object.ts";
import { limitReached, limitUse, type PolicyLimit } from "../policy/limits.ts";

export interface ReplyToCheck {
  /** If known. */
  readonly author: string | undefined;
  /** Undefined before it is written. */
  readonly text: string | undefined;
  /** Its own waiting item does not count. */
  readonly claim?: string | undefined;
}

/** Or why it may not be sent. */
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

/** Per day, counted from the first. */
function authorLimit(authorId: string, limits: Config["limits"]): PolicyLimit {
  return {
    key: `replies_to:${authorId}`,
    max: limits.max_replies_per_author_per_day,
    periodMs: DAY_MS,
    setting: "limits.max_replies_per_author_per_day",
  };
}

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

/** Newest first. */
export async function latestReplies(db: Kysely<Database>, account: string): Promise<readonly string[]> {
  return latestTexts(db, account, true);
}

/** Newest first; replies or others. */
async function latestTexts(
  db: Kysely<Database>,
  account: string,
  areReplies: boolean,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("publications")
    .select("text")
    .where("account", "=", account)
    .where("kind", areReplies ? "=" : "!=", "reply")
    .orderBy("published_at", "desc")
    .limit(RATIO_WINDOW)
    .execute();
  return rows.map(({ text }) => text);
}

/** Without this call's. */
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

/** Nearly the same words as another post, which may still wait. */
export async function checkMentions(
  { store, account }: Session,
  { text, claim }: { readonly text: string; readonly claim: string },
  now: number,
): Promise<Failed<Failure> | undefined> {
  const published = await latestTexts(store.db, account, false);
  const same = (other: string) => isSimilar(withoutNames(text), withoutNames(other));
  if (published.some(same))
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

/** The same, or nearly the same words. */
export function isSimilar(text: string, other: string): boolean {
  if (normal(text) === normal(other)) return true;
  const words = wordsOf(text);
  if (words.size < FEWEST_WORDS) return false;
  const others = wordsOf(other);
  const shared = [...words].filter((word) => others.has(word)).length;
  return shared / (words.size + others.size - shared) >= TOO_SIMILAR;
}

/** The shared part of both texts' words. */
const TOO_SIMILAR = 0.8;
/** Short texts, such as thanks, are often alike. */
const FEWEST_WORDS = 5;

function normal(text: string): string {
  return text.trim().toLowerCase();
}

function wordsOf(text: string): Set<string> {
  const words = normal(text)
    .split(/\s+/)
    .map((word) => word.replace(/^\p{P}+|\p{P}+$/gu, ""));
  return new Set(words.filter((word) => word !== ""));
}

export function mentionsProduct(text: string, { product_name, product_url }: Config["business"]): boolean {
  const said = text.toLowerCase();
  return [product_name, withoutScheme(product_url ?? "")]
    .map((name) => name.trim().toLowerCase())
    .some((name) => name !== "" && said.includes(name));
}

/** Latest replies. */
const RATIO_WINDOW = 20;

/** At least one, unless the ratio is 0. */
export function mostMentions(ratio: number): number {
  return ratio === 0 ? 0 : Math.max(1, Math.floor(ratio * RATIO_WINDOW));
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//i, "").replace(/\/+$/, "");
}
