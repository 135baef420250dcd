import type { Migration } from "./migration.ts";

/** Whoever scheduled a post with a link has said yes to its price, or it would not be sent when it is due. */
export const scheduledLinks: Migration = {
  name: "006-scheduled-links",
  changesData: false,
  statements: () => ["alter table scheduled_posts add column accepts_url_price integer not null default 0"],
};
