import type { Migration } from "./migration.ts";

/** What X has charged for today, and a short way to the found posts that wait for an answer. */
export const reads: Migration = {
  name: "008-reads",
  changesData: false,
  statements: ({ tableEnd }) => [
    `create table billed_resources (
      account text not null,
      day text not null,
      resource text not null,
      primary key (account, day, resource)
    )${tableEnd}`,
    "create index discovered_open on discovered_posts (account, source, answered, score) where handled is null",
  ],
};
