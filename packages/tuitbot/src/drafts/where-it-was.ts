import type { Kysely } from "kysely";
import type { DraftRow } from "../storage/content-tables.ts";
import type { Database } from "../storage/database.ts";
import type { Draft, DraftBook } from "./draft.ts";
import type { Columns } from "./keep-draft.ts";

/** Takes a draft off the schedule; false where it is being published already. */
export async function unschedule(
  db: Kysely<Database>,
  { account }: DraftBook,
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

/** What a draft is again of which nothing went out: on its schedule, if it was taken off to be published. */
export async function asBefore(
  db: Kysely<Database>,
  { account }: DraftBook,
  { scheduledFor, scheduleId }: Draft,
): Promise<Columns & Pick<DraftRow, "status">> {
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
