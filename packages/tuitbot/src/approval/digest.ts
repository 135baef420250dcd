import { createHmac, timingSafeEqual } from "node:crypto";
import { canonicalJson, type JsonObject } from "@toolpact/contract";

/** Exactly what a person approves. */
export interface ApprovedContent {
  readonly account: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** SHA-256 of every file it publishes, in order. */
  readonly media: readonly string[];
}

/**
 * Changes with every byte of what is approved. Keyed, so that whoever can write to the database still cannot make
 * one.
 */
export function approvalDigest(key: Uint8Array, { account, tool, args, media }: ApprovedContent): string {
  return createHmac("sha256", key)
    .update(canonicalJson([account, tool, args, media]))
    .digest("hex");
}

/** A person's yes to one item with one content: what a status in the database says alone is not enough. */
export function decisionDigest(
  key: Uint8Array,
  { account, id, digest, by }: { account: string; id: number; digest: string; by: string },
): string {
  return createHmac("sha256", key)
    .update(canonicalJson(["approved", account, id, digest, by]))
    .digest("hex");
}

export function sameDigest(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
