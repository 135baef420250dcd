import { bar, type CommandOutcome, clip, columns, paint, sparkline } from "@toolpact/cli";
import { escapeInvisible, formatDuration } from "@toolpact/contract/internal/text";
import { ok } from "@toolpact/outcome";
import { accountStatus, TREND_DAYS } from "../../app/status.ts";
import { STOPPED } from "../../guards/stop/stop.ts";
import type { Context } from "../context.ts";
import { accountName, changeIn, type DailySession, ofCap, withDailySession } from "./daily-session.ts";

/** Prints the account in a few lines. */
export function showStatus(context: Context): Promise<CommandOutcome> {
  return withDailySession(context, async (session) => {
    const facts = await accountStatus(session);
    return ok({ text: statusText(facts, session, context), json: facts });
  });
}

type Facts = Awaited<ReturnType<typeof accountStatus>>;

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
            `${facts.unknown_outcomes} sent, without an answer of X yet: tuitbot log --status unknown`,
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
            ...(followers.change_7d === null
              ? []
              : [`(${changeIn(7, followers.change_7d, { first: followers.trend[0]?.date ?? "", now })})`]),
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
    ...facts.blocked_by
      .filter(({ reason }) => reason !== STOPPED)
      .map(({ message, fix }) => ["blocked", paint(terminal, "red", `${message} ${fix}`)]),
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
    : `none${last}: scheduled posts are not published until you start tuitbot run`;
}
