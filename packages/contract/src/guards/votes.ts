import { type SignedItem, voteDigest } from "./approval-item.ts";
import { sameDigest } from "./keyed-digest.ts";

/** One person's yes, where an item needs several people. */
export interface Vote {
  readonly person: string;
  /** Through what, as `decidedBy` says it. */
  readonly by: string;
  /** Keyed: access to what is stored is not enough to make one. */
  readonly digest: string;
}

export function votesIn(json: string | null): readonly Vote[] {
  // Written from votes by the storage of the item.
  return json === null ? [] : (JSON.parse(json) as Vote[]);
}

/**
 * The votes that count, with that of this person, who counts once. Whoever stores them locks the item meanwhile, so that
 * of two people who approve at the same instant the second sees the first.
 */
export function withVote(
  key: Uint8Array,
  item: SignedItem,
  votes: readonly Vote[],
  { person, by }: Pick<Vote, "person" | "by">,
): readonly Vote[] {
  const others = votes.filter(
    (vote) => vote.person !== person && sameDigest(vote.digest, voteDigest(key, item, vote.person)),
  );
  return [...others, { person, by, digest: voteDigest(key, item, person) }];
}

/** Who has decided, once enough people have approved; undefined before. */
export function decidersIn(votes: readonly Vote[], peopleNeeded: number): string | undefined {
  return votes.length < peopleNeeded ? undefined : votes.map(({ by }) => by).join("; ");
}

/** How many people an item needs, and who has approved it. */
export interface ItemPeople {
  /** How many different people have to approve it. */
  readonly peopleNeeded: number;
  /** The names of those who have approved what it says now, where it needs several. */
  readonly approvedBy: readonly string[];
}

/** How far an item that needs several people is, in a sentence; undefined where it needs one. */
export function peopleLine({ peopleNeeded, approvedBy }: ItemPeople): string | undefined {
  if (peopleNeeded === 1) return undefined;
  const who =
    approvedBy.length === 0 ? "" : ` (${approvedBy.map((name) => JSON.stringify(name)).join(", ")})`;
  const left = peopleNeeded - approvedBy.length;
  const waits = left <= 0 ? "" : `: waiting for ${left === 1 ? "another person" : `${left} others`}`;
  return `${approvedBy.length} of ${peopleNeeded} people have approved it${who}${waits}.`;
}
