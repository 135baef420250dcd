import type { ColumnTypes } from "./migration.ts";

/** Whether a person has switched a loop off, and what its last run came to. */
export function loopColumns({ integer }: ColumnTypes): readonly string[] {
  return [
    `alter table loops add column off_at ${integer}`,
    "alter table loops add column off_by text",
    "alter table loops add column last_json text",
  ];
}
