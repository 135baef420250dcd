import type { Migration } from "./migration.ts";

/** What an uploaded file was called, so that a person who is asked about it knows which it is. */
export const mediaNames: Migration = {
  name: "005-media-names",
  changesData: false,
  statements: () => ["alter table media add column name text"],
};
