import type { Migration } from "./migration.ts";

/** Of several calls that go on with one thread at once, one may. */
export const threadTails: Migration = {
  name: "007-thread-tails",
  changesData: false,
  statements: () => [
    "alter table steps add column continues text",
    "create unique index steps_continues on steps (account, continues)",
  ],
};
