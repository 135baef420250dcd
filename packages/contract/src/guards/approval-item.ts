import type { Json, JsonObject } from "../json.ts";
import { keyedDigest, sameDigest } from "./keyed-digest.ts";
import type { ItemPeople } from "./votes.ts";

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

/** What identifies an item, and what would be done. */
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
export function voteDigest(key: Uint8Array, { id, scope, digest }: SignedItem, person: string): string {
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
