import { failed, type Outcome, ok } from "@toolpact/outcome";
import { argsDigestOf, claimOf, type HeldReceipt, type Receipt } from "./receipt.ts";
import type { RunSql, SqlDatabase } from "./sql.ts";
import { itemTables, sqlItems, unreleased, useItem } from "./sql-items.ts";
import { refusedBy, spentIn } from "./sql-needs.ts";
import { doubtAbandoned, earlierCall, findReceipt, inDoubt } from "./sql-receipts.ts";
import { resolveSteps, STEP_TABLES, sqlSteps, stepsOf, type Transact } from "./sql-steps.ts";
import type { Claim, GuardStorage, NotClaimed, StoredRecord } from "./storage.ts";

/** The scope and the key of a storage. */
export interface SqlStorageOptions {
  /** Owns all rows, such as one server or account. */
  readonly scope: string;
  /** At least 32 secret bytes, stored outside the database: they sign approvals. */
  readonly key: Uint8Array;
  /** The maximum number of waiting calls; default 200. */
  readonly maxWaiting?: number;
  /**
   * Does not wait for the disk after a call was sent, if the database can do that, and writes its delivery together with
   * its record. If a power failure loses the result, the outcome of the call is unknown, so nothing happens twice.
   */
  readonly hasUnsyncedEndings?: boolean;
}

const MIN_KEY_BYTES = 32;
const MAX_WAITING = 200;

/**
 * The guards' storage in SQLite or PostgreSQL. Creates its own tables.
 *
 * ```ts
 * const storage = await openSqlStorage(await openSqlite("guards.db"), { scope: "notes", key });
 * ```
 */
export async function openSqlStorage(
  database: SqlDatabase,
  { scope, key, maxWaiting = MAX_WAITING, hasUnsyncedEndings = false }: SqlStorageOptions,
): Promise<GuardStorage> {
  if (key.length < MIN_KEY_BYTES)
    throw new Error(`The key has ${key.length} bytes; ${MIN_KEY_BYTES} are needed.`);
  const transact = <T>(work: (run: RunSql) => Promise<T>) => database.transact(scope, work);
  const { transactUnsynced } = hasUnsyncedEndings ? database : {};
  const transactEnding: Transact =
    transactUnsynced === undefined ? transact : (work) => transactUnsynced(scope, work);
  /** Receipts to mark with the next record. */
  let delivered: string[] = [];
  // Scopes create the tables one at a time.
  await database.transact("", async (run) => {
    for (const statement of [...tables(database.serial), ...itemTables(database.serial), ...STEP_TABLES])
      await run(statement);
  });
  return {
    scope,
    ...sqlSteps(scope, transact, transactEnding),
    claim: (claim) => transact((run) => claimReceipt(run, scope, key, claim)),
    renew: ({ id, attempt }, until) =>
      transact(async (run) => {
        await run(
          "update guard_receipts set lease_until = ? where id = ? and attempt = ? and state = 'pending'",
          [until, id, attempt],
        );
      }),
    async delivered(id) {
      if (transactUnsynced === undefined) await transact((run) => markDelivered(run, id));
      else delivered.push(id);
    },
    receipt: (id) => transact((run) => findReceipt(run, scope, id)),
    inDoubt: (now) => transact((run) => inDoubt(run, scope, now)),
    async abandoned(now) {
      const receipts = await transact((run) => inDoubt(run, scope, now, "and lease_until <= ?", [now]));
      return receipts.filter(({ expectedSteps }) => expectedSteps > 0);
    },
    resolve: (id, { isDone, by, note }, now) =>
      transact(async (run) => {
        await doubtAbandoned(run, scope, now);
        const steps = await stepsOf(run, scope, id);
        const isPartlyDone = steps.some(({ state }) => state === "confirmed");
        const rows = await run(
          `update guard_receipts set state = ?, settled_at = ?, settled_by = ?, note = ?
           where scope = ? and id = ? and state = 'in_doubt' returning id`,
          [isDone ? "done" : isPartlyDone ? "partly_done" : "not_done", now, by, note, scope, id],
        );
        if (rows.length > 0) await resolveSteps(run, scope, id, isDone, now);
        return rows.length > 0;
      }),
    spent: (now) => transact((run) => spentIn(run, scope, now)),
    ...sqlItems({ scope, key, maxWaiting }, transact),
    record: (record) =>
      transactEnding(async (run) => {
        const ids = delivered;
        delivered = [];
        for (const id of ids) await markDelivered(run, id);
        await run("insert into guard_audit (scope, at, record) values (?, ?, ?)", [
          scope,
          record.at,
          JSON.stringify(record),
        ]);
      }),
    records: (limit) =>
      transact(async (run) => {
        const rows = await run("select record from guard_audit where scope = ? order by id desc limit ?", [
          scope,
          limit,
        ]);
        return rows.map(({ record }) => JSON.parse(String(record)) as StoredRecord);
      }),
    close: () => database.close(),
  };
}

