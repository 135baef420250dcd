import { paint, type Terminal } from "@toolpact/cli";
import { peopleLine } from "@toolpact/contract/internal/guards";
import { escapeInvisible, formatDuration, formatLines, oneLine } from "@toolpact/contract/internal/text";
import { formatContext, noteLines, scheduleLines, shownArgs } from "../../approval/consent.ts";
import type { QueuedMutation } from "../../approval/item.ts";
import type { ShownFile } from "../../approval/shown-files.ts";
import { waitsForOthers } from "../../approval/vote.ts";
import type { Me } from "../../x/x.ts";
import { dollars, minuteIn } from "../daily/daily-session.ts";
import { nameInWords, titleOf } from "../words.ts";

export interface ItemViewer {
  readonly me: Me;
  readonly now: () => number;
  /** The time zone of the schedule. */
  readonly timezone: string;
}

/** An item in full: every character that will be sent. */
export function itemText(
  item: QueuedMutation,
  files: readonly ShownFile[],
  { me: { username }, now: clock, timezone }: ItemViewer,
  terminal: Pick<Terminal, "hasColor">,
): string {
  const now = clock();
  const facts = [
    `@${username}`,
    titleOf(item.tool),
    dollars(item.estimatedUsd),
    `${formatDuration(now - item.createdAt)} old`,
    item.expiresAt > now ? `expires in ${formatDuration(item.expiresAt - now)}` : "expired",
  ];
  const people = peopleLine(item);
  return [
    `${paint(terminal, "bold", `Item ${item.id}`)}  ${facts.join(" · ")}`,
    ...shownArgs(item)
      // The files say more.
      .filter(([name]) => name !== "media_ids" || files.length === 0)
      .flatMap(([name, value]) => [
        paint(terminal, "dim", `  ${nameInWords(name)}`),
        ...formatLines(value).map((line) => `  │ ${line}`),
      ]),
    ...(item.schedule === undefined
      ? files.map(fileLine)
      : scheduleLines(item.schedule, timeIn(timezone))
    ).map((line) => `  ${line}`),
    ...item.media.map((digest) => paint(terminal, "dim", `  media ${digest}`)),
    ...[...noteLines(item), ...formatContext(item, now)].map((line) => `  ${line}`),
    paint(terminal, "yellow", `  Why you are asked: ${escapeInvisible(item.reason)}`),
    ...(people === undefined ? [] : [paint(terminal, "yellow", `  ${escapeInvisible(people)}`)]),
    "",
  ].join("\n");
}

function fileLine({ post, file_path, alt_text, media_id }: ShownFile): string {
  const file =
    file_path === null
      ? `upload ${media_id}. The file has changed since it was uploaded, or was not uploaded here.`
      : oneLine(file_path);
  return `file of post ${post}: ${file}${alt_text === undefined ? "" : ` (${oneLine(alt_text)})`}`;
}

/** `2026-11-22 07:30 (America/New_York)` */
const timeIn = (timezone: string) => (at: string) => `${minuteIn(at, timezone)} (${timezone})`;

/** The result of an approved item, in one line. */
export function resultText(item: QueuedMutation, timezone: string): string {
  const { tool, result, schedule } = item;
  if (waitsForOthers(item)) return `Noted. ${peopleLine(item)}`;
  if (schedule?.series !== undefined)
    return `Approved: ${schedule.series.posts.length} posts go out, the first at ${timeIn(timezone)(schedule.at)}.`;
  if (schedule !== undefined) return `Approved: ${titleOf(tool)}, at ${timeIn(timezone)(schedule.at)}.`;
  const url = typeof result === "object" && result !== null && "url" in result ? ` ${result.url}` : "";
  return `Approved: ${titleOf(tool)}. Done.${url}`;
}
