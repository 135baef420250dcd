import { DAY_MS, parseJson } from "@toolpact/contract/internal";
import { microsOf, usdOf } from "@toolpact/contract/internal/money";
import { priceBefore } from "@toolpact/x-api";
import { sql } from "kysely";
import { budgetLedger } from "../guards/budget/ledger.ts";
import { usageOf } from "../guards/budget/usage.ts";
import { dayNumber, dayOf } from "../storage/days.ts";
import type { Session } from "../storage/store.ts";
import { listIn } from "../x/shapes/x-object.ts";
import type { Services } from "./services.ts";

/** For `--output json` and the dashboard. */
export async function spendingReport(session: Pick<Services, "db" | "workflow">, days: number) {
  const { db, workflow } = session;
  const now = workflow.now();
  const usage = await usageOf(db.store.db, db.account, days, now);
  const daily = Array.from({ length: days }, (_, i) => {
    const date = dayOf(now - (days - 1 - i) * DAY_MS);
    return usage.daily.find((day) => day.date === date) ?? { date, calls: 0, cost: 0 };
  });
  return {
    ...(await spendingOf(db, workflow)),
    summary: { ...usage.summary },
    /** Oldest first. */
    daily: daily.map((day) => ({ ...day })),
    operations: usage.endpoints.map((endpoint) => ({ ...endpoint })),
    /** Empty before callers were recorded. */
    callers: usage.callers.map((caller) => ({ ...caller })),
    next_week: await forecast(session, now + WEEK_DAYS * DAY_MS),
    /** Until the month's end (UTC), without past costs. */
    rest_of_month: await forecast(session, nextMonth(now)),
  };
}

function nextMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** For this UTC day and month, with caps. */
export interface Spending {
  readonly day_usd: number;
  readonly day_cap_usd: number | null;
  readonly month_usd: number;
  readonly month_cap_usd: number | null;
}

export async function spendingOf(
  session: Session,
  { caps, now }: Pick<Services["workflow"], "caps" | "now">,
): Promise<Spending> {
  // App ownership changes prices, not past costs.
  const { day, month } = await budgetLedger(session, true).spent(now());
  const usd = (micros: number | undefined) => (micros === undefined ? null : usdOf(micros));
  return {
    day_usd: usdOf(day),
    day_cap_usd: usd(caps.perDay),
    month_usd: usdOf(month),
    month_cap_usd: usd(caps.perMonth),
  };
}

/** In dollars, with requests that may have been carried out without an answer. */
export interface Charges {
  readonly usd: number;
  readonly openUsd: number;
  /** X charges once a day for the same person, so it may be less. */
  readonly isMost?: boolean;
}

/** Returns a function that adds up later charges by X's price list. */
export async function countCharges({ store, account }: Session): Promise<() => Promise<Charges>> {
  const last = await store.db
    .selectFrom("ledger")
    .select(({ fn }) => fn.max("id").as("id"))
    .where("account", "=", account)
    .executeTakeFirst();
  return async () => {
    const rows = await store.db
      .selectFrom("ledger")
      .select(["settled_micros", "estimated_micros"])
      .where("account", "=", account)
      .where("id", ">", Number(last?.id ?? 0))
      .execute();
    const open = rows.filter(({ settled_micros }) => settled_micros === null);
    return {
      usd: usdOf(rows.reduce((sum, { settled_micros }) => sum + Number(settled_micros ?? 0), 0)),
      openUsd: usdOf(open.reduce((sum, { estimated_micros }) => sum + Number(estimated_micros), 0)),
    };
  };
}

const WEEK_DAYS = 7;

/**
 * Scheduled posts at X's prices, and everything else at its recent average. Spend and rehearsals share this
 * forecast.
 */
export async function forecast(
  { db: { store, account }, workflow }: Pick<Services, "db" | "workflow">,
  until: number,
) {
  const now = workflow.now();
  const days = Math.max(0, until - now) / DAY_MS;
  const rows = await store.db
    .selectFrom("scheduled_posts")
    .leftJoin("approvals", "approvals.id", "scheduled_posts.approval_id")
    .select(["scheduled_posts.draft_id", "texts_json", "due_at", "approvals.status as approval"])
    .where("scheduled_posts.account", "=", account)
    .where("scheduled_posts.status", "=", "scheduled")
    .where("due_at", "<", until)
    .orderBy("due_at")
    .execute();
  const posts = rows.map(({ draft_id, texts_json, due_at, approval }) => {
    const texts = listIn({ texts: parseJson(texts_json) }, "texts").map(String);
    const micros = texts.reduce((sum, text) => sum + priceOf(text), 0);
    return {
      draft: draft_id,
      at: new Date(due_at).toISOString(),
      text: texts[0] ?? "",
      posts: texts.length,
      cost_usd: usdOf(micros),
      waits: approval === "pending",
    };
  });
  const scheduled = usdOf(posts.reduce((sum, { cost_usd }) => sum + microsOf(cost_usd), 0));
  const loops = await loopDay(store.db, account, now);
  return {
    scheduled_usd: scheduled,
    posts,
    /** For agents, automation and people; null without a whole recorded day. */
    other_usd_per_day: loops === undefined ? null : usdOf(loops.micros),
    other_days: loops?.days ?? 0,
    other_usd: loops === undefined ? null : usdOf(Math.round(loops.micros * days)),
    total_usd: loops === undefined ? null : usdOf(microsOf(scheduled) + Math.round(loops.micros * days)),
  };
}

function priceOf(text: string): number {
  return microsOf(priceBefore("createPosts", { body: { text } }).usd);
}

/** Mean of up to seven whole days. Scheduled posts are counted separately. */
async function loopDay(
  db: Services["db"]["store"]["db"],
  account: string,
  now: number,
): Promise<{ readonly micros: number; readonly days: number } | undefined> {
  const today = dayNumber(now);
  const { first, micros } = await db
    .selectFrom("caller_days")
    .select(({ fn }) => [
      fn.min("day").as("first"),
      sql<number | null>`sum(case when caller not in ('loop:scheduled', 'draft') then micros else 0 end)`.as(
        "micros",
      ),
    ])
    .where("account", "=", account)
    .where("day", ">=", today - WEEK_DAYS)
    .where("day", "<", today)
    .executeTakeFirstOrThrow();
  if (first === null) return undefined;
  const days = today - Number(first);
  return { micros: Math.round(Number(micros ?? 0) / days), days };
}
