import type { Migration } from "./migration.ts";

/** The signature of whoever approved, without which nothing is carried out. */
export const decisions: Migration = {
  name: "004-decisions",
  changesData: false,
  statements: () => ["alter table approvals add column decision text"],
};
