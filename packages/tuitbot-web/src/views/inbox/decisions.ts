import type { Outcome } from "@toolpact/outcome";
import type { Answer, JsonObject, PendingItem } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import { runSigned } from "../../api/passkeys.ts";
import type { Problem } from "../../api/problem.ts";

/** Carries an item out, if it is still what the person saw. */
export function approve({ id, digest }: PendingItem): Promise<Outcome<Answer<"approve">, Problem>> {
  return runSigned("approve", { id, digest }, { purpose: "approve", items: [{ id, digest }] });
}

/** Carries several items out, with one signature where passkeys are used. */
export function approveMany(
  chosen: readonly PendingItem[],
): Promise<Outcome<Answer<"approve_many">, Problem>> {
  const items = chosen.map(({ id, digest }) => ({ id, digest }));
  return runSigned("approve_many", { items }, { purpose: "approve", items });
}

/** Takes an item out of the queue, if it is still what the person saw. */
export function reject({ id, digest }: PendingItem, reason: string): Promise<Outcome<unknown, Problem>> {
  return runCommand("reject", reason === "" ? { id, digest } : { id, digest, reason });
}

/** Replaces the arguments of an item, which then has to be approved anew. */
export function edit({ id, digest }: PendingItem, args: JsonObject): Promise<Outcome<unknown, Problem>> {
  return runCommand("edit", { id, digest, args });
}

/** Approves an item for the next free slot instead of at once. */
export function toNextSlot({ id, digest }: PendingItem): Promise<Outcome<Answer<"next_slot">, Problem>> {
  return runSigned("next_slot", { id, digest }, { purpose: "next_slot", items: [{ id, digest }] });
}

/** Says what a person found at X about an item that was sent without an answer. */
export function settle({ id }: PendingItem, is_out: boolean): Promise<Outcome<unknown, Problem>> {
  return runCommand("settle", { id, is_out });
}
