import type { Candidate } from "../composites/candidate.ts";
import { proposeReply } from "../composites/propose-reply.ts";
import type { Pass } from "./pass.ts";

export interface Replied extends Record<string, number> {
  sent: number;
  queued: number;
  refused: number;
  /** Left for a later pass. */
  later: number;
}

/**
 * Has replies written and put on their way, one after the other. A post is dealt with once: what was refused for good
 * is not tried again, what failed for now is left for a later pass.
 */
export async function replyToAll(
  pass: Pass,
  candidates: readonly Candidate[],
  by: string,
  most: number,
): Promise<Replied> {
  const total: Replied = { sent: 0, queued: 0, refused: 0, later: 0 };
  const { store, account, config, workflow, x, now, random } = pass;
  const proposing = { store, account, config, workflow, access: x.access, now, random, by };
  for (const { id } of candidates) {
    if (pass.signal.aborted || total.sent + total.queued >= most) break;
    const mentionProduct = random() < config.limits.product_mention_ratio;
    const proposed = await proposeReply(proposing, { candidateId: id, mentionProduct }, pass.signal);
    switch (proposed.status) {
      case "executed":
        total.sent += 1;
        await note(pass, id, "replied");
        await pass.rest();
        break;
      case "queued":
        total.queued += 1;
        await note(pass, id, "queued");
        break;
      case "blocked": {
        const { code, reason, details } = proposed.failure;
        const isOpen = reason === "outcome_unknown" || reason === "duplicate_request";
        if (!proposed.isRetryable && !LATER.has(code) && !isOpen) {
          total.refused += 1;
          await note(pass, id, `refused:${code}`);
          break;
        }
        total.later += 1;
        // One author's limit, or one open answer, says nothing of the next; everything else stands in the way of all.
        if (!isOpen && !String(details?.limit).startsWith("replies_to:")) return total;
      }
    }
  }
  return total;
}

/** Codes of what may succeed later though the caller must not repeat it. */
const LATER: ReadonlySet<string> = new Set([
  "policy_denied_rate_limited",
  "llm_not_configured",
  "x_auth_expired",
  "x_account_restricted",
]);

async function note({ store, account }: Pass, id: string, handled: string): Promise<void> {
  await store.db
    .updateTable("discovered_posts")
    .set({ handled })
    .where("account", "=", account)
    .where("id", "=", id)
    .execute();
}
