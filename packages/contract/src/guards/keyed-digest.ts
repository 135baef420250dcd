import { createHmac, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "../json.ts";

/** A digest that only those who have the key can make: access to what is stored is not enough. */
export function keyedDigest(key: Uint8Array, value: unknown): string {
  return createHmac("sha256", key).update(canonicalJson(value)).digest("hex");
}

/** Takes equally long for every guess. */
export function sameDigest(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
