import type { Json } from "@toolpact/contract";
import type { Kysely } from "kysely";
import type { Database } from "../storage/database.ts";
import { hourOf } from "../storage/days.ts";
import { type Page, type PageRequest, pageOf } from "../storage/page.ts";
import { isBefore, isNotReleased, type MutationKey, statusNow } from "./mutations.ts";

export interface ActionEntry {
  /** The call's correlation id. */
  readonly id: string;
  readonly action_type: string;
  readonly status: string;
  readonly message: string | null;
  readonly metadata: Readonly<Record<string, Json>>;
  readonly created_at: string;
}

export interface ActionFilter extends PageRequest<MutationKey> {
  readonly since: number;
  readonly type?: string | undefined;
}

/** Pages start with the newest, and list the oldest first. */
export async function actionLog(
  db: Kysely<Database>,
  account: string,
  { since, type, limit, after }: ActionFilter,
): Promise<Page<ActionEntry>> {
  const rows = await db
    .selectFrom("audit")
    .selectAll()
    .select(statusNow.as("status_now"))
    .where("account", "=", account)
    .where("at", ">=", since)
    .where(isNotReleased)
    .$if(type !== undefined, (query) => query.where("tool", "=", type ?? ""))
    .$if(after !== undefined, (query) => query.where(isBefore(after ?? [0, ""])))
    .orderBy("at", "desc")
    .orderBy("correlation_id", "desc")
    .limit(limit + 1)
    .execute();
  const entries = rows.map(
    (row): ActionEntry => ({
      id: row.correlation_id,
      action_type: row.tool,
      status: row.status_now,
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
    }),
  );
  return pageOf(entries, limit, ({ created_at, id }) => [Date.parse(created_at), id]);
}

/** Since the full hour. */
export async function actionCounts(
  db: Kysely<Database>,
  account: string,
  since: number,
): Promise<readonly { readonly action_type: string; readonly tried: number; readonly done: number }[]> {
  const rows = await db
    .selectFrom("action_counts")
    .select(({ fn }) => ["tool", "status", fn.sum<number>("actions").as("count")])
    .where("account", "=", account)
    .where("hour", ">=", hourOf(since))
    // A waiting call is counted below, once.
    .where("status", "!=", "routed")
    .groupBy(["tool", "status"])
    .execute();
  // A released one is counted by its release.
  const waiting = await db
    .selectFrom("approvals")
    .select(({ fn }) => ["tool", "status", fn.countAll<number>().as("count")])
    .where("account", "=", account)
    .where("created_at", ">=", since)
    .where("status", "in", ["pending", "rejected", "expired"])
    .where("schedule_json", "is", null)
    .groupBy(["tool", "status"])
    .execute();
  const counted = [...rows, ...waiting]
    .map((row) => ({ ...row, count: Number(row.count) }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => one.tool.localeCompare(other.tool));
  return [...Map.groupBy(counted, ({ tool }) => tool)].map(([action_type, of]) => ({
    action_type,
    tried: of.reduce((sum, { count }) => sum + count, 0),
    done: of.find(({ status }) => status === "success")?.count ?? 0,
  }));
}
