import { type AnyOutcome, type Failure, type Outcome, ok } from "@toolpact/contract";
import { isByPerson } from "@toolpact/contract/internal/guards";
import type { Access, XClient } from "@toolpact/x-api";
import type { Config } from "../../config/schema.ts";
import { FOUND_FIELDS, foundPosts } from "../../discovery/found-post.ts";
import { rememberPosts, rememberRefusal } from "../../discovery/remember.ts";
import type { ErrorCode } from "../../errors.ts";
import { judgeReply, judgeText } from "../../injection/judge.ts";
import type { Session } from "../../storage/store.ts";
import { textIn, type XObject } from "../../x/shapes/x-object.ts";
import { refusedByX } from "../../x/toolkit/preflight.ts";
import type { XBill } from "../budget/bill.ts";
import { costOf, type PlannedMutation } from "../call/call-context.ts";
import { type Mutation, type MutationCall, type MutationContext, summoned } from "../call/mutation.ts";
import { canReply, type TuitbotTool } from "../call/tool-facts.ts";
import type { LimitNeed } from "../policy/limits.ts";
import { hasAnswered } from "../receipts/receipt-queries.ts";
import { checkMentions, checkReply } from "../safety/check-reply.ts";

export interface SafetyDependencies {
  readonly settings: Pick<Config, "limits" | "business" | "scoring">;
  readonly clientFor: (bill: XBill | undefined) => XClient;
  readonly access: Access;
  readonly now: () => number;
  /** Shown to agents recently. */
  readonly read: () => readonly string[];
  /** A sentence; absent without a second model. */
  readonly secondOpinion?: SecondOpinion | undefined;
}

/** Undefined without an objection. */
export type SecondOpinion = (
  session: Session,
  pair: { readonly post: string; readonly reply: string },
  signal: AbortSignal,
) => Promise<string | undefined>;

/** A mutation that passed the safety checks. */
export interface SafeMutation {
  /** At the price of a reply to somebody who mentioned the account, if it is one. */
  readonly planned: PlannedMutation<Mutation>;
  /** The places it needs under the limits on replies. */
  readonly limits: readonly LimitNeed[];
  /** A sentence, if the text may follow a stranger's instructions. */
  readonly suspicion: string | undefined;
  /** Somebody else's. */
  readonly answered?: Pick<AnsweredPost, "text" | "isSummoned">;
}

export function safetyCodes({ facts }: Pick<TuitbotTool, "facts">): readonly ErrorCode[] {
  return canReply(facts) ? REPLY_REFUSALS : [];
}

export async function rememberRefusedReply(
  { account }: MutationContext,
  { mutation: { replyTo } }: PlannedMutation<Mutation>,
  outcome: AnyOutcome,
): Promise<void> {
  if (replyTo !== undefined && outcome.ok === false && isAboutThePost(outcome.failure))
    await rememberRefusal(account, replyTo);
}

/** Not because of the account or app. */
function isAboutThePost({ code, reason }: Failure): boolean {
  return code === "x_forbidden" && OF_THE_POST.has(reason);
}

const OF_THE_POST: ReadonlySet<string | undefined> = new Set([
  undefined,
  "reply_not_allowed",
  "reply_limited_by_author",
  "reply_target_missing",
  "resource_not_authorized",
  "disallowed_resource",
  "unspecified",
]);

const REPLY_REFUSALS: readonly ErrorCode[] = [
  "policy_denied_user_rule",
  "policy_denied_rate_limited",
  "x_forbidden",
];

/**
 * For every reply to others: X's plan, limits per author, repetition and product mentions.
 *
 * Replies nobody approved are checked for instructions from the post, and agents' other texts against
 * everything they read.
 */
