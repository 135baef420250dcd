import type { Draft, PublishedPost, ShownConfig } from "../../api/shapes.ts";
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

/** A post in the calendar: a draft with a time, or one that was published. */
export interface Entry {
  /** Undefined for a published post. */
  readonly draft: Draft | undefined;
  readonly id: string;
  readonly at: number;
  /** The local time in the calendar's zone. */
  readonly wall: WallTime;
  readonly day: string;
  readonly text: string;
  readonly posts: number;
  readonly state: "approved" | "waits" | "published";
  /** Which of recurring posts it is. */
  readonly series: Draft["series"];
}

/** Names an entry at its time: recurring posts share a draft. */
export function entryKey({ id, at }: Pick<Entry, "id" | "at">): string {
  return `${id} ${at}`;
}

export function entriesOf(
  drafts: readonly Draft[],
  published: readonly PublishedPost[],
  zone: string,
): readonly Entry[] {
  const place = (iso: string) => {
    const at = Date.parse(iso);
    const wall = wallTime(at, zone);
    return { at, wall, day: isoDay(wall) };
  };
  return [
    ...drafts.flatMap((draft): Entry[] =>
      draft.scheduled_for === null
        ? []
        : [
            {
              ...place(draft.scheduled_for),
              draft,
              id: String(draft.draft_id),
              text: draft.texts.join("\n\n"),
              posts: draft.texts.length,
              state: draft.approval === "waiting" ? "waits" : "approved",
              series: draft.series,
            },
          ],
    ),
    ...published
      .filter(({ kind }) => kind !== "reply")
      .map(
        (post): Entry => ({
          ...place(post.published_at),
          draft: undefined,
          id: `post-${post.id}`,
          text: post.text,
          posts: 1,
          state: "published",
          series: null,
        }),
      ),
  ].sort((a, b) => a.at - b.at);
}

/** Places overlapping entries next to each other: the lane of each, and the number of lanes. */
export function lanesOf(
  entries: readonly Pick<Entry, "at">[],
  minutes: number,
): readonly { readonly lane: number; readonly of: number }[] {
  const lanes: number[] = [];
  const result: { lane: number; of: number }[] = [];
  let group: { lane: number; of: number }[] = [];
  for (const { at } of entries) {
    if (lanes.every((end) => end <= at)) {
      lanes.length = 0;
      group = [];
    }
    const free = lanes.findIndex((end) => end <= at);
    const lane = free === -1 ? lanes.length : free;
    lanes[lane] = at + minutes * 60_000;
    const placed = { lane, of: 1 };
    group.push(placed);
    result.push(placed);
    for (const one of group) one.of = lanes.length;
  }
  return result;
}

/** The time that is so many days, by the clock of the calendar's zone, and hours later. */
export function laterBy({ at, wall }: Entry, days: number, hours: number, zone: string): number {
  const day =
    days === 0 ? at : instantOf({ ...addDays(wall, days), hour: wall.hour, minute: wall.minute }, zone);
  return day + hours * HOUR_MS;
}

/** The part of the configuration that the calendar shows. */
export type Schedule = Pick<
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
  // A day in one zone starts on the day before, or ends on the day after, in another.
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
