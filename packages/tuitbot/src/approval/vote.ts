import { type Failed, type Failure, type Outcome, ok } from "@toolpact/contract";
import { personIn, type Vote, votesIn, withVote } from "@toolpact/contract/internal/guards";
import { errors } from "../errors.ts";
import { transact } from "../storage/transaction.ts";
import { itemFrom, type QueuedMutation } from "./item.ts";
import { alreadyDecided, findItem } from "./queue.ts";
import type { ReleaseContext } from "./release.ts";

/**
 * Returns everyone who approved and still may. Each counts once. The row is locked, so concurrent votes see
 * each other.
 */
export async function addVote(
  { store, account, key, mayStillDecide }: VoteContext,
  { id }: Pick<QueuedMutation, "id">,
  { digest, by }: { readonly digest: string; readonly by: string },
): Promise<Outcome<Voted, Failure>> {
  const person = personIn(by);
  if (person === undefined) return notNamed(id);
  return transact(store, async (db): Promise<Outcome<Voted, Failure>> => {
    const row = await db
      .updateTable("approvals")
      .set(({ ref }) => ({ votes_json: ref("votes_json") }))
      .where("account", "=", account)
      .where("id", "=", id)
      .where("status", "in", ["pending", "failed"])
      .where("digest", "=", digest)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) {
      const current = await findItem(db, account, id);
      return current.ok ? alreadyDecided(current.value) : current;
    }
    const item = { id, scope: account, digest };
    const earlier: Vote[] = [];
    for (const vote of votesIn(row.votes_json)) if (await mayStillDecide(db, vote.by)) earlier.push(vote);
    const votes = withVote(key, item, earlier, { person, by });
    const changed = await db
      .updateTable("approvals")
      .set({ votes_json: JSON.stringify(votes) })
      .where("account", "=", account)
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return ok({ item: itemFrom(changed), votes });
  });
}

type VoteContext = Pick<ReleaseContext, "store" | "account" | "key" | "mayStillDecide">;

interface Voted {
  readonly item: QueuedMutation;
  readonly votes: readonly Vote[];
}

export function waitsForOthers({ status, peopleNeeded }: QueuedMutation): boolean {
  return status === "pending" && peopleNeeded > 1;
}

function notNamed(id: number): Failed<Failure<"policy_denied_hard_rule">> {
  return errors.fail(
    "policy_denied_hard_rule",
    `Item ${id} needs several people, and this answer does not say whose it is. It was not counted, and nothing was sent.`,
    {
      reason: "needs_person",
      policyDecision: "denied",
      suggestedFix:
        "Tell the people to approve it on the page, with `tuitbot approve`, or in the messenger in which they were asked.",
      fixBy: "human",
    },
  );
}
