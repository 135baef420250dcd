import type { DatabaseSync } from "node:sqlite";

/**
 * Who may do what, the links that were used, and the stop. A restore leaves these as they are: those of an older copy
 * would admit again whom somebody has removed or revoked since.
 */
const CURRENT_TABLES = ["agents", "web_people", "web_passkeys", "spent_answers", "stops"] as const;

/** A call that the older copy does not have, or not with this outcome. */
export interface YoungerReceipt {
  readonly tool: string;
  readonly state: string;
  readonly at: number;
}

/** The calls since a backup that may have changed something at X. `current` is the schema of the replaced database. */
export function youngerReceipts(backup: DatabaseSync, current: string): readonly YoungerReceipt[] {
  return backup
    .prepare(
      `select now.tool, now.state, now.created_at from ${current}.receipts as now
      left join main.receipts as past on past.id = now.id
      where now.state <> 'failed' and (past.id is null or past.state <> now.state)
      order by now.created_at`,
    )
    .all()
    .map(({ tool, state, created_at }) => ({
      tool: String(tool),
      state: String(state),
      at: Number(created_at),
    }));
}

/** Carries these tables over into the backup. Returns the people and agents of the backup that stay without access. */
export function carryOver(backup: DatabaseSync, current: string): readonly string[] {
  const admitted = () => ADMITTED.flatMap((query) => namesIn(backup, query));
  const before = admitted();
  for (const table of CURRENT_TABLES) {
    const known = columnsOf(backup, table, "main");
    const columns = columnsOf(backup, table, current).filter((column) => known.includes(column));
    // The replaced database may be of an older version.
    if (columns.length === 0) continue;
    backup.exec(`delete from main.${table}`);
    backup.exec(
      `insert into main.${table} (${columns.join(", ")}) select ${columns.join(", ")} from ${current}.${table}`,
    );
  }
  const after = admitted();
  return before.filter((name) => !after.includes(name));
}

const ADMITTED = [
  "select name from main.web_people",
  "select 'agent ' || name as name from main.agents where revoked_at is null",
];

function namesIn(database: DatabaseSync, query: string): readonly string[] {
  return database
    .prepare(query)
    .all()
    .map(({ name }) => String(name));
}

function columnsOf(database: DatabaseSync, table: string, schema: string): readonly string[] {
  return database
    .prepare("select name from pragma_table_info(?, ?)")
    .all(table, schema)
    .map(({ name }) => String(name));
}
