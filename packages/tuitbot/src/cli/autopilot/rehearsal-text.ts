import { clip, columns, type Paint, paint } from "@toolpact/cli";
import { DAY_MS } from "@toolpact/contract/internal";
import { escapeInvisible } from "@toolpact/contract/internal/text";
import type { Rehearsal, RehearsedCounts, RehearsedEntry } from "../../rehearsal/rehearsal.ts";
import type { Context } from "../context.ts";
import { dollars, heading, ofCap } from "../daily/daily-session.ts";

/** A rehearsal as a table by day, then each thing that would happen, then why other things would not. */
export function rehearsalText(report: Rehearsal, { terminal }: Pick<Context, "terminal">): string {
  const { account, days, totals, entries, caps, left_out, assumptions, timezone } = report;
  const length = Math.max(1, Math.round((Date.parse(report.to) - Date.parse(report.from)) / DAY_MS));
  const name = account.username === null ? `account ${account.id}` : `@${account.username}`;
  const held = report.loops.flatMap(({ name: loop, held_back }) =>
    held_back.map(({ reason, times }) => [loop, times === 1 ? "once" : `${times} times`, reason]),
  );
  // Next to the time, the outcome and the loop.
  const half = Math.max(16, Math.floor((terminal.width - 35) / 2));
  const section = (title: string, rows: readonly (readonly string[])[]) =>
    rows.length === 0 ? [] : ["", heading(title, { terminal }), columns(rows).trimEnd()];
  return [
    `${paint(terminal, "bold", name)}  ${report.mode}: the next ${length === 1 ? "day" : `${length} days`} in ${timezone}, rehearsed on a copy. Nothing was sent.`,
    "",
    columns([
      ["day", "goes out", "waits", "refused", "cost"],
      ...days.map((day) => [weekday(day.date), ...figures(day)]),
      ["together", ...figures(totals)],
    ]).trimEnd(),
    ...section(
      "What would happen",
      entries.map((entry) => [
        timeIn(entry.at, timezone),
        paint(terminal, COLORS[entry.outcome], OUTCOMES[entry.outcome]),
        entry.loop,
        clip(whatOf(entry), half),
        clip(whyOf(entry), half),
      ]),
    ),
    ...section("Held back", held),
    ...section(
      "Not included",
      left_out.map(({ loop, reason }) => [loop, reason]),
    ),
    ...section("Against the caps", [
      ["most expensive day (UTC)", ofCap(caps.dearest_day_usd, caps.day_usd)],
      ["month at the end", ofCap(caps.month_end_usd, caps.month_usd)],
    ]),
    ...section(
      "Assumptions",
      assumptions.map((line) => [line]),
    ),
    ...(report.ended_early === null
      ? []
      : ["", paint(terminal, "red", `It ends early: ${report.ended_early}`)]),
    "",
  ].join("\n");
}

const OUTCOMES: Readonly<Record<RehearsedEntry["outcome"], string>> = {
  goes_out: "goes out",
  waits: "waits",
  refused: "refused",
};

const COLORS: Readonly<Record<RehearsedEntry["outcome"], Paint>> = {
  goes_out: "green",
  waits: "yellow",
  refused: "red",
};

function figures({ goes_out, waits, refused, cost_usd }: RehearsedCounts): readonly string[] {
  return [...[goes_out, waits, refused].map(String), dollars(cost_usd)];
}

/** `Tue 2026-09-01` */
function weekday(date: string): string {
  const name = new Intl.DateTimeFormat("en", { weekday: "short", timeZone: "UTC" }).format(new Date(date));
  return `${name} ${date}`;
}

/** `Tue 09:15` */
function timeIn(at: string, timezone: string): string {
  return new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: timezone,
  }).format(new Date(at));
}

function whatOf({ texts, tool, answers }: RehearsedEntry): string {
  const said = texts[0] === undefined ? tool : JSON.stringify(texts[0].replaceAll("\n", " "));
  const more = texts.length > 1 ? ` and ${texts.length - 1} more` : "";
  const to = answers === null ? "" : `to @${answers.author}: `;
  return escapeInvisible(`${to}${said}${more}`);
}

function whyOf({ outcome, cost_usd, reason }: RehearsedEntry): string {
  return outcome === "goes_out" ? dollars(cost_usd) : escapeInvisible(reason ?? "");
}
