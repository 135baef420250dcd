import { accessTables } from "./access-tables.ts";
import { approvalTables } from "./approval-tables.ts";
import { auditTables } from "./audit-tables.ts";
import type { ColumnTypes } from "./column-types.ts";
import { counterTables } from "./counter-tables.ts";
import { draftTables } from "./draft-tables.ts";
import { noticeTables } from "./notice-tables.ts";
import { publicationTables } from "./publication-tables.ts";
import { receiptTables } from "./receipt-tables.ts";
import { scheduleTables } from "./schedule-tables.ts";
import { spendTables } from "./spend-tables.ts";

/** Oldest first, named in sorting order. A released migration is not changed. */
export const allMigrations: readonly Migration[] = [
  {
    name: "001-initial",
    changesData: false,
    statements: (types) => [
      ...receiptTables(types),
      ...spendTables(types),
      ...approvalTables(types),
      ...auditTables(types),
      ...publicationTables(types),
      ...scheduleTables(types),
      ...draftTables(types),
      ...accessTables(types),
      ...noticeTables(types),
      ...counterTables(types),
      ...announceChanges(types),
    ],
  },
];

/** Not changed or undone once released. */
export interface Migration {
  readonly name: string;
  /** If so, a SQLite file is backed up first. */
  readonly changesData: boolean;
  readonly statements: (types: ColumnTypes) => readonly string[];
}

/** They reload the dashboard, or end its event stream. */
const WATCHED = [
  "approvals",
  "approval_edits",
  "learned_rules",
  "drafts",
  "scheduled_posts",
  "audit",
  "loops",
  "leases",
  "spend",
  "stops",
  "web_people",
  "web_sessions",
] as const;

/** Unless the database counts changes itself. */
function announceChanges({ announces }: ColumnTypes): readonly string[] {
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
