import { weighPost } from "@toolpact/x-api/text";
import type { Draft, ShownConfig } from "../../api/shapes.ts";
import { HOUR_MS } from "../../format/dates.ts";
import {
  addDays,
  instantOf,
  isoDay,
  type WallTime,
  WEEKDAYS,
  wallTime,
  weekdayOf,
} from "../../format/zones.ts";

/** A draft that is scheduled. */
export interface Entry {
  readonly draftId: number;
  readonly at: number;
  /** What clocks in the calendar's zone show then. */
  readonly wall: WallTime;
  readonly day: string;
  readonly text: string;
  readonly posts: number;
  readonly isWaiting: boolean;
  readonly hasLink: boolean;
  /** Which of recurring posts it is. */
  readonly series: Draft["series"];
}

/** Names an entry at its time. */
export function entryKey(draftId: number, at: number): string {
  return `${draftId} ${at}`;
}

export function entriesOf(drafts: readonly Draft[], zone: string): readonly Entry[] {
  return drafts
    .flatMap((draft) => {
      if (draft.scheduled_for === null) return [];
      const at = Date.parse(draft.scheduled_for);
      const wall = wallTime(at, zone);
      return [
        {
          draftId: draft.draft_id,
          at,
          wall,
          day: isoDay(wall),
          text: draft.texts.join("\n\n"),
          posts: draft.texts.length,
          isWaiting: draft.approval === "waiting",
          series: draft.series,
          hasLink: draft.texts.some((text) => weighPost(text).billable_as === "post_with_url"),
        },
      ];
    })
    .sort((a, b) => a.at - b.at);
}

/** The time that is so many days, by the clock of the calendar's zone, and hours later. */
export function laterBy({ at, wall }: Entry, days: number, hours: number, zone: string): number {
  const day =
    days === 0 ? at : instantOf({ ...addDays(wall, days), hour: wall.hour, minute: wall.minute }, zone);
  return day + hours * HOUR_MS;
}

export /** The part of the configuration that the calendar shows. */
type Schedule = Pick<
  ShownConfig["config"]["schedule"],
  "timezone" | "active_hours_start" | "active_hours_end" | "active_days" | "posting_slots"
>;

/** A time at which drafts may go out, in the calendar's zone. */
export interface Slot {
  readonly at: number;
  readonly wall: WallTime;
  readonly day: string;
}

/** The slots of the schedule on these days. They are times of the schedule's zone, also where another is shown. */
export function slotsOn(
  days: readonly WallTime[],
  { posting_slots, timezone }: Schedule,
  zone: string,
): readonly Slot[] {
  const [first] = days;
  if (first === undefined) return [];
  const shown = new Set(days.map(isoDay));
  // A day of one zone begins in the day before or ends in the day after of another.
  const around = Array.from({ length: days.length + 2 }, (_, index) => addDays(first, index - 1));
  return around
    .flatMap((day) =>
      posting_slots.flatMap((slot) => {
        const [, weekday, hour, minute] = /^(?:(\w{3}) )?(\d\d):(\d\d)$/.exec(slot) ?? [];
        if (hour === undefined || (weekday !== undefined && weekday !== WEEKDAYS[weekdayOf(day)])) return [];
        const at = instantOf({ ...day, hour: Number(hour), minute: Number(minute) }, timezone);
        const wall = wallTime(at, zone);
        return [{ at, wall, day: isoDay(wall) }];
      }),
    )
    .filter(({ day }) => shown.has(day));
}

/** Whether the loops work at an instant. */
export function isActiveAt(at: number, schedule: Schedule): boolean {
  const { active_hours_start: from, active_hours_end: to, active_days } = schedule;
  const wall = wallTime(at, schedule.timezone);
  const isOn = (day: WallTime) =>
    active_days.length === 0 || active_days.some((name) => name === WEEKDAYS[weekdayOf(day)]);
  if (from < to) return isOn(wall) && wall.hour >= from && wall.hour < to;
  // Overnight, or a whole day: the hours before the start belong to the day before.
  return wall.hour >= from ? isOn(wall) : wall.hour < to && isOn(addDays(wall, -1));
}
