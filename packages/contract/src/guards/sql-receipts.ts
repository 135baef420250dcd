import { DAY_MS } from "../clock.ts";
import type { JsonObject } from "../json.ts";
import type { EarlierCall, Receipt, ReceiptState } from "./receipt.ts";
import type { RunSql, SqlRow, SqlValue } from "./sql.ts";
import { numberOf, textOf } from "./sql-items.ts";
import type { Claim } from "./storage.ts";

const MAX_LISTED = 500;
/** Afterwards a partly done call is new, unless its key identifies it. */
const CONTINUED_MS = DAY_MS;

export async function findReceipt(run: RunSql, scope: string, id: string): Promise<Receipt | undefined> {
  const [row] = await run("select * from guard_receipts where scope = ? and id = ?", [scope, id]);
  return row && receiptFrom(row);
}

export async function inDoubt(
  run: RunSql,
  scope: string,
  now: number,
  condition = "",
  values: readonly SqlValue[] = [],
): Promise<readonly Receipt[]> {
  await doubtAbandoned(run, scope, now);
  const rows = await run(
    `select * from guard_receipts where scope = ? and state = 'in_doubt' ${condition} order by created_at limit ?`,
    [scope, ...values, MAX_LISTED],
  );
  return rows.map(receiptFrom);
}

/** Their process has died: running ones renew their lease. */
export async function doubtAbandoned(run: RunSql, scope: string, now: number): Promise<void> {
  await run(
    `update guard_receipts set state = 'in_doubt', note = ?
     where scope = ? and state = 'pending' and is_read = 0 and lease_until <= ?`,
    [ABANDONED, scope, now],
  );
}

const ABANDONED = "The process that sent it ended before the answer came.";

/** For one row: the time for all grows with each receipt. */
async function doubtIfAbandoned(run: RunSql, row: SqlRow, now: number): Promise<SqlRow> {
  const { id = null, state, is_read, lease_until } = row;
  if (state !== "pending" || Number(is_read) === 1 || Number(lease_until) > now) return row;
  await run("update guard_receipts set state = 'in_doubt', note = ? where id = ?", [ABANDONED, id]);
  return { ...row, state: "in_doubt", note: ABANDONED };
}

/** `claim` is for calls with a key. */
export interface CallDigests {
  readonly claim: string | undefined;
  readonly argsDigest: string;
}

export async function earlierCall(
  run: RunSql,
  scope: string,
  call: Claim,
  { claim, argsDigest }: CallDigests,
): Promise<EarlierCall<Receipt> | undefined> {
  const { sameCallMs, now } = call;
  const [named] =
    claim === undefined
      ? []
      : await run("select * from guard_receipts where scope = ? and claim = ?", [scope, claim]);
  // Calls with different keys are distinct, and so are callers; but a call that may be running is not
  // repeated for anyone.
  const [found] =
    named === undefined
      ? await run(
          `select * from guard_receipts where scope = ? and args_digest = ? and is_read = 0
           ${claim === undefined ? "" : "and claim is null"}
           and is_undone = 0 and (state in ('pending', 'in_doubt')
             or (principal = ? and state = 'done' and (delivered = 0 or created_at > ?))
             or (principal = ? and state = 'partly_done' and created_at > ?))
           order by created_at limit 1`,
          [
            scope,
            argsDigest,
            call.principal ?? "",
            claim === undefined ? now - sameCallMs : now,
            call.principal ?? "",
            now - CONTINUED_MS,
          ],
        )
      : [named];
  if (found === undefined) return undefined;
  const row = await doubtIfAbandoned(run, found, now);
  const receipt = receiptFrom(row);
  if (receipt.argsDigest !== argsDigest) return { kind: "key_reused", receipt };
  switch (receipt.state) {
    case "pending":
      return { kind: "running", receipt };
    case "in_doubt":
      return { kind: "in_doubt", receipt, lookAgainAt: Number(row.lease_until) };
    case "done":
    case "partly_done":
      return { kind: receipt.state, receipt };
    case "not_done":
      return undefined;
  }
}

function receiptFrom(row: SqlRow): Receipt {
  return {
    id: String(row.id),
    scope: String(row.scope),
    tool: String(row.tool),
    args: JSON.parse(String(row.args)) as JsonObject,
    argsDigest: String(row.args_digest),
    // Only these are written.
    state: row.state as ReceiptState,
    attempt: Number(row.attempt),
    expectedSteps: Number(row.expected_steps),
    principal: String(row.principal),
    itemId: numberOf(row.item_id),
    costMicros: Number(row.cost_micros),
    createdAt: Number(row.created_at),
    settledAt: numberOf(row.settled_at),
    settledBy: textOf(row.settled_by),
    note: textOf(row.note),
    result: textOf(row.result),
    isDelivered: Number(row.delivered) === 1,
  };
}
