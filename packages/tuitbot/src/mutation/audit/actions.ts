import type { Json } from "@toolpact/contract";
import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";

/** One attempt, as a line of the log. */
export interface ActionEntry {
  /** Correlation id of the call. */
  readonly id: string;
  readonly action_type: string;
  readonly status: string;
  readonly message: string | null;
  readonly metadata: Readonly<Record<string, Json>>;
  readonly created_at: string;
}

export interface ActionFilter {
  readonly since: number;
  readonly type?: string | undefined;
  readonly limit: number;
}

/** The newest actions since a time, oldest first. */
export async function actionLog(
  db: Kysely<Database>,
  account: string,
  { since, type, limit }: ActionFilter,
): Promise<readonly ActionEntry[]> {
  const rows = await db
    .selectFrom("audit")
    .selectAll()
    .where("account", "=", account)
    .where("at", ">=", since)
    .$if(type !== undefined, (query) => query.where("tool", "=", type ?? ""))
    .orderBy("at", "desc")
    .limit(limit)
    .execute();
  return rows.reverse().map((row) => ({
    id: row.correlation_id,
    action_type: row.tool,
    status: row.status,
    message: row.message,
    metadata: {
      decision: row.decision,
      matched_rule_id: row.rule_id,
      error_code: row.code,
      approval_id: row.approval_id,
      transport: row.transport,
      client: row.client,
    },
    created_at: new Date(row.at).toISOString(),
  }));
}

/** How often each kind of action was tried since a time, and how often it succeeded. */
export async function actionCounts(
  db: Kysely<Database>,
  account: string,
  since: number,
): Promise<readonly { readonly action_type: string; readonly tried: number; readonly done: number }[]> {
  const rows = await db
    .selectFrom("audit")
    .select(({ fn }) => ["tool", "status", fn.countAll<number>().as("count")])
    .where("account", "=", account)
    .where("at", ">=", since)
    .groupBy(["tool", "status"])
    .orderBy("tool")
    .execute();
  const byTool = Map.groupBy(rows, ({ tool }) => tool);
  return [...byTool].map(([action_type, of]) => ({
    action_type,
    tried: of.reduce((sum, { count }) => sum + Number(count), 0),
    done: Number(of.find(({ status }) => status === "success")?.count ?? 0),
  }));
}
