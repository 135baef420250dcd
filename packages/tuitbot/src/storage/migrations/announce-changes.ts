import type { ColumnTypes } from "./migration.ts";

/** What a page shows is read again when one of these changes. */
const WATCHED = [
  "approvals",
  "approval_edits",
  "drafts",
  "scheduled_posts",
  "audit",
  "loops",
  "leases",
  "spend",
  "stops",
] as const;

/** Makes the database announce changes, where it does not count them by itself. */
export function announceChanges({ announces }: ColumnTypes): readonly string[] {
  if (!announces) return [];
  return [
    `create function tuitbot_announce_change() returns trigger language plpgsql as $$
      begin
        perform pg_notify('tuitbot_changes', tg_table_schema);
        return null;
      end $$`,
    ...WATCHED.map(
      (table) =>
        `create trigger announce_change after insert or update or delete on ${table}
          for each statement execute function tuitbot_announce_change()`,
    ),
  ];
}
