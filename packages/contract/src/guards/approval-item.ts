import { createHmac, timingSafeEqual } from "node:crypto";
import { canonicalJson, type Json, type JsonObject, parseJson } from "../json.ts";

/** `waiting` for an approver, decided once, or expired. */
export type ItemStatus = "waiting" | "approved" | "rejected" | "expired";

/** A call that waits for approval, with its exact arguments. */
export interface ApprovalItem extends ItemPeople {
  readonly id: number;
  readonly scope: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** Keyed digest of the approved content, which decisions refer to. */
  readonly digest: string;
  readonly status: ItemStatus;
  readonly reason: string;
  /** The state the call depends on, as shown to the approver. */
  readonly context: JsonObject | undefined;
  /** As claimed by the client. */
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

export interface ItemContent {
  /** Unique to the item: a copy under another id is not approved with it. */
  readonly id: number;
  readonly scope: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly peopleNeeded?: number | undefined;
}

export type SignedItem = Pick<ApprovalItem, "id" | "scope" | "digest">;

/** A keyed digest of this call under this id, with everything in `covers`, such as the time and the shown state. */
export function itemDigest(
  key: Uint8Array,
  { id, scope, tool, args, peopleNeeded = 1 }: ItemContent,
  covers: readonly Json[],
): string {
  const people = peopleNeeded > 1 ? [{ people_needed: peopleNeeded }] : [];
  return keyedDigest(key, ["item", id, scope, tool, args, ...covers, ...people]);
}

/** Keyed, because a stored status alone is not enough. */
export function decisionDigest(key: Uint8Array, { id, scope, digest }: SignedItem, by: string): string {
  return keyedDigest(key, ["approved", scope, id, digest, by]);
}

function voteDigest(key: Uint8Array, { id, scope, digest }: SignedItem, person: string): string {
  return keyedDigest(key, ["vote", scope, id, digest, person]);
}

export interface StoredDecision {
  readonly by: string | null | undefined;
  readonly decision: string | null | undefined;
}

/** True if a decision about an item with this content was signed with the key. */
export function isSigned(key: Uint8Array, item: SignedItem, { by, decision }: StoredDecision): boolean {
  return (
    typeof by === "string" &&
    typeof decision === "string" &&
    sameDigest(decision, decisionDigest(key, item, by))
  );
}

/** Covers everything that `formatItem` shows to an approver. */
export function storedItemDigest(
  key: Uint8Array,
  item: Omit<ApprovalItem, "digest" | "status" | "decidedAt" | "decidedBy" | "decisionDigest" | "receiptId">,
) {
  const { reason, context, client, principal, createdAt, expiresAt } = item;
  const shown = { reason, context, client, principal, createdAt, expiresAt };
  // Stored members without a value are absent.
  return itemDigest(key, item, [JSON.parse(JSON.stringify(shown)) as Json]);
}

/** True if a person approved exactly this content, whatever the stored row claims. */
export function isReleased(key: Uint8Array, item: ApprovalItem): boolean {
  const { status, decidedBy: by, digest, decisionDigest: decision } = item;
  return (
    status === "approved" &&
    sameDigest(digest, storedItemDigest(key, item)) &&
    isSigned(key, item, { by, decision })
  );
}

/** A digest that requires the key: access to the storage is not enough. */
export function keyedDigest(key: Uint8Array, value: unknown): string {
  return createHmac("sha256", key).update(canonicalJson(value)).digest("hex");
}

/** Compares in constant time. */
export function sameDigest(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export interface Vote {
  readonly person: string;
  /** The surface, as in `decidedBy`. */
  readonly by: string;
  /** Keyed: access to the storage is not enough to forge one. */
  readonly digest: string;
}

export function votesIn(json: string | null): readonly Vote[] {
  return json === null ? [] : (JSON.parse(json) as Vote[]);
}

/** Adds this person's vote, once. The caller must hold a lock on the item, so concurrent votes see each other. */
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

/** The deciders, once enough people have approved; undefined before. */
export function decidersIn(votes: readonly Vote[], peopleNeeded: number): string | undefined {
  return votes.length < peopleNeeded ? undefined : votes.map(({ by }) => by).join("; ");
}

export interface ItemPeople {
  readonly peopleNeeded: number;
  readonly approvedBy: readonly string[];
}

/** A sentence about the progress, if the item needs several people. */
export function peopleLine({ peopleNeeded, approvedBy }: ItemPeople): string | undefined {
  if (peopleNeeded === 1) return undefined;
  const who =
    approvedBy.length === 0 ? "" : ` (${approvedBy.map((name) => JSON.stringify(name)).join(", ")})`;
  const left = peopleNeeded - approvedBy.length;
  const waits = left <= 0 ? "" : `: waiting for ${left === 1 ? "another person" : `${left} others`}`;
  return `${approvedBy.length} of ${peopleNeeded} people have approved it${who}${waits}.`;
}

/** A decider as stored in items: `person via terminal, user "ana"`. */
export function personVia<Surface extends string>(surface: Surface, who: string): string {
  return `person via ${surface}, ${who}`;
}

/** The name, equal on every surface, so nobody counts twice. Undefined for answers through an MCP client. */
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