function tables(serial: string): readonly string[] {
  return [
    `create table if not exists guard_receipts (
      id text primary key, scope text not null, claim text, args_digest text not null, tool text not null,
      args text not null, state text not null, item_id bigint unique, cost_micros bigint not null,
      created_at bigint not null, lease_until bigint not null, settled_at bigint, settled_by text, note text,
      result text, delivered bigint not null default 0, is_read bigint not null, principal text not null,
      attempt bigint not null default 1, expected_steps bigint not null, is_undone bigint not null default 0,
      unique (scope, claim))`,
    "create index if not exists guard_receipts_time on guard_receipts (scope, created_at)",
    "create index if not exists guard_receipts_args on guard_receipts (scope, args_digest, created_at)",
    `create table if not exists guard_audit (
      id ${serial}, scope text not null, at bigint not null, record text not null)`,
    "create index if not exists guard_audit_scope on guard_audit (scope, id)",
  ];
}

async function markDelivered(run: RunSql, id: string): Promise<void> {
  await run("update guard_receipts set delivered = 1 where id = ?", [id]);
}

async function claimReceipt(
  run: RunSql,
  scope: string,
  key: Uint8Array,
  claim: Claim,
): Promise<Outcome<HeldReceipt, NotClaimed>> {
  const { receiptId, itemId, needs, now, tool, args, leaseMs, isRead = false } = claim;
  const digests = { claim: claimOf(scope, claim), argsDigest: argsDigestOf(scope, claim) };
  const earlier = isRead ? undefined : await earlierCall(run, scope, claim, digests);
  if (earlier !== undefined && earlier.kind !== "partly_done") return failed({ kind: "repeat", earlier });
  if (itemId !== undefined) {
    const refused = await unreleased(run, scope, key, itemId, claim);
    if (refused !== undefined) return failed(refused);
  }
  if (earlier !== undefined) return continueReceipt(run, scope, earlier.receipt, claim);
  const refused = await refusedBy(run, scope, needs, now);
  if (refused !== undefined) return failed(refused);
  const held: HeldReceipt = { id: receiptId, attempt: 1, steps: [] };
  if (claim.isTrial) return ok(held);
  const claimed = isRead ? null : (digests.claim ?? null);
  // Only a call without effects can remain under this key.
  if (claimed !== null)
    await run("update guard_receipts set claim = null where scope = ? and claim = ?", [scope, claimed]);
  await run(
    `insert into guard_receipts (id, scope, claim, args_digest, tool, args, state, item_id, cost_micros, created_at,
     lease_until, is_read, principal, expected_steps) values (?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?)`,
    [
      receiptId,
      scope,
      claimed,
      digests.argsDigest,
      tool,
      JSON.stringify(args),
      itemId ?? null,
      needs.costMicros,
      now,
      now + leaseMs,
      isRead ? 1 : 0,
      claim.principal ?? "",
      claim.expectedSteps ?? 0,
    ],
  );
  if (itemId !== undefined) await useItem(run, scope, itemId, receiptId);
  return ok(held);
}

/** Money and slots were reserved at its start. */
async function continueReceipt(
  run: RunSql,
  scope: string,
  { id, attempt }: Receipt,
  { isTrial = false, itemId, now, leaseMs }: Claim,
): Promise<Outcome<HeldReceipt, NotClaimed>> {
  if (!isTrial) {
    if (itemId !== undefined) await useItem(run, scope, itemId, id);
    await run(
      `update guard_receipts set state = 'pending', attempt = ?, lease_until = ?, settled_at = null, settled_by = null,
       note = null where scope = ? and id = ?`,
      [attempt + 1, now + leaseMs, scope, id],
    );
  }
  return ok({ id, attempt: attempt + 1, steps: await stepsOf(run, scope, id) });
}
