import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { lastSettledRequest } from "../guards/budget/usage.ts";
import { unsettledCount } from "../guards/receipts/receipt-queries.ts";
import type { Database } from "../storage/database.ts";
import { dayOf } from "../storage/days.ts";

/** The kinds of changes, as `GET /api/events` names them. */
const EVENT_KINDS = ["approvals", "drafts", "activity", "runner", "spend", "stop"] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** The data of an event. The dashboard reads again what it shows. */
export interface EventData {
  readonly kind: EventKind;
  /** Waiting items, open drafts (1,000 for more), calls with unknown outcome, 1 while a runner is alive, micro-dollars of today, or 1 while stopped. */
  readonly count: number;
  /** The newest item, draft or entry, if there is one. */
  readonly latest: number | string | null;
}

/** The state of everything that the dashboard shows. Equal versions of a kind mean that it did not change. */
export type Snapshot = Readonly<Record<EventKind, EventData & { readonly version: string }>>;

/** Upper bound for the count of each kind; the dashboard reloads anyway. */
const MAX_COUNTED = 1_000;
/** The context of an item is read from X soon after it was queued, so only the newest items can lack it. */
const NEWEST = 100;

/** Reads counters, the newest, and the first of what is open: it takes no longer with every year of history. */
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
    // A request that fails costs nothing, and is known by its time alone.
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

/** The version of each kind that a browser has seen. */
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

/** The kinds that changed since a browser has seen them; all of them if that is not known. */
export function changesSince(snapshot: Snapshot, seen: Partial<Versions>): readonly Snapshot[EventKind][] {
  return EVENT_KINDS.map((kind) => snapshot[kind]).filter(({ kind, version }) => version !== seen[kind]);
}
