import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import type { Database } from "../storage/database.ts";
import { dayOf } from "../storage/days.ts";
import type { EventData, EventKind } from "./api.ts";

/** The state of everything that a page shows, one short value for each kind: equal values mean that nothing changed. */
export type Snapshot = Readonly<Record<EventKind, EventData & { readonly version: string }>>;

const EVENT_KINDS = ["approvals", "drafts", "activity", "runner", "spend", "stop"] as const;

/** Reads counts and newest ids, each from an index or from few rows. */
export async function takeSnapshot(
  db: Kysely<Database>,
  account: string,
  now: number,
  runnerLease: string,
): Promise<Snapshot> {
  const [approvals, edits, drafts, schedules, calls, doubts, lease, loops, spend, stop] = await Promise.all([
    db
      .selectFrom("approvals")
      .select(({ fn }) => [
        "status",
        fn.countAll().as("count"),
        fn.count("context_json").as("contexts"),
        fn.max("id").as("latest"),
      ])
      .where("account", "=", account)
      .where("status", "in", ["pending", "approved", "releasing"])
      .groupBy("status")
      .orderBy("status")
      .execute(),
    db
      .selectFrom("approval_edits")
      .select(({ fn }) => fn.max("id").as("latest"))
      .where("account", "=", account)
      .executeTakeFirst(),
    db
      .selectFrom("drafts")
      .select(({ fn }) => [
        fn.countAll().as("count"),
        fn.max("updated_at").as("at"),
        fn.max("id").as("latest"),
      ])
      .where("account", "=", account)
      .executeTakeFirst(),
    db
      .selectFrom("scheduled_posts")
      .select(({ fn }) => ["status", fn.countAll().as("count"), fn.max("id").as("latest")])
      .where("account", "=", account)
      .groupBy("status")
      .orderBy("status")
      .execute(),
    db
      .selectFrom("audit")
      .select(["correlation_id", "at", "status"])
      .where("account", "=", account)
      .orderBy("at", "desc")
      .orderBy("correlation_id")
      .limit(20)
      .execute(),
    db
      .selectFrom("receipts")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("account", "=", account)
      .where("state", "in", ["pending", "unknown"])
      .executeTakeFirst(),
    db
      .selectFrom("leases")
      .select(["holder", "until"])
      .where("account", "=", account)
      .where("name", "=", runnerLease)
      .executeTakeFirst(),
    db
      .selectFrom("loops")
      .select(["name", "ran_at", "failures", "off_at"])
      .where("account", "=", account)
      .orderBy("name")
      .execute(),
    db
      .selectFrom("spend")
      .select("micros")
      .where("account", "=", account)
      .where("period", "=", dayOf(now))
      .executeTakeFirst(),
    db.selectFrom("stops").select("stopped_at").where("account", "=", account).executeTakeFirst(),
  ]);
  const isAlive = lease !== undefined && lease.until > now;
  const waiting = approvals.filter(({ status }) => status !== "approved");
  return {
    approvals: part("approvals", [approvals, edits], sum(waiting), newest(approvals)),
    drafts: part(
      "drafts",
      [drafts, schedules],
      Number(drafts?.count ?? 0),
      Number(drafts?.latest ?? 0) || null,
    ),
    activity: part("activity", [calls, doubts], Number(doubts?.count ?? 0), calls[0]?.correlation_id ?? null),
    runner: part("runner", [isAlive, isAlive && lease.holder, loops], isAlive ? 1 : 0, null),
    spend: part("spend", spend, spend?.micros ?? 0, null),
    stop: part("stop", stop, stop === undefined ? 0 : 1, null),
  };
}

function part(kind: EventKind, state: unknown, count: number, latest: EventData["latest"]) {
  const version = createHash("sha256")
    .update(JSON.stringify(state ?? null))
    .digest("hex")
    .slice(0, 12);
  return { kind, count, latest, version };
}

function sum(rows: readonly { readonly count: unknown }[]): number {
  return rows.reduce((all, { count }) => all + Number(count), 0);
}

function newest(rows: readonly { readonly latest: unknown }[]): number | null {
  return Math.max(0, ...rows.map(({ latest }) => Number(latest))) || null;
}

/** What a page has seen of each kind. */
export type Versions = Readonly<Record<EventKind, string>>;

export function versionsOf(snapshot: Snapshot): Partial<Versions> {
  return Object.fromEntries(EVENT_KINDS.map((kind) => [kind, snapshot[kind].version]));
}

/** All versions in one line: the id of an event, from which any server tells what a page has missed. */
export function idOf(versions: Partial<Versions>): string {
  return EVENT_KINDS.map((kind) => versions[kind] ?? "").join(".");
}

export function versionsIn(id: string | undefined): Partial<Versions> {
  const parts = id?.split(".") ?? [];
  return Object.fromEntries(EVENT_KINDS.map((kind, index) => [kind, parts[index]]));
}

/** What differs from what a page has seen; everything where that is not known. */
export function changesSince(snapshot: Snapshot, seen: Partial<Versions>): readonly Snapshot[EventKind][] {
  return EVENT_KINDS.map((kind) => snapshot[kind]).filter(({ kind, version }) => version !== seen[kind]);
}
