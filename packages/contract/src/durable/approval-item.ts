import type { JsonObject } from "../json.ts";
import { keyedDigest, sameDigest } from "./keyed-digest.ts";

/** `waiting` for a person, who approves or rejects it once; or nobody decided in time. */
export type ItemStatus = "waiting" | "approved" | "rejected" | "expired";

/** A call that waits for a person, with its exact arguments. */
export interface ApprovalItem {
  readonly id: number;
  readonly scope: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** Keyed, over all that the person decides about. A decision names it. */
  readonly digest: string;
  readonly status: ItemStatus;
  /** Why it needs a person. */
  readonly reason: string;
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

type Decided = Pick<ApprovalItem, "id" | "scope" | "tool" | "args" | "expiresAt">;

/** What a person approves: this call, under this id, until then. */
export function itemDigest(key: Uint8Array, { id, scope, tool, args, expiresAt }: Decided): string {
  return keyedDigest(key, ["item", id, scope, tool, args, expiresAt]);
}

/** The decision of one person about one item with one content. */
export function decisionDigest(
  key: Uint8Array,
  { id, scope, digest }: Pick<ApprovalItem, "id" | "scope" | "digest">,
  by: string,
): string {
  return keyedDigest(key, ["approved", scope, id, digest, by]);
}

/** Whether a person has approved exactly this, whatever else the stored row may say. */
export function isReleased(key: Uint8Array, item: ApprovalItem): boolean {
  const { status, decidedBy, digest, decisionDigest: stored } = item;
  return (
    status === "approved" &&
    decidedBy !== undefined &&
    stored !== undefined &&
    sameDigest(digest, itemDigest(key, item)) &&
    sameDigest(stored, decisionDigest(key, item, decidedBy))
  );
}
