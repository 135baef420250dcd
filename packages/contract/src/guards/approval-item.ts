import { createHmac, timingSafeEqual } from "node:crypto";
import { canonicalJson, type Json, type JsonObject, parseJson } from "../json.ts";

/** `waiting` for a person, who approves or rejects it once; or nobody decided in time. */
export type ItemStatus = "waiting" | "approved" | "rejected" | "expired";

/** A call that waits for a person, with its exact arguments. */
export interface ApprovalItem extends ItemPeople {
  readonly id: number;
  readonly scope: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** Keyed, over all that the person decides about. A decision names it. */
  readonly digest: string;
  readonly status: ItemStatus;
  /** Why it needs a person. */
  readonly reason: string;
  /** The state that the call depends on, as the approver sees it. */
  readonly context: JsonObject | undefined;
  /** The name of the client that called, which is its own claim. */
  readonly client: string | undefined;
  readonly principal: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decidedAt: number | undefined;
  readonly decidedBy: string | undefined;
  readonly note: string | undefined;
  /** Keyed: the status alone releases nothing. */
  readonly decisionDigest: string | undefined;
  /** The receipt of the call, once it was released. */
  readonly receiptId: string | undefined;
}

/** The identity of an item, and the call it stands for. */
export interface ItemContent {
  /** Its own, so that a copy of it under another id is not approved with it. */
  readonly id: number;
  readonly scope: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** How many people have to approve it, where one is not enough. */
  readonly peopleNeeded?: number | undefined;
}

/** An item with the digest of what a person decides about. */
export type SignedItem = Pick<ApprovalItem, "id" | "scope" | "digest">;

/**
 * A keyed digest of what a person approves: this call, under this id, and whatever else `covers` has, such as when it
 * goes out and the state that was shown.
 */
export function itemDigest(
  key: Uint8Array,
  { id, scope, tool, args, peopleNeeded = 1 }: ItemContent,
  covers: readonly Json[],
): string {
  const people = peopleNeeded > 1 ? [{ people_needed: peopleNeeded }] : [];
  return keyedDigest(key, ["item", id, scope, tool, args, ...covers, ...people]);
}

/** A keyed digest of the decision about one item with one content: a stored status alone is not enough. */
export function decisionDigest(key: Uint8Array, { id, scope, digest }: SignedItem, by: string): string {
  return keyedDigest(key, ["approved", scope, id, digest, by]);
}

/** A keyed digest of one person's yes to one item with one content. */
function voteDigest(key: Uint8Array, { id, scope, digest }: SignedItem, person: string): string {
  return keyedDigest(key, ["vote", scope, id, digest, person]);
}

/** A decision as it is stored. */
export interface StoredDecision {
  readonly by: string | null | undefined;
  readonly decision: string | null | undefined;
}

/** Whether a decision about an item with this content was made by whoever has the key. */
export function isSigned(key: Uint8Array, item: SignedItem, { by, decision }: StoredDecision): boolean {
  return (
    typeof by === "string" &&
    typeof decision === "string" &&
    sameDigest(decision, decisionDigest(key, item, by))
  );
}

/** Covers everything that an approver sees of an item in the guards' own storage (`formatItem`). */
export function storedItemDigest(
  key: Uint8Array,
  item: Omit<ApprovalItem, "digest" | "status" | "decidedAt" | "decidedBy" | "decisionDigest" | "receiptId">,
) {
  const { reason, context, client, principal, createdAt, expiresAt } = item;
  const shown = { reason, context, client, principal, createdAt, expiresAt };
  // As it is stored: members without a value are absent.
  return itemDigest(key, item, [JSON.parse(JSON.stringify(shown)) as Json]);
}

/** Whether a person has approved exactly this, whatever else the stored row may say. */
export function isReleased(key: Uint8Array, item: ApprovalItem): boolean {
  const { status, decidedBy: by, digest, decisionDigest: decision } = item;
  return (
    status === "approved" &&
    sameDigest(digest, storedItemDigest(key, item)) &&
    isSigned(key, item, { by, decision })
  );
}

/** A digest that only those who have the key can make: access to what is stored is not enough. */
export function keyedDigest(key: Uint8Array, value: unknown): string {
  return createHmac("sha256", key).update(canonicalJson(value)).digest("hex");
}

/** Takes equally long for every guess. */
export function sameDigest(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

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

/**
 * Who decided, through what, as stored items name them: `person via terminal, user "ana"`. A surface is where a person can
 * decide, and has its own proof of who they are.
 */
export function personVia<Surface extends string>(surface: Surface, who: string): string {
  return `person via ${surface}, ${who}`;
}

/**
 * The name of the person in such words, the same at every surface, so that somebody who approves twice counts once;
 * undefined where they name nobody, as an answer through an MCP client does.
 */
export function personIn(by: string): string | undefined {
  const [, quoted, uid] =
    /^person via (?!(?:stdio|http),)[a-z]+, (?:(?:user )?("(?:[^"\\]|\\.)*")|(uid \d+))/.exec(by) ?? [];
  return nameIn(quoted ?? uid)
    ?.normalize("NFKC")
    .trim()
    .toLowerCase();
}

function nameIn(said: string | undefined): string | undefined {
  if (said?.startsWith('"') !== true) return said;
  const name = parseJson(said);
  return typeof name === "string" ? name : undefined;
}
