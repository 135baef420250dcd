import type { Kysely } from "kysely";
import type { DraftRow } from "../storage/content-tables.ts";
import type { Database } from "../storage/database.ts";
import type { Draft, DraftContext } from "./draft.ts";
import type { DraftColumns } from "./store-draft.ts";

/** Removes a draft from the schedule; false if it is being published already. */
export async function unschedule(
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
