import { DAY_MS, parseJson } from "@toolpact/contract/internal";
import { repliesUsed } from "../analytics/recent-replies.ts";
import { isUndecided } from "../approval/queue.ts";
import { mayReply } from "../discovery/feed.ts";
import { STOPPED } from "../guards/stop/stop.ts";
import type { DiscoverySource } from "../storage/tables/publication-tables.ts";
import type { Candidate } from "../writing/candidate.ts";
import { type ProposalResult, proposeReply } from "../writing/propose-reply.ts";
import { objectIn, textIn } from "../x/shapes/x-object.ts";
import type { Pass } from "./pass.ts";

export interface Replied {
  readonly counts: ReplyCounts;
  readonly codes: readonly string[];
}

interface ReplyCounts extends Record<string, number> {
  sent: number;
  queued: number;
  refused: number;
  later: number;
}

/**
 * In order, each post once. Only temporary failures are left for later. Waiting replies count towards the
 * daily limit, and each author waits for one.
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
  /** Undefined if it may be tried again. */
  readonly handled?: string;
  /** Every other reply would fail too. */
  readonly isInTheWay?: boolean;
}

function outcomeOf(proposed: ProposalResult): Outcome {
  if (proposed.status === "executed") return { kind: "sent", handled: "replied" };
  if (proposed.status === "queued") return { kind: "queued", handled: "queued" };
  const { code, reason = "", details } = proposed.failure;
  if (OPEN.has(reason) || String(details?.limit).startsWith("replies_to:")) return { kind: "later" };
  // The model has tried twice.
  const isHopeless = reason === "unusable";
  if ((proposed.isRetryable && !isHopeless) || LATER.has(code) || reason === STOPPED)
    return { kind: "later", isInTheWay: true };
  return { kind: "refused", handled: `refused:${code}` };
}

/** An earlier reply has an unknown outcome. */
const OPEN: ReadonlySet<string> = new Set(["outcome_unknown", "duplicate_request"]);

/** Final for a caller, but may succeed in a later pass. */
const LATER: ReadonlySet<string> = new Set([
  "policy_denied_rate_limited",
  "llm_not_configured",
  "x_auth_expired",
  "x_account_restricted",
]);

/** With their authors, as far as known. */
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
  const ids = items.map(({ args_json }) => textIn(objectIn(parseJson(args_json)), "in_reply_to_id") ?? "");
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

/** Recent, unhandled, above the threshold, and allowed by X. */
export async function openCandidates(
  { store, account, x, now }: Pass,
  source: DiscoverySource,
  minScore: number,
): Promise<readonly Candidate[]> {
  const rows = await store.db
    .selectFrom("discovered_posts")
    .selectAll()
    .where("account", "=", account)
    .where("answered", "=", 0)
    .where("score", ">=", minScore)
    .where("source", "=", source)
    .where("handled", "is", null)
    .where("posted_at", ">=", now() - STALE_MS)
    .orderBy("score", "desc")
    .limit(MAX_CANDIDATES)
    .execute();
  return rows.filter((row) => mayReply(row, x.access));
}

const STALE_MS = DAY_MS;
const MAX_CANDIDATES = 50;

export function whyRepliesAreOff({ config }: Pass): string | undefined {
  return config.mode === "composer" ? "composer mode" : undefined;
}
