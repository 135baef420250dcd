import type { Kysely } from "kysely";
import type { Database } from "../storage/database.ts";
import type { DraftRow } from "../storage/tables/draft-tables.ts";
import type { Draft, DraftContext } from "./draft.ts";
import { voidApproval } from "./schedule.ts";
import type { DraftColumns } from "./store-draft.ts";

/** Removes a draft from the schedule and ends the approval of it; false if it is being published already. */
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

/** As `unschedule`; an approval of its content and time stays, for the case that it is restored. */
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

/** The status of a draft of which nothing was published: back on the schedule, if it was removed to publish it now. */
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
