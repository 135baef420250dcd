import { failed, ok } from "@toolpact/outcome";
import { canonicalJson, type JsonObject } from "../json.ts";
import {
  type ApprovalItem,
  decidersIn,
  decisionDigest,
  type ItemStatus,
  isReleased,
  personIn,
  storedItemDigest,
  votesIn,
  withVote,
} from "./approval-item.ts";
import { argsDigestOf } from "./receipt.ts";
import type { ClaimRefusal } from "./refusals.ts";
import type { RunSql, SqlRow, SqlValue } from "./sql.ts";
import type { Claim, Decision, GuardStorage, Proposal } from "./storage.ts";

/** As `GuardStorage` describes them. */
export function sqlItems(
  {
    scope,
    key,
    maxWaiting,
  }: { readonly scope: string; readonly key: Uint8Array; readonly maxWaiting: number },
  transact: <T>(work: (run: RunSql) => Promise<T>) => Promise<T>,
): Pick<
  GuardStorage,
  | "propose"
  | "item"
  | "items"
  | "decided"
  | "decidedSince"
  | "releasable"
  | "takeReleasable"
  | "hold"
  | "decide"
> {
  return {
    propose: (proposal) => transact((run) => propose(run, scope, key, maxWaiting, proposal)),
    item: (id) =>
      transact(async (run) => {
        const [row] = await run("select * from guard_items where scope = ? and id = ?", [scope, id]);
        return row && itemFrom(row);
      }),
    items: (status, now) =>
      transact(async (run) => {
        await expire(run, scope, now);
        const rows = await run(
          "select * from guard_items where scope = ? and status = ? order by id limit ?",
          [scope, status, MAX_LISTED],
        );
        return rows.map(itemFrom);
      }),
    decided: (ids, most, now) =>
      transact(async (run) => {
        await expire(run, scope, now);
        const rows = await run(
          `select * from guard_items where scope = ? and status <> 'waiting'
           and id in (${ids.map(() => "?").join(", ") || "null"}) order by id limit ?`,
          [scope, ...ids, most],
        );
        return rows.map(itemFrom);
      }),
    decidedSince: (since) =>
      transact(async (run) => {
        const rows = await run(
          `select * from guard_items where scope = ? and status in ('approved', 'rejected') and decided_at >= ?
           order by id`,
          [scope, since],
        );
        return rows.map(itemFrom);
      }),
    releasable: (now) =>
      transact(async (run) => {
        await expire(run, scope, now);
        const rows = await run(
          `select * from guard_items where scope = ? and status = 'approved' and receipt_id is null
           and held_until <= ? order by id limit ?`,
          [scope, now, MAX_LISTED],
        );
        return rows.map(itemFrom).filter((item) => isReleased(key, item));
      }),
    takeReleasable: (id, now, until) =>
      transact(async (run) => {
        const rows = await run(
          `update guard_items set held_until = ? where scope = ? and id = ? and status = 'approved'
           and receipt_id is null and held_until <= ? returning id`,
          [until, scope, id, now],
        );
        return rows.length > 0;
      }),
    hold: (id, until) =>
      transact(async (run) => {
        await run("update guard_items set held_until = ? where scope = ? and id = ?", [until, scope, id]);
      }),
    decide: (decision) => transact((run) => decide(run, scope, key, decision)),
  };
}

export function itemTables(serial: string): readonly string[] {
  return [
    `create table if not exists guard_items (
      id ${serial}, scope text not null, args_digest text not null, tool text not null, args text not null,
      digest text not null, status text not null, reason text not null, client text, principal text,
      created_at bigint not null, expires_at bigint not null, held_until bigint not null, decided_at bigint,
      decided_by text, note text, decision_digest text, receipt_id text, people_needed bigint not null, votes text,
      context text)`,
    "create index if not exists guard_items_status on guard_items (scope, status, id)",
  ];
}

const MAX_LISTED = 500;

/** An item releases one call of one caller, in the state the approver saw. */
export async function unreleased(
  run: RunSql,
  scope: string,
  key: Uint8Array,
  itemId: number,
  claim: Claim,
): Promise<ClaimRefusal | undefined> {
  const [row] = await run("select * from guard_items where scope = ? and id = ?", [scope, itemId]);
  const item = row && itemFrom(row);
  const isOpen = item !== undefined && item.receiptId === undefined && item.expiresAt > claim.now;
  const isThisCall = item?.principal === claim.principal && row?.args_digest === argsDigestOf(scope, claim);
  if (!isOpen || !isThisCall || !isReleased(key, item)) return { kind: "item_used" };
  if (row?.context === contextText(claim.context) && item.peopleNeeded >= (claim.peopleNeeded ?? 1))
    return undefined;
  await withdraw(run, itemId);
  return { kind: "changed_since_approval", item: { id: itemId } };
}

async function withdraw(run: RunSql, itemId: number): Promise<void> {
  await run("update guard_items set status = 'expired' where id = ?", [itemId]);
}

function contextText(context: JsonObject | undefined): string | null {
  return context === undefined ? null : canonicalJson(context);
}

