import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { lastSettledRequest } from "../guards/budget/usage.ts";
import { unsettledCount } from "../guards/receipts/receipt-queries.ts";
import type { Database } from "../storage/database.ts";
import { dayOf } from "../storage/days.ts";

/** As in `GET /api/events`. */
const EVENT_KINDS = ["approvals", "drafts", "activity", "runner", "spend", "stop"] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** The dashboard reloads what it shows. */
export interface EventData {
  readonly kind: EventKind;
  /**
   * Waiting items, open drafts (at most 1,000), unknown outcomes, a running runner, today's micro-dollars, or
   * a stop.
   */
  readonly count: number;
  /** The newest item, draft or entry. */
  readonly latest: number | string | null;
}

/** A kind with an equal version has not changed. */
export type Snapshot = Readonly<Record<EventKind, EventData & { readonly version: string }>>;

/** The dashboard reloads anyway. */
const MAX_COUNTED = 1_000;
/** An item's context is read soon after it was queued, so only new ones lack it. */
const NEWEST = 100;

/** Reads counters and newest rows, so years of history cost nothing. */
export async function takeSnapshot(
  db: Kysely<Database>,
  account: string,
  now: number,
  runnerLease: string,
): Promise<Snapshot> {
  const [counts, waiting, edit, draft, open, schedules, calls, doubts, lease, loops, spend, asked, stop] =
    await Promise.all([
      db
        .selectFrom("approval_counts")
        .select(["status", "items"])
        .where("account", "=", account)
        .where("status", "in", ["pending", "approved", "releasing"])
        .orderBy("status")
        .execute(),
      db
        .selectFrom("approvals")
        .select(["id", sql<number | boolean>`context_json is null`.as("lacks_context")])
        .where("account", "=", account)
        .where("status", "=", "pending")
        .orderBy("id", "desc")
        .limit(NEWEST)
        .execute(),
      db
        .selectFrom("approval_edits")
        .select("id")
        .where("account", "=", account)
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst(),
      db
        .selectFrom("drafts")
        .select(["id", "updated_at"])
        .where("account", "=", account)
        .orderBy("updated_at", "desc")
        .limit(1)
        .executeTakeFirst(),
      db
        .selectFrom("drafts")
        .select("id")
        .where("account", "=", account)
        .where("status", "in", ["draft", "scheduled", "publishing", "queued"])
        .limit(MAX_COUNTED)
        .execute(),
      db
        .selectFrom("scheduled_posts")
        .select("status")
        .where("account", "=", account)
        .where("status", "in", ["scheduled", "publishing", "queued"])
        .limit(MAX_COUNTED)
        .execute(),
      db
        .selectFrom("audit")
        .select(["correlation_id", "at", "status"])
        .where("account", "=", account)
        .orderBy("at", "desc")
        .orderBy("correlation_id", "desc")
        .limit(20)
        .execute(),
      unsettledCount(db, account),
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
      lastSettledRequest(db, account),
      db.selectFrom("stops").select("stopped_at").where("account", "=", account).executeTakeFirst(),
    ]);
  const isAlive = lease !== undefined && lease.until > now;
  const items = counts.filter(({ status }) => status !== "approved");
  const waits = items.reduce((all, { items }) => all + Number(items), 0);
  return {
    approvals: part("approvals", [counts, waiting, edit], waits, waiting[0]?.id ?? null),
    drafts: part(
      "drafts",
      [draft, open.length, schedules.map(({ status }) => status).sort()],
      open.length,
      draft?.id ?? null,
    ),
    activity: part("activity", [calls, doubts], doubts, calls[0]?.correlation_id ?? null),
    runner: part("runner", [isAlive, isAlive && lease.holder, loops], isAlive ? 1 : 0, null),
    // A failed request costs nothing, so its time tells.
    spend: part("spend", [spend, asked], spend?.micros ?? 0, null),
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

/** As the browser has seen them. */
export type Versions = Readonly<Record<EventKind, string>>;

export function versionsOf(snapshot: Snapshot): Partial<Versions> {
  return Object.fromEntries(EVENT_KINDS.map((kind) => [kind, snapshot[kind].version]));
}

/** The id of an event. Any server can tell from it what a page has missed. */
export function idOf(versions: Partial<Versions>): string {
  return EVENT_KINDS.map((kind) => versions[kind] ?? "").join(".");
}

export function versionsIn(id: string | undefined): Partial<Versions> {
  const parts = id?.split(".") ?? [];
  return Object.fromEntries(EVENT_KINDS.map((kind, index) => [kind, parts[index]]));
}

/** All kinds if `seen` is empty. */
export function changesSince(snapshot: Snapshot, seen: Partial<Versions>): readonly Snapshot[EventKind][] {
  return EVENT_KINDS.map((kind) => snapshot[kind]).filter(({ kind, version }) => version !== seen[kind]);
}
