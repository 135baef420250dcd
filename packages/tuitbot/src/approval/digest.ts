import type { JsonObject } from "@toolpact/contract";
import { type ItemContent, itemDigest } from "@toolpact/contract/internal/guards";

/**
 * What a person approves: what will be sent. What the person is shown beside it, such as the post that a reply answers,
 * is not part of it, because it changes at X by itself; the ids that it belongs to are among the arguments.
 */
export interface ApprovedContent extends Omit<ItemContent, "scope"> {
  readonly account: string;
  /** SHA-256 of every file it publishes, in order. */
  readonly media: readonly string[];
  /** When it goes out, if not at once. */
  readonly schedule: JsonObject | undefined;
}

/** A keyed digest of what is approved. Access to the database is not enough to make one. */
export function approvalDigest(
  key: Uint8Array,
  { account, media, schedule, ...content }: ApprovedContent,
): string {
  return itemDigest(key, { ...content, scope: account }, [media, schedule ?? null]);
}
