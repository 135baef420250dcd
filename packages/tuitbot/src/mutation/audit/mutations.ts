import { type Failure, type Json, type Outcome, ok } from "@toolpact/contract";
import type { Kysely, Selectable } from "kysely";
import { errors } from "../../errors.ts";
import type { AuditRow, Database } from "../../storage/database.ts";
import type { Receipt } from "../receipts/receipt.ts";
import { isOpen } from "../receipts/receipt-queries.ts";

/** One mutation in a list. */
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

export interface MutationFilter {
  readonly limit: number;
  readonly tool?: string | undefined;
  readonly status?: string | undefined;
}

/** The newest mutations first, with those that a killed process left unfinished. */
export async function recentMutations(
  db: Kysely<Database>,
  account: string,
  { limit, tool, status }: MutationFilter,
): Promise<readonly MutationSummary[]> {
  const ended = await db
    .selectFrom("audit")
    .selectAll()
    .where("account", "=", account)
    .$if(tool !== undefined, (query) => query.where("tool", "=", tool ?? ""))
    .$if(status !== undefined, (query) => query.where("status", "=", status ?? ""))
    .orderBy("at", "desc")
    .limit(limit)
    .execute();
  const unended = await db
    .selectFrom("receipts")
    .selectAll()
    .where("account", "=", account)
    .where(isOpen)
    .$if(tool !== undefined, (query) => query.where("tool", "=", tool ?? ""))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom("audit").select("audit.at").whereRef("audit.correlation_id", "=", "receipts.id")),
      ),
    )
    .orderBy("created_at", "desc")
    .limit(status === undefined || status === "pending" ? limit : 0)
    .execute();
  return [...ended.map(summaryOf), ...unended.map(openSummaryOf)]
    .sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
    .slice(0, limit);
}

export async function mutationDetail(
  db: Kysely<Database>,
  account: string,
  correlationId: string,
): Promise<Outcome<MutationDetail, Failure<"not_found">>> {
  const row = await db
    .selectFrom("audit")
    .selectAll()
    .where("account", "=", account)
    .where("correlation_id", "=", correlationId)
    .executeTakeFirst();
  const receipt = await db
    .selectFrom("receipts")
    .selectAll()
    .where("account", "=", account)
    .where("id", "=", row?.receipt_id ?? correlationId)
    .executeTakeFirst();
  if (row === undefined && receipt === undefined) {
    return errors.fail("not_found", `There is no mutation ${correlationId}.`, {
      suggestedFix: "Call get_recent_mutations for those there are.",
      fixBy: "agent",
    });
  }
  const receiptView =
    receipt === undefined ? null : { state: receipt.state, settled_at: timeOf(receipt.settled_at) };
  if (row !== undefined) {
    return ok({
      ...summaryOf(row),
      client: row.client,
      transport: row.transport,
      rule_id: row.rule_id,
      error_code: row.code,
      rollback: jsonIn(row.rollback_json),
      receipt: receiptView,
    });
  }
  return ok({
    // One of the two is there.
    ...openSummaryOf(receipt as Receipt),
    client: null,
    transport: null,
    rule_id: null,
    error_code: null,
    rollback: null,
    receipt: receiptView,
  });
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

function openSummaryOf(receipt: Receipt): MutationSummary {
  return {
    correlation_id: receipt.id,
    tool_name: receipt.tool,
    status: "pending",
    decision: "allow",
    params: jsonIn(receipt.args_json),
    result: null,
    error_message: null,
    receipt_id: receipt.id,
    approval_id: receipt.approval_claim,
    elapsed_ms: null,
    created_at: new Date(receipt.created_at).toISOString(),
  };
}

/** Written by this product as JSON. */
function jsonIn(text: string | null): Json {
  return text === null ? null : (JSON.parse(text) as Json);
}

function timeOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
