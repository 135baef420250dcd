import type { ColumnTypes } from "./migration.ts";

/** How many people an item needs, and who has approved what it says now. */
export function voteColumns({ integer }: ColumnTypes): readonly string[] {
  return [
    `alter table approvals add column people_needed ${integer} not null default 1`,
    "alter table approvals add column votes_json text",
  ];
}
