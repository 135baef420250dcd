import type { Outcome } from "@toolpact/outcome";
import type { Json, JsonObject, PendingItem } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import type { Draft } from "../../api/shapes.ts";

interface Approved {
  readonly id: number;
  readonly status: string;
  readonly result: Json;
}

/** Carries an item out, if it is still what the person saw. */
export function approve({ id, digest }: PendingItem): Promise<Outcome<Approved, Problem>> {
  return runCommand("approve", { id, digest });
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
export function toNextSlot({
  id,
  digest,
}: PendingItem): Promise<Outcome<{ readonly draft: Pick<Draft, "scheduled_for"> }, Problem>> {
  return runCommand("next_slot", { id, digest });
}

/** Says what a person found at X about an item that was sent without an answer. */
export function settle({ id }: PendingItem, is_out: boolean): Promise<Outcome<unknown, Problem>> {
  return runCommand("settle", { id, is_out });
}
