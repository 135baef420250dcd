import type { Failure, JsonObject, Outcome } from "@toolpact/contract";
import { DAY_MS } from "@toolpact/contract/internal";
import type { Kysely } from "kysely";
import { forgetSecrets } from "../approval/queue.ts";
import type { Schedule } from "../guards/approval/ask-for-approval.ts";
import type { Database } from "../storage/database.ts";
import type { DraftRow } from "../storage/tables/draft-tables.ts";
import type { Draft, DraftContext } from "./draft.ts";
import type { DraftMedia } from "./draft-media.ts";
import type { DraftColumns } from "./store-draft.ts";

/** Planned for later; it may need approval. */
export interface ScheduledCall {
  readonly tool: string;
  /** Recurring ones in order. */
  readonly posts: readonly { readonly args: JsonObject; readonly at: number }[];
  readonly media: readonly DraftMedia[];
  /** For the approver. */
  readonly note?: string | undefined;
  /** An agent's posts are compared with texts it has read. */
  readonly isByAgent?: boolean;
}

/** In a transaction; returns the item's id. */
export type Enqueue = (db: Kysely<Database>, args: JsonObject, schedule: Schedule) => Promise<number>;

export type AskToSchedule = (
  call: ScheduledCall,
  signal: AbortSignal,
) => Promise<Outcome<Enqueue | undefined, Failure>>;

export type AskCode = "policy_error" | "invalid_input" | "file_read_error";

/** Then a post is no longer sent. */
export const TOO_LATE_MS = DAY_MS;

/** Besides texts: time and files. */
export function scheduleOf(at: number, media: readonly DraftMedia[]): Schedule {
  return {
    at: new Date(at).toISOString(),
    media: media.map(({ post, file_path, alt_text }) => ({
      post,
      file_path,
      ...(alt_text !== undefined && { alt_text }),
    })),
  };
}

/** If it differs from the approved content. */
export async function voidApproval(
  db: Kysely<Database>,
  account: string,
  { id: draft, approvalId: id }: { readonly id: number; readonly approvalId: number | undefined },
  { by, now }: { readonly by: string; readonly now: number },
): Promise<void> {
  if (id === undefined) return;
  // A series waits together.
  const others = await db
    .selectFrom("drafts")
    .select("id")
    .where("account", "=", account)
    .where("approval_id", "=", id)
    .where("id", "!=", draft)
    .where("status", "=", "scheduled")
    .limit(1)
    .execute();
  if (others.length > 0) return;
  const ended = await db
    .updateTable("approvals")
    .set({
      // With `decided_by`, it was withdrawn and may be proposed again.
      status: "expired",
      claim: null,
      decision: null,
      decided_at: now,
      decided_by: by,
      note: "The draft was changed, or taken off the schedule.",
    })
    .where("account", "=", account)
    .where("id", "=", id)
    .where("schedule_json", "is not", null)
    .where("status", "in", ["pending", "approved"])
    .returning(["id", "args_json", "schedule_json"])
    .execute();
  await forgetSecrets(db, account, ended);
}

/** Ends its approval; false if it is being published. */
export async function unschedule(
  db: Kysely<Database>,
  context: DraftContext,
  draft: Draft,
  by: string,
): Promise<boolean> {
  const isOff = await cancelSchedule(db, context, draft);
  if (isOff && draft.status === "scheduled")
    await voidApproval(db, context.account, draft, { by, now: context.now() });
  return isOff;
}

/** Keeps its approval, for a restore. */
export async function cancelSchedule(
  db: Kysely<Database>,
  { account }: DraftContext,
  { status, scheduleId }: Draft,
): Promise<boolean> {
  if (status !== "scheduled" || scheduleId === undefined) return true;
  const cancelled = await db
    .updateTable("scheduled_posts")
    .set({ status: "cancelled" })
    .where("account", "=", account)
    .where("id", "=", scheduleId)
    .where("status", "=", "scheduled")
    .returning("id")
    .execute();
  return cancelled.length > 0;
}

/** Scheduled again, if that was its state. */
export async function restoreSchedule(
  db: Kysely<Database>,
  { account }: DraftContext,
  { scheduledFor, scheduleId }: Draft,
): Promise<DraftColumns & Pick<DraftRow, "status">> {
  const back =
    scheduledFor !== undefined &&
    (await db
      .updateTable("scheduled_posts")
      .set({ status: "scheduled" })
      .where("account", "=", account)
      .where("id", "=", scheduleId ?? 0)
      .where("status", "=", "cancelled")
      .returning("id")
      .executeTakeFirst());
  return back ? { status: "scheduled" } : { status: "draft", scheduled_for: null };
}
