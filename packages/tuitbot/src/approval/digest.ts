import type { JsonObject } from "@toolpact/contract";
import { keyedDigest } from "@toolpact/contract/guards";

/**
 * What a person approves: what will be sent. What the person is shown beside it, such as the post that a reply answers,
 * is not part of it, because it changes at X by itself; the ids that it belongs to are among the arguments.
 */
export interface ApprovedContent {
  /** Id of the item, so that a copy of it under another id is not approved with it. */
  readonly id: number;
  readonly account: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** SHA-256 of every file it publishes, in order. */
  readonly media: readonly string[];
  /** When it goes out, if not at once. */
  readonly schedule: JsonObject | undefined;
  /** How many people have to approve it, where one is not enough. */
  readonly peopleNeeded?: number | undefined;
}

/**
 * A keyed digest of what is approved. Access to the database is not enough to make one.
 */
export function approvalDigest(key: Uint8Array, content: ApprovedContent): string {
  const { id, account, tool, args, media, schedule = null, peopleNeeded = 1 } = content;
  const people = peopleNeeded > 1 ? [{ people_needed: peopleNeeded }] : [];
  return keyedDigest(key, ["item", id, account, tool, args, media, schedule, ...people]);
}

/** A keyed digest of the decision about one item with one content: the status in the database alone is not enough. */
export function decisionDigest(
  key: Uint8Array,
  { account, id, digest, by }: { account: string; id: number; digest: string; by: string },
): string {
  return keyedDigest(key, ["approved", account, id, digest, by]);
}

/** A keyed digest of one person's yes to one item with one content. */
export function voteDigest(
  key: Uint8Array,
  { account, id, digest, person }: { account: string; id: number; digest: string; person: string },
): string {
  return keyedDigest(key, ["vote", account, id, digest, person]);
}
