import { type MutationFilter, recentMutations } from "../audit/mutations.ts";
import type { Session } from "../storage/store.ts";
import { cleaned } from "../x/untrusted.ts";

/** The most entries of one page of the log. Databases accept a limited number of values in one query. */
export const MAX_LOG_ENTRIES = 500;

/** The latest changes, newest first, each with its caller, the rule that decided it and the state of its receipt. */
export async function recentCalls({ store, account }: Session, filter: MutationFilter) {
  const { items } = await recentMutations(store.db, account, filter);
  const rows = await store.db
    .selectFrom("audit")
    .leftJoin("receipts", "receipts.id", "audit.receipt_id")
    .select(["correlation_id", "client", "transport", "rule_id", "receipts.state as receipt_state"])
    .where("audit.account", "=", account)
    .where(
      "correlation_id",
      "in",
      items.map(({ correlation_id }) => correlation_id),
    )
    .execute();
  const facts = new Map(rows.map(({ correlation_id, ...row }) => [correlation_id, row]));
  return items.map((entry) => ({ ...entry, ...(facts.get(entry.correlation_id) ?? UNKNOWN) }));
}

export type LogEntry = Awaited<ReturnType<typeof recentCalls>>[number];

/** An entry for JSON, without invisible characters in texts that others wrote. */
export function logJson(entry: LogEntry) {
  return { ...entry, params: cleaned(entry.params), result: cleaned(entry.result) };
}

const UNKNOWN = { client: null, transport: null, rule_id: null, receipt_state: null };
