import { type Failure, type Json, type Outcome, ok } from "@toolpact/contract";
import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import { errors } from "../errors.ts";
import type { Database } from "../storage/database.ts";
import { type Page, type PageRequest, pageOf } from "../storage/page.ts";
import type { AuditRow } from "../storage/tables/audit-tables.ts";

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

export interface MutationFilter extends PageRequest<MutationKey> {
  readonly tool?: string | undefined;
  readonly status?: string | undefined;
  /** Who made the calls: an agent by its id, or the name of a client. */
  readonly client?: string | undefined;
}

export type MutationKey = [at: number, correlationId: string];

/** The newest mutations first, with those that are at work or that a killed process left unfinished. */
export async function recentMutations(
  db: Kysely<Database>,
  account: string,
  { limit, after, tool, status, client }: MutationFilter,
): Promise<Page<MutationSummary>> {
  const rows = await db
    .selectFrom("audit")
    .selectAll()
    .where("account", "=", account)
    .$if(tool !== undefined, (query) => query.where("tool", "=", tool ?? ""))
    .$if(status !== undefined, (query) => query.where("status", "=", status ?? ""))
    .$if(client !== undefined, (query) => query.where("client", "=", client ?? ""))
    .$if(after !== undefined, (query) => query.where(isBefore(after ?? [0, ""])))
    .orderBy("at", "desc")
    .orderBy("correlation_id", "desc")
    .limit(limit + 1)
    .execute();
  return pageOf(rows.map(summaryOf), limit, ({ created_at, correlation_id }) => [
    Date.parse(created_at),
    correlation_id,
  ]);
}

/** Entries of the audit log that come after this one where the newest are first. */
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
    ...summaryOf(row),
    client: row.client,
    transport: row.transport,
    rule_id: row.rule_id,
    error_code: row.code,
    rollback: jsonIn(row.rollback_json),
    receipt: receipt === undefined ? null : { state: receipt.state, settled_at: timeOf(receipt.settled_at) },
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

/** Written by this product as JSON. */
function jsonIn(text: string | null): Json {
  return text === null ? null : (JSON.parse(text) as Json);
}

function timeOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
