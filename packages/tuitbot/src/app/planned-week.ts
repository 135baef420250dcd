import { DAY_MS, parseJson } from "@toolpact/contract/internal";
import { microsOf, usdOf } from "@toolpact/contract/internal/money";
import { priceBefore } from "@toolpact/x-api";
import { sql } from "kysely";
import { dayNumber } from "../storage/days.ts";
import { listIn } from "../x/shapes/x-object.ts";
import type { Services } from "./services.ts";

const DAYS = 7;

/** The expected cost of the next seven days: the scheduled posts, and the loops at their average of the last days. */
export async function plannedWeek({ db: { store, account }, workflow }: Pick<Services, "db" | "workflow">) {
  const now = workflow.now();
  const rows = await store.db
    .selectFrom("scheduled_posts")
    .leftJoin("approvals", "approvals.id", "scheduled_posts.approval_id")
    .select(["scheduled_posts.draft_id", "texts_json", "due_at", "approvals.status as approval"])
    .where("scheduled_posts.account", "=", account)
    .where("scheduled_posts.status", "=", "scheduled")
    .where("due_at", "<", now + DAYS * DAY_MS)
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
    /** The average cost of the loops per day; null if no whole day is recorded. */
    loops_usd_per_day: loops === undefined ? null : usdOf(loops.micros),
    loop_days: loops?.days ?? 0,
    total_usd: loops === undefined ? null : usdOf(microsOf(scheduled) + loops.micros * DAYS),
  };
}

function priceOf(text: string): number {
  return microsOf(priceBefore("createPosts", { body: { text } }).usd);
}

/** The mean of the last whole days, of which at most seven count. What is scheduled is counted by itself. */
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
      sql<
        number | null
      >`sum(case when caller like 'loop:%' and caller <> 'loop:scheduled' then micros else 0 end)`.as(
        "micros",
      ),
    ])
    .where("account", "=", account)
    .where("day", ">=", today - DAYS)
    .where("day", "<", today)
    .executeTakeFirstOrThrow();
  if (first === null) return undefined;
  const days = today - Number(first);
  return { micros: Math.round(Number(micros ?? 0) / days), days };
}
