import { parseJson } from "@toolpact/contract/internal";
import { usdOf } from "@toolpact/contract/internal/money";
import { type MutationFilter, type MutationSummary, recentMutations } from "../audit/mutations.ts";
import type { Session } from "../storage/store.ts";
import { listIn, objectIn } from "../x/shapes/x-object.ts";
import { cleaned, cleanText } from "../x/untrusted.ts";
import { ruleOrigins } from "./learned-rules.ts";

/** Databases limit the values in a query. */
export const MAX_LOG_ENTRIES = 500;

/** Newest first, with caller, approver, rule, price and receipt. */
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
        /** A learned rule, if one decided. */
        learned_rule: origins.get(row.rule_id ?? "") ?? null,
        cost_usd: micros === null ? null : usdOf(Number(micros)),
      },
    ]),
  );
  const drafts = await textsOfDrafts({ store, account }, items.flatMap(draftOf));
  return items.map((entry) => ({
    ...entry,
    ...(facts.get(entry.correlation_id) ?? UNKNOWN),
    /** The texts of the draft that the call names by its id; null for other calls. */
    draft_texts: draftOf(entry).map((id) => drafts.get(id))[0] ?? null,
  }));
}

function draftOf({ tool_name, params }: MutationSummary): readonly number[] {
  const { id } = objectIn(params);
  return tool_name.endsWith("_draft") && typeof id === "number" ? [id] : [];
}

async function textsOfDrafts({ store, account }: Session, ids: readonly number[]) {
  if (ids.length === 0) return new Map<number, readonly string[]>();
  const rows = await store.db
    .selectFrom("drafts")
    .select(["id", "texts_json"])
    .where("account", "=", account)
    .where("id", "in", [...new Set(ids)])
    .execute();
  return new Map(
    rows.map(({ id, texts_json }) => [
      Number(id),
      listIn({ texts: parseJson(texts_json) }, "texts").map(String),
    ]),
  );
}

export type LogEntry = Awaited<ReturnType<typeof recentCalls>>[number];

/** Escapes invisible characters in others' texts. */
export function logJson(entry: LogEntry) {
  return {
    ...entry,
    params: cleaned(entry.params),
    result: cleaned(entry.result),
    draft_texts: entry.draft_texts?.map(cleanText) ?? null,
  };
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
