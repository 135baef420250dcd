import { usdOf } from "@toolpact/contract/internal/money";
import { type MutationFilter, recentMutations } from "../audit/mutations.ts";
import type { Session } from "../storage/store.ts";
import { cleaned } from "../x/untrusted.ts";
import { ruleOrigins } from "./learned-rules.ts";

/** Page size of the log. Databases limit the number of values in one query. */
export const MAX_LOG_ENTRIES = 500;

/** The latest changes, newest first, each with its caller, its approver, its rule, its price and the state of its receipt. */
export async function recentCalls({ store, account }: Session, filter: MutationFilter) {
  const { items } = await recentMutations(store.db, account, filter);
  const rows = await store.db
    .selectFrom("audit")
    .leftJoin("receipts", "receipts.id", "audit.receipt_id")
    .leftJoin("approvals", (join) =>
      join.onRef("approvals.id", "=", "audit.approval_id").onRef("approvals.account", "=", "audit.account"),
    )
    .select([
      "audit.correlation_id",
      "client",
      "transport",
      "audit.rule_id",
      "audit.code as error_code",
      "receipts.state as receipt_state",
      "approvals.decided_by",
    ])
    .select((eb) =>
      eb
        .selectFrom("ledger")
        .select(({ fn }) => fn.sum<number>(fn.coalesce("settled_micros", "estimated_micros")).as("micros"))
        .whereRef("ledger.account", "=", "audit.account")
        .whereRef("ledger.call_id", "=", "audit.correlation_id")
        .as("micros"),
    )
    .where("audit.account", "=", account)
    .where(
      "audit.correlation_id",
      "in",
      items.map(({ correlation_id }) => correlation_id),
    )
    .execute();
  const origins = await ruleOrigins(
    { store, account },
    rows.map(({ rule_id }) => rule_id),
  );
  const facts = new Map(
    rows.map(({ correlation_id, micros, ...row }) => [
      correlation_id,
      {
        ...row,
        /** The rule that a person accepted and that decided about the call, if one did. */
        learned_rule: origins.get(row.rule_id ?? "") ?? null,
        cost_usd: micros === null ? null : usdOf(Number(micros)),
      },
    ]),
  );
  return items.map((entry) => ({ ...entry, ...(facts.get(entry.correlation_id) ?? UNKNOWN) }));
}

export type LogEntry = Awaited<ReturnType<typeof recentCalls>>[number];

/** An entry for JSON, without invisible characters in texts that others wrote. */
export function logJson(entry: LogEntry) {
  return { ...entry, params: cleaned(entry.params), result: cleaned(entry.result) };
}

const UNKNOWN = {
  client: null,
  transport: null,
  rule_id: null,
  error_code: null,
  learned_rule: null,
  receipt_state: null,
  decided_by: null,
  cost_usd: null,
};
