import type { Outcome } from "@toolpact/outcome";
import type { Answer, JsonObject, PendingItem } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import { runSigned } from "../../api/passkeys.ts";
import type { Problem } from "../../api/problem.ts";
import { changed } from "../../api/query.ts";
import { words } from "../../text/words.ts";

/** Carries an item out, if it is still what the person saw. */
export function approve({ id, digest }: PendingItem): Promise<Outcome<Answer<"approve">, Problem>> {
  return runSigned("approve", { id, digest }, { purpose: "approve", items: [{ id, digest }] });
}

/** Carries an item out, and lets calls like it through for a day or a week. */
export function approveSimilar(
  { id, digest }: PendingItem,
  period: "day" | "week",
): Promise<Outcome<Answer<"approve_similar">, Problem>> {
  const items = [{ id, digest }];
  return runSigned("approve_similar", { id, digest, period }, { purpose: `similar_${period}`, items });
}

/** Carries several items out, with one signature where passkeys are used. */
export function approveMany(
  chosen: readonly PendingItem[],
): Promise<Outcome<Answer<"approve_many">, Problem>> {
  const items = chosen.map(({ id, digest }) => ({ id, digest }));
  return runSigned("approve_many", { items }, { purpose: "approve", items });
}

/** Rejects an item in ten seconds, if it is still what the person saw. */
export function reject({ id, digest }: PendingItem, reason: string): Promise<Outcome<unknown, Problem>> {
  return runCommand("reject_soon", reason === "" ? { id, digest } : { id, digest, reason });
}

/** Replaces the arguments of an item, which then has to be approved anew. */
export function edit({ id, digest }: PendingItem, args: JsonObject): Promise<Outcome<PendingItem, Problem>> {
  return runCommand("edit", { id, digest, args });
}

/** Takes rejections back before they take effect. False if one was too late. */
export async function unreject(ids: readonly number[]): Promise<boolean> {
  const answers = await Promise.all(ids.map((id) => runCommand("take_back_rejection", { id })));
  changed(["approvals"]);
  return answers.every((answer) => answer.ok && answer.value.taken_back);
}

/** Takes a post off the schedule on which an approval has put it. Returns what to report. */
export async function offSchedule(draft: number): Promise<string> {
  const back = await runCommand("take_back", { id: draft });
  changed();
  return back.ok ? words.inbox.offSchedule : back.failure.message;
}

/** Takes the approval of a scheduled post back. Returns what to report. */
export async function unapprove(item: number): Promise<string> {
  const found = await runCommand("drafts", { status: "scheduled" });
  const draft = found.ok
    ? found.value.drafts.find(({ approval_queue_id }) => approval_queue_id === item)
    : undefined;
  if (draft === undefined) return words.compose.tooLate;
  const asked = await runCommand("draft_ask_again", { id: draft.draft_id });
  changed();
  return asked.ok ? words.calendar.asksAgain : asked.failure.message;
}

/** Approves an item for the next free slot instead of at once. */
export function toNextSlot({ id, digest }: PendingItem): Promise<Outcome<Answer<"next_slot">, Problem>> {
  return runSigned("next_slot", { id, digest }, { purpose: "next_slot", items: [{ id, digest }] });
}

/** Reports what a user found at X about an item that was sent without an answer. */
export function settle({ id }: PendingItem, is_out: boolean): Promise<Outcome<unknown, Problem>> {
  return runCommand("settle", { id, is_out });
}
