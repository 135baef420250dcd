import { DAY_MS } from "@toolpact/contract/internal";
import { type Selectable, sql } from "kysely";
import type { Database } from "../storage/database.ts";
import type { Session, Store } from "../storage/store.ts";

/** Older rows decide nothing. */
const HISTORY_MS = 30 * DAY_MS;

type Table = keyof Database & string;

/** Read by loops. Without ledger and audit log, which then show only the rehearsal, and without the stop. */
const TABLES: readonly {
  readonly table: Table;
  readonly where?: (since: number) => ReturnType<typeof sql>;
}[] = [
  { table: "spend" },
  { table: "billed_resources" },
  { table: "limit_counters" },
  { table: "loops" },
  { table: "targets" },
  { table: "authors" },
  { table: "publication_totals" },
  { table: "topic_scores" },
  { table: "topic_days", where: (since) => sql`day >= ${Math.floor(since / DAY_MS)}` },
  { table: "hour_scores" },
  { table: "text_labels", where: (since) => sql`made_at >= ${since}` },
  { table: "media", where: (since) => sql`uploaded_at >= ${since}` },
  { table: "discovered_posts", where: (since) => sql`seen_at >= ${since}` },
  { table: "publications", where: (since) => sql`published_at >= ${since}` },
  {
    table: "receipts",
    where: (since) => sql`(created_at >= ${since} or state in ('pending', 'unknown'))`,
  },
  {
    table: "steps",
    where: (since) => sql`exists (select 1 from receipts where receipts.id = steps.receipt_id
        and (receipts.created_at >= ${since} or receipts.state in ('pending', 'unknown')))`,
  },
  {
    table: "approvals",
    where: (since) => sql`(created_at >= ${since} or status in ('pending', 'approved', 'releasing'))`,
  },
  {
    table: "drafts",
    where: (since) => sql`(updated_at >= ${since} or status not in ('published', 'discarded'))`,
  },
  {
    table: "scheduled_posts",
    where: (since) => sql`(created_at >= ${since} or status in ('scheduled', 'publishing'))`,
  },
  { table: "draft_news" },
];

/** Only reads the source. */
export async function copyAccount({ store, account }: Session, into: Store, now: number): Promise<void> {
  const since = now - HISTORY_MS;
  const receipts = new Set<unknown>();
  for (const { table, where } of TABLES) {
    const condition = where === undefined ? sql`` : sql` and ${where(since)}`;
    const { rows } = await sql<Selectable<Database[Table]>>`
      select * from ${sql.table(table)} where account = ${account}${condition}`.execute(store.db);
    if (table === "receipts") for (const row of rows) receipts.add("id" in row && row.id);
    // Receipts may be newer than the copied ones.
    const complete = rows.filter(
      (row) => table !== "steps" || ("receipt_id" in row && receipts.has(row.receipt_id)),
    );
    for (let start = 0; start < complete.length; start += AT_ONCE)
      await into.db
        .insertInto(table)
        // The same table's columns.
        .values(complete.slice(start, start + AT_ONCE) as never)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  }
}

/** Databases limit the values in a query. */
const AT_ONCE = 200;
