import { weighPost } from "@toolpact/x-api/text";
import type { Draft, ShownConfig } from "../../api/shapes.ts";
import { isoDay, type WallTime, wallTime } from "../../format/zones.ts";

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
          hasLink: draft.texts.some((text) => weighPost(text).billable_as === "post_with_url"),
        },
      ];
    })
    .sort((a, b) => a.at - b.at);
}

/** A time of the week at which drafts may go out. */
export interface Slot {
  /** Undefined for every day; 0 is Monday. */
  readonly weekday: number | undefined;
  readonly hour: number;
  readonly minute: number;
}

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

export function slotsOf(schedule: ShownConfig["config"]["schedule"] | undefined): readonly Slot[] {
  return (schedule?.posting_slots ?? []).flatMap((slot) => {
    const [, weekday, hour, minute] = /^(?:(\w{3}) )?(\d\d):(\d\d)$/.exec(slot) ?? [];
    if (hour === undefined) return [];
    return [
      {
        weekday: weekday === undefined ? undefined : WEEKDAYS.indexOf(weekday),
        hour: Number(hour),
        minute: Number(minute),
      },
    ];
  });
}
