import { bar, type CommandOutcome, clip, columns, sparkline } from "@toolpact/cli";
import { DAY_MS } from "@toolpact/contract/internal";
import { escapeInvisible } from "@toolpact/contract/internal/text";
import { ok } from "@toolpact/outcome";
import { statsReport } from "../../app/stats.ts";
import { dayOf } from "../../storage/days.ts";
import type { Context } from "../context.ts";
import { changeIn, type DailySession, heading, withDailySession } from "./daily-session.ts";

/** Prints followers and how posts do. */
export function showStats(days: number, context: Context): Promise<CommandOutcome> {
  return withDailySession(context, async (session) => {
    const facts = await statsReport(session, days);
    return ok({ text: statsText(facts, days, session, context), json: facts });
  });
}

type Facts = Awaited<ReturnType<typeof statsReport>>;

const NOT_MEASURED =
  "Nothing is measured yet. Run `tuitbot tick --loops analytics`, or leave `tuitbot run` running.";

function statsText(facts: Facts, days: number, { workflow }: DailySession, context: Context): string {
  const { followers, kinds, topics, best_times, timezone } = facts;
  const isMeasured = followers.current !== null || kinds.some(({ measured }) => measured > 0);
  const room = Math.max(4, Math.min(30, context.terminal.width - 50));
  const best = (values: readonly { readonly avg_performance: number | null }[]) =>
    Math.max(0, ...values.map(({ avg_performance }) => avg_performance ?? 0));
  const rated = (value: number | null, most: number) => [
    value === null ? "-" : String(value),
    bar(value ?? 0, most, room),
  ];
  return [
    ...(isMeasured ? [] : [`${NOT_MEASURED}\n`]),
    ...(followers.current === null
      ? []
      : [
          heading("Followers", context),
          `${followers.current}  ${changes(followers, workflow.now())}`,
          `${sparkline(everyDay(followers.trend, days, workflow.now()), context.terminal.width)}\n`,
        ]),
    ...(kinds.length === 0
      ? ["Nothing was published yet.\n"]
      : [
          heading("What you published", context),
          columns([
            ["", "count", "measured", "views", "score"],
            ...kinds.map((kind) => [
              PLURAL[kind.content_type],
              String(kind.count),
              String(kind.measured),
              kind.measured === 0 ? "-" : String(kind.total_impressions),
              ...rated(kind.measured === 0 ? null : kind.avg_performance, best(kinds)),
            ]),
          ]),
        ]),
    ...(topics.length === 0
      ? []
      : [
          heading("Topics by score", context),
          columns(
            topics.map((topic) => [
              clip(escapeInvisible(topic.topic), 24),
              topic.format,
              `${topic.total_posts} ${topic.total_posts === 1 ? "post" : "posts"}`,
              ...rated(topic.avg_performance, best(topics)),
            ]),
          ),
        ]),
    ...(best_times.length === 0
      ? []
      : [
          heading(`Hours by score (${timezone})`, context),
          columns(
            best_times.map((time) => [
              `${time.weekday} ${String(time.hour).padStart(2, "0")}:00`,
              `${time.posts} ${time.posts === 1 ? "post" : "posts"}`,
              ...rated(time.avg_performance, best(best_times)),
            ]),
          ),
        ]),
    ...(kinds.some(({ measured }) => measured > 0) ? [SCORE] : []),
  ].join("\n");
}

const SCORE = "Score: per 1000 views, 3 for a like, 4 for a repost, 5 for a reply.\n";

const PLURAL = { tweet: "posts", reply: "replies", quote: "quotes", thread: "posts of threads" } as const;

/** Followers of each day; null for days without a measurement. */
function changes({ change_7d: week, change_30d: month, trend }: Facts["followers"], now: number): string {
  if (week === null) return "the change is known from the second day on";
  const since = { first: trend[0]?.date ?? "", now };
  const spans = [changeIn(7, week, since), ...(month === null ? [] : [changeIn(30, month, since)])];
  return [...new Set(spans)].join(", ");
}

function everyDay(trend: Facts["followers"]["trend"], days: number, now: number): (number | null)[] {
  const byDay = new Map(trend.map(({ date, follower_count }) => [date, follower_count]));
  const all = Array.from({ length: days }, (_, i) => byDay.get(dayOf(now - (days - 1 - i) * DAY_MS)) ?? null);
  return all.slice(all.findIndex((count) => count !== null));
}
