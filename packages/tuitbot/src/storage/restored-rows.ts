import type { DatabaseSync } from "node:sqlite";
import type { Database } from "./database.ts";

/**
 * `current`: what was done, spent, decided and revoked since stays so. `backup`: unsent texts. `neither`:
 * sign-ins and locks end.
 */
type Source = "current" | "backup" | "neither";

/** In copying order: after referenced tables and counted rows. */
const SOURCES: Readonly<Record<keyof Database, Source>> = {
  agents: "current",
  web_people: "current",
  web_passkeys: "current",
  web_tries: "current",
  web_sessions: "neither",
  web_texts: "current",
  spent_answers: "current",
  stops: "current",
  sign_ins: "current",
  stored_sign_ins: "current",
  receipts: "current",
  steps: "current",
  approvals: "current",
  approval_edits: "current",
  learned_rules: "current",
  media: "current",
  scheduled_posts: "current",
  loops: "current",
  leases: "neither",
  spend: "current",
  billed_resources: "current",
  limit_counters: "current",
  ledger: "current",
  llm_usage: "current",
  audit: "current",
  telemetry: "current",
  notices: "current",
  discovered_posts: "current",
  publications: "current",
  measurements: "current",
  authors: "current",
  publication_totals: "current",
  topic_scores: "current",
  topic_days: "current",
  hour_scores: "current",
  follower_snapshots: "current",
  approval_counts: "current",
  action_counts: "current",
  usage_days: "current",
  caller_days: "current",
  llm_days: "current",
  // Except those sent or waiting.
  drafts: "backup",
  draft_revisions: "backup",
  draft_comments: "backup",
  snippets: "backup",
  draft_news: "backup",
  targets: "backup",
  text_labels: "backup",
};

/** Sign-ins and locks. */
export function endSessions(backup: DatabaseSync): void {
  for (const table of tablesFrom("neither")) backup.exec(`delete from main.${table}`);
  for (const table of libraryTables(backup, "main")) backup.exec(`drop table main.${table}`);
}

/** Clients, grants, codes and tokens, created on first use. */
function libraryTables(database: DatabaseSync, schema: string): readonly string[] {
  const tables = `select name from ${schema}.sqlite_master where type = 'table'
    and name not like 'sqlite!_%' escape '!' and name not like 'kysely!_%' escape '!'`;
  return namesIn(database, tables).filter((name) => !Object.hasOwn(SOURCES, name));
}

/** Nothing shows what was sent since. */
export function stopSending(backup: DatabaseSync, now: number): void {
  backup
    .prepare(
      `insert into main.stops (account, stopped_at, stopped_by, reason)
      select account, ?, 'tuitbot restore', ? from (${ACCOUNTS}) where true on conflict (account) do nothing`,
    )
    .run(now, "The restored backup may not have all that was sent since it was made.");
}

const ACCOUNTS = ["sign_ins", "receipts", "approvals", "scheduled_posts", "drafts"]
  .map((table) => `select account from main.${table}`)
  .join(" union ");

/** Then their ids match. */
export function isSameDatabase(backup: DatabaseSync, current: string): boolean {
  const other = ["drafts", "scheduled_posts", "approvals"].map(
    (
      table,
    ) => `select 1 as other from main.${table} as past join ${current}.${table} as now on now.id = past.id
      where now.account <> past.account or now.created_at <> past.created_at`,
  );
  return backup.prepare(`${other.join(" union all ")} limit 1`).get() === undefined;
}

/** Returns people and agents without access. */
export function carryOver(backup: DatabaseSync, current: string): readonly string[] {
  const admitted = () => ADMITTED.flatMap((query) => namesIn(backup, query));
  const before = admitted();
  for (const table of tablesFrom("current")) {
    const columns = sharedColumns(backup, table, current);
    // It may have an older schema.
    if (columns.length === 0) continue;
    backup.exec(`delete from main.${table}`);
    backup.exec(`insert into main.${table} (${columns}) select ${columns} from ${current}.${table}`);
  }
  for (const table of libraryTables(backup, current)) carryLibraryTable(backup, table, current);
  carrySentDrafts(backup, current);
  // New ids are not reused: receipts name posts and drafts by them.
  backup.exec(
    `update main.sqlite_sequence as past set seq = max(past.seq,
      coalesce((select seq from ${current}.sqlite_sequence as now where now.name = past.name), 0));
    insert into main.sqlite_sequence (name, seq) select name, seq from ${current}.sqlite_sequence
      where name not in (select name from main.sqlite_sequence)`,
  );
  const after = admitted();
  return before.filter((name) => !after.includes(name));
}

/** With its indexes. */
function carryLibraryTable(backup: DatabaseSync, table: string, current: string): void {
  const parts = backup
    .prepare(
      `select sql from ${current}.sqlite_master where tbl_name = ? and sql is not null order by type desc`,
    )
    .all(table);
  for (const { sql } of parts) backup.exec(String(sql));
  backup.exec(`insert into main.${table} select * from ${current}.${table}`);
}

/** Drafts sent or waiting since stay so; others are drafts. */
function carrySentDrafts(backup: DatabaseSync, current: string): void {
  const columns = sharedColumns(backup, "drafts", current);
  const revision = sharedColumns(backup, "draft_revisions", current);
  const comment = sharedColumns(backup, "draft_comments", current);
  if (columns.length === 0) return;
  const sent = `select id from ${current}.drafts where status in ('scheduled', 'publishing', 'queued', 'published')`;
  backup.exec(
    `update main.drafts set status = 'draft', scheduled_for = null, schedule_id = null, approval_id = null, lease_until = 0
      where status in ('scheduled', 'publishing', 'queued');
    delete from main.drafts where id in (${sent});
    insert into main.drafts (${columns}) select ${columns} from ${current}.drafts where id in (${sent});
    insert into main.draft_revisions (${revision})
      select ${revision} from ${current}.draft_revisions where draft_id in (${sent});
    ${comment === "" ? "" : `insert into main.draft_comments (${comment}) select ${comment} from ${current}.draft_comments where draft_id in (${sent});`}
    delete from main.draft_news;
    insert into main.draft_news (draft_id, account, news) select draft_id, account, news from ${current}.draft_news
      where draft_id in (${sent})`,
  );
}

function tablesFrom(source: Source): readonly string[] {
  return Object.entries(SOURCES)
    .filter(([, of]) => of === source)
    .map(([table]) => table);
}

const ADMITTED = [
  "select name from main.web_people where role <> 'removed'",
  "select 'agent ' || name as name from main.agents where revoked_at is null",
];

function namesIn(database: DatabaseSync, query: string): readonly string[] {
  return database
    .prepare(query)
    .all()
    .map(({ name }) => String(name));
}

/** Comma-separated. */
function sharedColumns(database: DatabaseSync, table: string, current: string): string {
  const columnsIn = (schema: string) =>
    namesIn(database, `select name from pragma_table_info('${table}', '${schema}')`);
  const known = columnsIn("main");
  return columnsIn(current)
    .filter((column) => known.includes(column))
    .join(", ");
}
