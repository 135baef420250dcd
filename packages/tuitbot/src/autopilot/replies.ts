import { repliesUsed } from "../analytics/daily-replies.ts";
import { isUndecided } from "../approval/queue.ts";
import type { Candidate } from "../writing/candidate.ts";
import { type ProposalResult, proposeReply } from "../writing/propose-reply.ts";
import { jsonOf, objectIn, textIn } from "../x/shapes/x-object.ts";
import type { Pass } from "./pass.ts";

export interface Replied {
  readonly counts: ReplyCounts;
  /** Why replies were not sent. */
  readonly codes: readonly string[];
}

interface ReplyCounts extends Record<string, number> {
  sent: number;
  queued: number;
  refused: number;
  /** Left for a later pass. */
  later: number;
}

/**
 * Has replies written and put on their way, one after the other. A post is dealt with once: what was refused for good
 * is not tried again, what failed for now is left for a later pass. No more is written than the day's limit leaves,
 * with what waits for a person counted in, and nothing to somebody whom a waiting reply is for.
 */
export async function replyToAll(
  pass: Pass,
  candidates: readonly Candidate[],
  by: string,
  most: number,
): Promise<Replied> {
  const counts: ReplyCounts = { sent: 0, queued: 0, refused: 0, later: 0 };
  const codes: string[] = [];
  const { store, account, config, workflow, x, now, random } = pass;
  const proposing = { store, account, config, workflow, access: x.access, now, random, by };
  const waiting = await waitingReplies(pass);
  const waitedFor = new Set(waiting.authors);
  const used = await repliesUsed(store.db, account, workflow.policy, now());
  const room = Math.min(most, config.limits.max_replies_per_day - used - waiting.count);
  for (const { id, author_id } of candidates) {
    if (pass.signal.aborted || counts.sent + counts.queued >= room) break;
    if (waitedFor.has(author_id)) continue;
    const mentionProduct = random() < config.limits.product_mention_ratio;
    const proposed = await proposeReply(proposing, { candidateId: id, mentionProduct }, pass.signal);
    if (proposed.status === "blocked") codes.push(proposed.failure.code);
    const outcome = outcomeOf(proposed);
    counts[outcome.kind] += 1;
    if (outcome.handled !== undefined) await note(pass, id, outcome.handled);
    if (outcome.kind === "queued") waitedFor.add(author_id);
    if (outcome.kind === "sent") await pass.rest();
    if (outcome.isInTheWay) break;
  }
  return { counts, codes };
}

interface Outcome {
  readonly kind: "sent" | "queued" | "refused" | "later";
  /** What is noted of the post; nothing where it may come up again. */
  readonly handled?: string;
  /** It stands in the way of every other reply too. */
  readonly isInTheWay?: boolean;
}

function outcomeOf(proposed: ProposalResult): Outcome {
  if (proposed.status === "executed") return { kind: "sent", handled: "replied" };
  if (proposed.status === "queued") return { kind: "queued", handled: "queued" };
  const { code, reason = "", details } = proposed.failure;
  if (OPEN.has(reason) || String(details?.limit).startsWith("replies_to:")) return { kind: "later" };
  // The model had its two tries at this post.
  const isHopeless = reason === "unusable";
  if ((proposed.isRetryable && !isHopeless) || LATER.has(code)) return { kind: "later", isInTheWay: true };
  return { kind: "refused", handled: `refused:${code}` };
}

/** An earlier reply to the same post, of which it is not known yet whether it went out. */
const OPEN: ReadonlySet<string> = new Set(["outcome_unknown", "duplicate_request"]);

/** Codes of what may succeed later though the caller must not repeat it. */
const LATER: ReadonlySet<string> = new Set([
  "policy_denied_rate_limited",
  "llm_not_configured",
  "x_auth_expired",
  "x_account_restricted",
]);

/** Replies that wait for a person, and whom each is for as far as that is known. */
export async function waitingReplies({
  store,
  account,
  now,
}: Pass): Promise<{ readonly count: number; readonly authors: readonly string[] }> {
  const items = await store.db
    .selectFrom("approvals")
    .select("args_json")
    .where("account", "=", account)
    .where("tool", "=", "x_reply_to_tweet")
    .where(isUndecided(now()))
    .execute();
  const ids = items.map(({ args_json }) => textIn(objectIn(jsonOf(args_json)), "in_reply_to_id") ?? "");
  const posts =
    ids.length === 0
      ? []
      : await store.db
          .selectFrom("discovered_posts")
          .select("author_id")
          .where("account", "=", account)
          .where("id", "in", ids)
          .execute();
  return { count: items.length, authors: posts.map(({ author_id }) => author_id) };
}

async function note({ store, account }: Pass, id: string, handled: string): Promise<void> {
  await store.db
    .updateTable("discovered_posts")
    .set({ handled })
    .where("account", "=", account)
    .where("id", "=", id)
    .execute();
}