export async function checkSafety(
  call: MutationCall,
  planned: PlannedMutation<Mutation>,
  bill: XBill | undefined,
  dependencies: SafetyDependencies,
): Promise<Outcome<SafeMutation, Failure>> {
  const { settings, clientFor, access, now } = dependencies;
  const { account } = call.context;
  const { mutation, record } = planned;
  const { replyTo } = mutation;
  const safe: SafeMutation = { planned, limits: [], suspicion: undefined };
  if (replyTo === undefined) {
    const [text] = mutation.policy.texts;
    const isByAgent = !isByPerson(call.caller) && planned.release === undefined;
    const isChecked = mutation.mentioned.length > 0 && isByAgent && !planned.identity.hasOwnKey;
    const refused =
      isChecked && text !== undefined
        ? await checkMentions(account, { text, claim: planned.identity.claim }, now())
        : undefined;
    if (refused === undefined)
      return ok({ ...safe, suspicion: isByAgent ? await takenFrom(call, planned, dependencies) : undefined });
    record.decision = "deny";
    record.ruleId = String(refused.failure.details?.matched_rule_id);
    return refused;
  }
  // Continuing one's own post is no reply; the policy denies a second reply.
  if (await account.receipts.hasMade(`post:${replyTo}`)) return ok(safe);
  if (await hasAnswered(account.store.db, account.account, replyTo)) return ok(safe);
  const lookup = { client: clientFor(bill), access, config: settings, now: now(), signal: call.signal };
  const answered = await answeredPost(account, replyTo, lookup);
  const { author, isSummoned } = answered;
  // Wherever it was posted.
  if (author === account.account)
    return ok({ ...safe, planned: { ...planned, mutation: { ...mutation, replyTo: undefined } } });
  // A person is not asked about what X would reject.
  const refused = isSummoned === undefined ? undefined : refusedByX("reply", access, { isSummoned });
  if (refused !== undefined) return refused;
  const [text] = mutation.policy.texts;
  // An approved reply is not held back by waiting ones.
  const claim = planned.release === undefined ? planned.identity.claim : undefined;
  const checked = await checkReply(account, { author, text, claim }, settings, now());
  if (!checked.ok) {
    record.decision = "deny";
    record.ruleId = String(checked.failure.details?.matched_rule_id ?? checked.failure.details?.limit);
    return checked;
  }
  // Places are taken with the receipt.
  const limits = checked.value;
  const hasPerson = isByPerson(call.caller) || planned.release !== undefined;
  const suspicion =
    hasPerson || text === undefined
      ? undefined
      : await suspicionOf(account, answered, text, dependencies, call.signal);
  if (!isSummoned) return ok({ planned, limits, suspicion, answered });
  const cheaper = summoned(mutation);
  record.estimated = costOf(cheaper.requests);
  return ok({ planned: { ...planned, mutation: cheaper }, limits, suspicion, answered });
}

/** The client name when an agent publishes a draft. Other own keys are for scheduled posts. */
const PUBLISHES_DRAFT = "draft";

/** A scheduled post was checked at scheduling. */
async function takenFrom(
  { caller, input, context: { account } }: MutationCall,
  { identity, mutation: { policy } }: PlannedMutation<Mutation>,
  { settings, read }: SafetyDependencies,
): Promise<string | undefined> {
  if (identity.hasOwnKey && caller.client !== PUBLISHES_DRAFT) return undefined;
  const message = policy.categories.includes("direct_message") ? textIn(input, "text") : undefined;
  return suspicionOfTexts(
    account,
    settings.business,
    [...policy.texts, ...(message ? [message] : [])],
    read(),
  );
}

/** As a sentence. */
export async function suspicionOfTexts(
  session: Session,
  business: Config["business"],
  texts: readonly string[],
  read: readonly string[],
): Promise<string | undefined> {
  for (const text of texts) {
    const found = await judgeText(session, business, text, read);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function suspicionOf(
  session: Session,
  { text: post, username }: AnsweredPost,
  reply: string,
  { settings, secondOpinion }: SafetyDependencies,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (post === undefined) return "The post being answered could not be read.";
  const sign = await judgeReply(session, settings.business, { text: post, author: username }, reply);
  return sign === undefined ? secondOpinion?.(session, { post, reply }, signal) : `The reply ${sign.words}.`;
}

export interface PostLookup {
  readonly client: XClient;
  readonly access: Access;
  readonly config: Pick<Config, "business" | "scoring">;
  readonly now: number;
  readonly signal: AbortSignal;
}

export interface AnsweredPost {
  readonly author: string | undefined;
  /** If known. */
  readonly username?: string | undefined;
  /** If known. */
  readonly text: string | undefined;
  /** If known. */
  readonly isSummoned: boolean | undefined;
}

/** From the database, or from X, whose answer is stored. */
async function answeredPost(
  session: Session,
  postId: string,
  { client, access, config, now, signal }: PostLookup,
): Promise<AnsweredPost> {
  const { store, account } = session;
  const known = await store.db
    .selectFrom("discovered_posts")
    .select(["author_id", "author_username as username", "text", "is_summons"])
    .where("account", "=", account)
    .where("id", "=", postId)
    .executeTakeFirst();
  const isEnough = known?.is_summons === 1 || access.plan === "enterprise";
  if (known !== undefined && isEnough)
    return { ...known, author: known.author_id, isSummoned: known.is_summons === 1 };
  const answer = await client.call<XObject | null>("getPostsById", {
    path: { id: postId },
    // Searches leave out quoted posts, which cost more.
    query: { ...FOUND_FIELDS, expansions: ["author_id", "referenced_tweets.id"] },
    signal,
  });
  if (!answer.ok) return { author: known?.author_id, text: known?.text, isSummoned: undefined };
  // A deleted post has nothing to check.
  if (answer.value.data === null)
    return { author: known?.author_id, text: known?.text ?? "", isSummoned: undefined };
  const { data } = answer.value;
  const [post] = foundPosts({ ...answer.value, data: [data] }, account);
  if (post === undefined)
    return { author: textIn(data, "author_id"), text: textIn(data, "text"), isSummoned: undefined };
  await rememberPosts(session, [post], { config, source: "search", now });
  return {
    author: post.authorId,
    username: post.authorUsername,
    text: post.text,
    isSummoned: post.isSummons,
  };
}
