import { type Failure, type Json, type Outcome, ok } from "@toolpact/contract";
import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import { errors } from "../errors.ts";
import type { Database } from "../storage/database.ts";
import { type Page, type PageRequest, pageOf } from "../storage/page.ts";
import type { AuditRow } from "../storage/tables/audit-tables.ts";
import { QUEUED_STATUSES } from "./statuses.ts";

export interface MutationSummary {
  readonly correlation_id: string;
  readonly tool_name: string;
  readonly status: string;
  readonly decision: string;
  readonly params: Json;
  readonly result: Json;
  readonly error_message: string | null;
  readonly receipt_id: string | null;
  readonly approval_id: number | null;
  readonly elapsed_ms: number | null;
  readonly created_at: string;
}

export interface MutationDetail extends MutationSummary {
  readonly client: string | null;
  readonly transport: string | null;
  readonly rule_id: string | null;
  readonly error_code: string | null;
  readonly rollback: Json;
  readonly receipt: { readonly state: string; readonly settled_at: string | null } | null;
}

export interface MutationFilter extends PageRequest<MutationKey> {
  readonly tool?: string | undefined;
  readonly status?: string | undefined;
  /** An agent's id, or a client's name. */
  readonly client?: string | undefined;
  /** Its id. */
  readonly rule?: string | undefined;
}

export type MutationKey = [at: number, correlationId: string];

/** Newest first, with unfinished ones. */
export async function recentMutations(
  db: Kysely<Database>,
  account: string,
  { limit, after, tool, status, client, rule }: MutationFilter,
): Promise<Page<MutationSummary>> {
  const decided = QUEUED_STATUSES.find((one) => one === status);
  const rows = await db
    .selectFrom("audit")
    .selectAll()
    .select(statusNow.as("status_now"))
    .where("account", "=", account)
    .where(isNotReleased)
    .$if(tool !== undefined, (query) => query.where("tool", "=", tool ?? ""))
    // A queued call's decision is in its item.
    .$if(status !== undefined, (query) =>
      query.where("status", "=", decided === undefined ? (status ?? "") : "routed"),
    )
    .$if(decided !== undefined, (query) => query.where(statusNow, "=", decided ?? ""))
    .$if(client !== undefined, (query) => query.where("client", "=", client ?? ""))
    .$if(rule !== undefined, (query) => query.where("rule_id", "=", rule ?? ""))
    .$if(after !== undefined, (query) => query.where(isBefore(after ?? [0, ""])))
    .orderBy("at", "desc")
    .orderBy("correlation_id", "desc")
    .limit(limit + 1)
    .execute();
  return pageOf(rows.map(asItIsNow), limit, ({ created_at, correlation_id }) => [
    Date.parse(created_at),
    correlation_id,
  ]);
}

/** A released call is listed by its release. */
export const isNotReleased: RawBuilder<SqlBool> = sql<SqlBool>`(audit.status <> 'routed' or not exists (
  select 1 from approvals where approvals.account = audit.account and approvals.id = audit.approval_id
    and approvals.tool = audit.tool
    and (approvals.receipt_id is not null or approvals.status in ('releasing', 'executed', 'failed'))))`;

/** A queued call ended as its item did. */
export const statusNow: RawBuilder<string> = sql<string>`case when audit.status <> 'routed' then audit.status
  else coalesce((select case
      when approvals.status = 'approved' or approvals.schedule_json like '%"series":%' and approvals.status = 'executed'
        then 'scheduled'
      when approvals.status = 'executed' then 'success'
      when approvals.status = 'failed' then 'failure'
      when approvals.status = 'rejected' and approvals.result_json is not null then 'scheduled'
      when approvals.status in ('rejected', 'expired') then approvals.status
      else 'routed' end
    from approvals where approvals.account = audit.account and approvals.id = audit.approval_id), 'routed') end`;

/** For lists with the newest first. */
export function isBefore([at, id]: MutationKey): RawBuilder<SqlBool> {
  return sql<SqlBool>`(at, correlation_id) < (${at}, ${id})`;
}

export async function mutationDetail(
  db: Kysely<Database>,
  account: string,
  correlationId: string,
): Promise<Outcome<MutationDetail, Failure<"not_found">>> {
  const row = await db
    .selectFrom("audit")
    .selectAll()
    .select(statusNow.as("status_now"))
    .where("account", "=", account)
    .where("correlation_id", "=", correlationId)
    .executeTakeFirst();
  if (row === undefined) {
    return errors.fail("not_found", `There is no mutation ${correlationId}.`, {
      suggestedFix: "Call get_recent_mutations for those there are.",
      fixBy: "agent",
    });
  }
  const receipt =
    row.receipt_id === null
      ? undefined
      : await db
          .selectFrom("receipts")
          .select(["state", "settled_at"])
          .where("account", "=", account)
          .where("id", "=", row.receipt_id)
          .executeTakeFirst();
  return ok({
    ...asItIsNow(row),
    client: row.client,
    transport: row.transport,
    rule_id: row.rule_id,
    error_code: row.code,
    rollback: jsonIn(row.rollback_json),
    receipt: receipt === undefined ? null : { state: receipt.state, settled_at: timeOf(receipt.settled_at) },
  });
}

function asItIsNow(row: Selectable<AuditRow> & { readonly status_now: string }): MutationSummary {
  return { ...summaryOf(row), status: row.status_now };
}

export function summaryOf(row: Selectable<AuditRow>): MutationSummary {
  return {
    correlation_id: row.correlation_id,
    tool_name: row.tool,
    status: row.status,
    decision: row.decision,
    params: jsonIn(row.args_json),
    result: jsonIn(row.result_json),
    error_message: row.message,
    receipt_id: row.receipt_id,
    approval_id: row.approval_id,
    elapsed_ms: row.elapsed_ms,
    created_at: new Date(row.at).toISOString(),
  };
}

function jsonIn(text: string | null): Json {
  return text === null ? null : (JSON.parse(text) as Json);
}

function timeOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
