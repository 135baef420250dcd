import { bar, type CommandOutcome, clip, columns, paint, sparkline } from "@toolpact/cli";
import { escapeInvisible, formatDuration } from "@toolpact/contract/guards/text";
import { ok } from "@toolpact/outcome";
import { followerChange, followerTrend } from "../../analytics/followers.ts";
import { pendingCount } from "../../approval/queue.ts";
import { loopsOff } from "../../autopilot/progress.ts";
import { listDrafts } from "../../drafts/find-draft.ts";
import { runnerStatus, runnerView } from "../../drafts/runner.ts";
import { lastSettledRequest } from "../../guards/budget/last-request.ts";
import { rateLimits } from "../../guards/policy/limits.ts";
import { unsettledCount } from "../../guards/receipts/receipt-queries.ts";
import { findStop, stopView } from "../../guards/stop/stop.ts";
import type { Context } from "../context.ts";
import {
  accountName,
  change,
  type DailySession,
  ofCap,
  spendingOf,
  withDailySession,
} from "./daily-session.ts";

/** Prints the state of the account in a few lines. */
export function showStatus(context: Context): Promise<CommandOutcome> {
  return withDailySession(context, async (session) => {
    const facts = await statusFacts(session);
    return ok({ text: statusText(facts, session, context), json: facts });
  });
}

const TREND_DAYS = 30;
const MOST_SCHEDULED = 200;

/** The state of the account, as `--output json` has it. */
export async function statusFacts(session: DailySession) {
  const { db, workflow, config } = session;
  const { store, account } = db;
  const now = workflow.now();
  const trend = await followerTrend(store.db, account, TREND_DAYS);
  const limits = await rateLimits(store.db, account, workflow.policy, now);
  const { items: scheduled } = await listDrafts(
    { ...db, now: workflow.now },
    { status: "scheduled", limit: MOST_SCHEDULED },
  );
  const [next] = scheduled.toSorted((a, b) => (a.scheduledFor ?? 0) - (b.scheduledFor ?? 0));
  const stop = await findStop(store.db, account);
  const asked = await lastSettledRequest(store.db, account);
  const limit = (name: string) => {
    const found = limits.find(({ action_type }) => action_type === name);
    return { used: found?.request_count ?? 0, max: found?.max_requests ?? null };
  };
  return {
    account: { id: account, username: db.names?.username ?? null },
    mode: config.values.mode,
    approval_mode: config.approvalMode,
    pending_approvals: await pendingCount(store.db, account, now),
    unknown_outcomes: await unsettledCount(store.db, account),
    posts_today: limit("tweets_per_day"),
    replies_today: limit("replies_per_day"),
    spending: { ...(await spendingOf(db, workflow)) },
    followers: {
      current: trend.at(-1)?.follower_count ?? null,
      change_7d: trend.length === 0 ? null : await followerChange(store.db, account, 7, now),
      trend: trend.map(({ date, follower_count }) => ({ date, follower_count })),
    },
    scheduled: scheduled.length,
    next_scheduled:
      next?.scheduledFor === undefined
        ? null
        : { draft: next.id, at: new Date(next.scheduledFor).toISOString(), text: next.texts[0] ?? "" },
    x: {
      asked_at: asked === undefined ? null : new Date(asked.at).toISOString(),
      failed: asked?.hasFailed ?? false,
    },
    runner: runnerView(await runnerStatus(db, now)),
    stop: stop === undefined ? null : stopView(stop),
    loops_off: await loopsOff(db),
  };
}

type Facts = Awaited<ReturnType<typeof statusFacts>>;

function statusText(facts: Facts, session: DailySession, { terminal }: Context): string {
  const { spending, followers, runner, next_scheduled: next } = facts;
  const now = session.workflow.now();
  const label = (text: string) => paint(terminal, "dim", text);
  const room = Math.max(10, terminal.width - LABELS);
  const gauge = (value: number, max: number | null) =>
    max === null || terminal.width < WIDE ? "" : `  ${bar(value, max, GAUGE)}`;
  const rows = [
    [
      "waits for you",
      facts.pending_approvals === 0
        ? "nothing"
        : paint(terminal, "yellow", `${facts.pending_approvals} to approve: tuitbot approve`),
    ],
    ...(facts.unknown_outcomes === 0
      ? []
      : [
          [
            "not known",
            `${facts.unknown_outcomes} sent, without an answer of X yet: tuitbot log --status pending`,
          ],
        ]),
    [
      "today",
      `${counted(facts.posts_today, "post", "posts")}, ${counted(facts.replies_today, "reply", "replies")}`,
    ],
    [
      "spent today",
      `${ofCap(spending.day_usd, spending.day_cap_usd)}${gauge(spending.day_usd, spending.day_cap_usd)}`,
    ],
    [
      "this month",
      `${ofCap(spending.month_usd, spending.month_cap_usd)}${gauge(spending.month_usd, spending.month_cap_usd)}`,
    ],
    [
      "followers",
      followers.current === null
        ? "not measured yet: tuitbot tick --loops analytics"
        : [
            String(followers.current),
            `(${change(followers.change_7d ?? 0)} in 7 days)`,
            sparkline(
              followers.trend.map((day) => day.follower_count),
              Math.min(TREND_DAYS, room - 30),
            ),
          ].join(" "),
    ],
    [
      "next post",
      next === null
        ? "none is scheduled"
        : `in ${formatDuration(Math.max(0, Date.parse(next.at) - now))}, draft ${next.draft}: ${clip(escapeInvisible(next.text.replaceAll("\n", " ")), Math.max(10, room - 24))}`,
    ],
    ...(facts.x.failed && facts.x.asked_at !== null
      ? [
          [
            "X",
            `the last request failed, ${formatDuration(now - Date.parse(facts.x.asked_at))} ago: tuitbot doctor`,
          ],
        ]
      : []),
    ["runner", runnerLine(runner, facts.scheduled, now)],
    ...(facts.loops_off.length === 0
      ? []
      : [["loops off", `${facts.loops_off.join(", ")}: tuitbot loops on NAME`]]),
    ...(facts.stop === null
      ? []
      : [["stopped", paint(terminal, "red", `since ${facts.stop.at}, by ${facts.stop.by}: tuitbot resume`)]]),
  ];
  const rules = facts.approval_mode
    ? "a person approves what is sent"
    : "sends by itself what the policy allows";
  return [
    `${paint(terminal, "bold", accountName(session.db))}  ${facts.mode}, ${rules}`,
    "",
    columns(rows.map(([name = "", value = ""]) => [label(name), value])),
  ].join("\n");
}

/** The width of the longest label and the space after it. */
const LABELS = 15;
const GAUGE = 20;
/** From this width on there is room for the gauges. */
const WIDE = 60;

function counted({ used, max }: Facts["posts_today"], one: string, many: string): string {
  return `${used}${max === null ? "" : ` of ${max}`} ${(max ?? used) === 1 ? one : many}`;
}

function runnerLine({ alive, last_worked_at }: Facts["runner"], scheduled: number, now: number): string {
  const last =
    last_worked_at === null ? "" : `, last pass ${formatDuration(now - Date.parse(last_worked_at))} ago`;
  if (alive) return `alive${last}`;
  return scheduled === 0
    ? `none${last}`
    : `none${last}: nothing scheduled goes out until you start tuitbot run`;
}
