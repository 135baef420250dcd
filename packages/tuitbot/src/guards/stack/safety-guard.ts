import type { AnyOutcome, Call, Failure, Guard, Next } from "@toolpact/contract";
import { isByPerson } from "@toolpact/contract/guards";
import type { Access, XClient } from "@toolpact/x-api";
import type { Config } from "../../config/schema.ts";
import { FOUND_FIELDS, foundPosts } from "../../discovery/found-post.ts";
import { rememberPosts, rememberRefusal } from "../../discovery/remember.ts";
import type { ErrorCode } from "../../errors.ts";
import { judgeReply } from "../../injection/judge.ts";
import type { Session } from "../../storage/store.ts";
import { textIn, type XObject } from "../../x/shapes/x-object.ts";
import { refusedByX } from "../../x/toolkit/preflight.ts";
import type { XBill } from "../budget/bill.ts";
import {
  type Account,
  type Annotations,
  type CallContext,
  costOf,
  type PlannedMutation,
} from "../call/call-context.ts";
import { type Mutation, summoned } from "../call/mutation.ts";
import { type CallPlan, canReply, type ToolFacts } from "../call/tool-facts.ts";
import { hasAnswered } from "../receipts/receipt-queries.ts";
import { checkReply } from "../safety/check-reply.ts";

export interface SafetyDependencies {
  readonly settings: Pick<Config, "limits" | "business" | "scoring">;
  /** X with what is read put on a bill. */
  readonly clientFor: (bill: XBill | undefined) => XClient;
  readonly access: Access;
  readonly now: () => number;
  /** What a second model objects to, as a sentence; absent where none is configured. */
  readonly secondOpinion?: SecondOpinion | undefined;
}

/** Undefined where it has nothing against a reply. */
export type SecondOpinion = (
  session: Session,
  pair: { readonly post: string; readonly reply: string },
  signal: AbortSignal,
) => Promise<string | undefined>;

interface Required extends Pick<CallContext, "bill" | "replayed"> {
  readonly account: Account;
  readonly planned: PlannedMutation<Mutation> | undefined;
}

interface Added extends Pick<CallContext, "limits" | "suspicion"> {
  readonly planned?: PlannedMutation<Mutation>;
}

type SafetyCall = Call<ToolFacts, CallPlan, Annotations, Required>;

/**
 * Checks every reply to somebody else, whoever sends it and whether a person has approved it or not: only where X
 * allows it on this plan, not too often to the same author, not in the same words again, not about
 * the product all the time. What a stranger's post may have put into it is looked for in replies that no person wrote or
 * approved. Limits, phrases and X's own rules for every publication are in the policy behind it.
 */
export const safety: Guard<ToolFacts, CallPlan, Annotations, SafetyDependencies, Required, Added> = {
  name: "safety",
  codes: ({ facts }) => (canReply(facts) ? REPLY_REFUSALS : []),
  async run(call, next, dependencies) {
    const { planned, replayed } = call.context;
    const replyTo = planned?.mutation.replyTo;
    if (planned === undefined || replyTo === undefined || replayed !== undefined) return next();
    const outcome = await checkSafety(call, planned, replyTo, dependencies, next);
    if (outcome.ok === false && isAboutThePost(outcome.failure))
      await rememberRefusal(call.context.account, replyTo);
    return outcome;
  },
};

/** X refused a reply because of the post that it answers, not because of the account or its app. */
function isAboutThePost({ code, reason }: Failure): boolean {
  return code === "x_forbidden" && OF_THE_POST.has(reason);
}

const OF_THE_POST: ReadonlySet<string | undefined> = new Set([
  undefined,
  "reply_not_allowed",
  "reply_limited_by_author",
  "resource_not_authorized",
  "disallowed_resource",
  "unspecified",
]);

const REPLY_REFUSALS: readonly ErrorCode[] = [
  "policy_denied_user_rule",
  "policy_denied_rate_limited",
  "x_forbidden",
];

async function checkSafety(
  call: SafetyCall,
  planned: PlannedMutation<Mutation>,
  replyTo: string,
  dependencies: SafetyDependencies,
  next: Next<Added>,
): Promise<AnyOutcome> {
  const { settings, clientFor, access, now } = dependencies;
  const { account, bill } = call.context;
  const { mutation, record } = planned;
  // Continuing one's own post is no reply in the sense of the rules; a second reply is denied by the policy.
  if (await account.receipts.hasMade(`post:${replyTo}`)) return next();
  if (await hasAnswered(account.store.db, account.account, replyTo)) return next();
  const lookup = { client: clientFor(bill), access, config: settings, now: now(), signal: call.signal };
  const answered = await answeredPost(account, replyTo, lookup);
  const { author, isSummoned } = answered;
  // One's own post is gone on with in the same way, wherever it was posted.
  if (author === account.account)
    return next({ context: { planned: { ...planned, mutation: { ...mutation, replyTo: undefined } } } });
  // Before a person is asked for what X would refuse.
  const refused = isSummoned === undefined ? undefined : refusedByX("reply", access, { isSummoned });
  if (refused !== undefined) return refused;
  const [text] = mutation.policy.texts;
  // What a person has approved is not held back by what still waits.
  const claim = planned.release === undefined ? planned.identity.claim : undefined;
  const checked = await checkReply(account, { author, text, claim }, settings, now());
  if (!checked.ok) {
    record.decision = "deny";
    record.ruleId = String(checked.failure.details?.matched_rule_id ?? checked.failure.details?.limit);
    return checked;
  }
  // The places themselves are taken with the receipt, so that of two calls at once one gets the last.
  const limits = checked.value;
  const hasPerson = isByPerson(call.caller) || planned.release !== undefined;
  const suspicion =
    hasPerson || text === undefined
      ? undefined
      : await suspicionOf(account, answered, text, dependencies, call.signal);
  if (!isSummoned) return next({ context: { limits, suspicion } });
  const cheaper = summoned(mutation);
  record.estimated = costOf(cheaper.requests);
  return next({ context: { limits, suspicion, planned: { ...planned, mutation: cheaper } } });
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

/** What the safety rules need to know about a post before it is answered. */
export interface AnsweredPost {
  readonly author: string | undefined;
  /** The author's name, where it is known. */
  readonly username?: string | undefined;
  /** Undefined where it could not be read. */
  readonly text: string | undefined;
  /** Its author mentioned or quoted this account; undefined where that is not known. */
  readonly isSummoned: boolean | undefined;
}

/** From the database; X is asked where that is not enough, and its answer is stored. */
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
    // Searches do not ask for the posts that others quote, which would cost more.
    query: { ...FOUND_FIELDS, expansions: ["author_id", "referenced_tweets.id"] },
    signal,
  });
  if (!answer.ok) return { author: known?.author_id, text: known?.text, isSummoned: undefined };
  // A post that is gone says nothing.
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