export async function useItem(run: RunSql, scope: string, itemId: number, receiptId: string): Promise<void> {
  await run("update guard_items set receipt_id = ? where scope = ? and id = ?", [receiptId, scope, itemId]);
}

async function expire(run: RunSql, scope: string, now: number): Promise<void> {
  await run(
    `update guard_items set status = 'expired'
     where scope = ? and expires_at <= ? and receipt_id is null and status in ('waiting', 'approved')`,
    [scope, now],
  );
}

async function propose(
  run: RunSql,
  scope: string,
  key: Uint8Array,
  maxWaiting: number,
  proposal: Proposal,
): ReturnType<GuardStorage["propose"]> {
  const { tool, args, reason, client, principal, peopleNeeded = 1, expiresAt, heldUntil, now } = proposal;
  const context = contextText(proposal.context);
  await expire(run, scope, now);
  const argsDigest = argsDigestOf(scope, proposal);
  // A rejection stays valid as long as the item would have: asking again does not wear approvers down.
  const [known] = await run(
    `select * from guard_items where scope = ? and args_digest = ? and receipt_id is null and expires_at > ?
     and status <> 'expired' and coalesce(principal, '') = ? order by id desc limit 1`,
    [scope, argsDigest, now, principal ?? ""],
  );
  const isForLess = known !== undefined && Number(known.people_needed) < peopleNeeded;
  if (known !== undefined && (isForLess || known.context !== context)) {
    const { id, status } = itemFrom(known);
    if (status !== "rejected") await withdraw(run, id);
    if (status === "approved") return failed({ kind: "changed_since_approval", item: { id } });
  } else if (known !== undefined) {
    await run("update guard_items set held_until = ? where id = ?", [heldUntil, known.id ?? null]);
    return ok(itemFrom(known));
  }
  const [waiting] = await run(
    "select count(*) as items from guard_items where scope = ? and status = 'waiting'",
    [scope],
  );
  if (Number(waiting?.items) >= maxWaiting) return failed({ kind: "inbox_full" });
  const [made] = await run(
    `insert into guard_items (scope, args_digest, tool, args, digest, status, reason, client, principal, created_at,
     expires_at, held_until, people_needed, context) values (?, ?, ?, ?, '', 'waiting', ?, ?, ?, ?, ?, ?, ?, ?)
     returning *`,
    [
      scope,
      argsDigest,
      tool,
      JSON.stringify(args),
      reason,
      client ?? null,
      principal ?? null,
      now,
      expiresAt,
      heldUntil,
      peopleNeeded,
      context,
    ],
  );
  if (made === undefined) throw new Error("The item was not stored.");
  const item = itemFrom(made);
  const digest = storedItemDigest(key, item);
  await run("update guard_items set digest = ? where id = ?", [digest, item.id]);
  return ok({ ...item, digest });
}

async function decide(
  run: RunSql,
  scope: string,
  key: Uint8Array,
  { id, digest, approve, by, note, now }: Decision,
): Promise<boolean> {
  await expire(run, scope, now);
  const [row] = await run("select * from guard_items where scope = ? and id = ? and status = 'waiting'", [
    scope,
    id,
  ]);
  const item = row && itemFrom(row);
  if (item === undefined || item.digest !== digest || storedItemDigest(key, item) !== digest) return false;
  let deciders: string | undefined = by;
  if (approve && item.peopleNeeded > 1) {
    const person = personIn(by);
    if (person === undefined) return false;
    const votes = withVote(key, item, votesIn(textOf(row?.votes) ?? null), { person, by });
    await run("update guard_items set votes = ? where id = ?", [JSON.stringify(votes), id]);
    deciders = decidersIn(votes, item.peopleNeeded);
    // It waits for the other approvers.
    if (deciders === undefined) return true;
  }
  await run(
    `update guard_items set status = ?, decided_at = ?, decided_by = ?, note = ?, decision_digest = ? where id = ?`,
    [
      approve ? "approved" : "rejected",
      now,
      deciders,
      note === "" ? null : note,
      approve ? decisionDigest(key, item, deciders) : null,
      id,
    ],
  );
  return true;
}

function itemFrom(row: SqlRow): ApprovalItem {
  return {
    id: Number(row.id),
    scope: String(row.scope),
    tool: String(row.tool),
    // Written as JSON of an object.
    args: JSON.parse(String(row.args)) as JsonObject,
    digest: String(row.digest),
    // Only these are written.
    status: row.status as ItemStatus,
    reason: String(row.reason),
    peopleNeeded: Number(row.people_needed),
    approvedBy: votesIn(textOf(row.votes) ?? null).map(({ person }) => person),
    // Written as JSON of an object.
    context: row.context === null ? undefined : (JSON.parse(String(row.context)) as JsonObject),
    client: textOf(row.client),
    principal: textOf(row.principal),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    decidedAt: numberOf(row.decided_at),
    decidedBy: textOf(row.decided_by),
    note: textOf(row.note),
    decisionDigest: textOf(row.decision_digest),
    receiptId: textOf(row.receipt_id),
  };
}

export function textOf(value: SqlValue | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

export function numberOf(value: SqlValue | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
