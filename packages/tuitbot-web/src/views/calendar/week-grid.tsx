import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { now } from "../../format/clock.ts";
import { clockTime, day as dayName, hourOfDay, weekdays } from "../../format/dates.ts";
import { addDays, instantOf, isoDay, type WallTime, wallTime } from "../../format/zones.ts";
import { addressOf } from "../../parts/route.ts";
import { words } from "../../text/words.ts";
import { type Entry, entryKey, isActiveAt, lanesOf, type Schedule, type Slot, slotsOn } from "./entries.ts";
import { EntryChip } from "./entry-chip.tsx";

export interface GridProps {
  /** The first day that is shown. */
  readonly first: WallTime;
  readonly zone: string;
  readonly entries: readonly Entry[];
  readonly canMove: boolean;
  readonly onOpen: (entry: Entry, chip: Element) => void;
  readonly onMove: (entry: Entry, at: number) => void;
}

export interface WeekProps extends GridProps {
  readonly schedule: Schedule | undefined;
  /** Hours of the day in which posts did best. */
  readonly best: ReadonlySet<number>;
}

const HOUR_PX = 48;
/** A chip has two lines, and lasts about as long on the grid. */
const CHIP_MINUTES = 56;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** A week as a grid of time: everything is at its minute. A click on an hour writes a post for it. */
export function WeekGrid(props: WeekProps): JSX.Element {
  const { first, zone, entries, schedule, canMove, best } = props;
  const [dragged, setDragged] = useState<Entry>();
  const days = Array.from({ length: 7 }, (_, index) => addDays(first, index));
  const names = weekdays("short");
  const today = wallTime(now.value, zone);
  const slots = freeSlots(days, entries, schedule, zone);
  const isActive = (day: WallTime, hour: number) =>
    schedule === undefined || isActiveAt(instantOf({ ...day, hour, minute: 0 }, zone), schedule);
  const shown = shownHours(days, entries, slots, isActive);
  const start = shown[0] ?? 0;
  const top = ({ hour, minute }: WallTime) => `${(hour - start + minute / 60) * HOUR_PX}px`;
  function dropAt(time: (entry: Entry) => number) {
    if (dragged === undefined) return;
    setDragged(undefined);
    const at = time(dragged);
    if (at !== dragged.at) props.onMove(dragged, at);
  }
  const drop = (day: WallTime, hour: number) =>
    dropAt(({ wall }) => instantOf({ ...day, hour, minute: wall.minute }, zone));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it may be wider than the screen, and scrolls
    <section class="week-box" tabIndex={0} aria-label={words.calendar.week}>
      <div class="week">
        <div class="week-head" />
        {days.map((day, index) => (
          <div key={isoDay(day)} class={isoDay(day) === isoDay(today) ? "week-head today" : "week-head"}>
            {names[index]} <b>{day.day}</b>
          </div>
        ))}
        <div class="hours num" style={{ height: `${shown.length * HOUR_PX}px` }} aria-hidden="true">
          {shown.slice(1).map((hour) => (
            <span key={hour} style={{ top: `${(hour - start) * HOUR_PX}px` }}>
              {hourOfDay(hour)}
            </span>
          ))}
        </div>
        {days.map((day) => {
          const name = isoDay(day);
          const ofDay = entries.filter((entry) => entry.day === name);
          const lanes = lanesOf(ofDay, CHIP_MINUTES);
          return (
            <section
              key={name}
              class={name === isoDay(today) ? "day-column today" : "day-column"}
              aria-label={dayName(name, "long")}
            >
              {/* The keyboard has the free slots and the button for a new post. */}
              <div aria-hidden="true">
                {shown.map((hour) => (
                  <a
                    key={hour}
                    class={[
                      "hour-cell",
                      isActive(day, hour) ? "" : "quiet-hour",
                      best.has(hour) ? "best" : "",
                      dragged === undefined ? "" : "target",
                    ].join(" ")}
                    data-cell={`${name} ${hour}`}
                    href={composeAt(instantOf({ ...day, hour, minute: 0 }, zone))}
                    tabIndex={-1}
                    draggable={false}
                    onDragOver={(event) => canMove && event.preventDefault()}
                    onDrop={() => drop(day, hour)}
                  >
                    <span>{hourOfDay(hour)} +</span>
                  </a>
                ))}
              </div>
              {slots
                .filter((slot) => slot.day === name)
                .map((slot) => (
                  <a
                    key={slot.at}
                    class="slot num"
                    style={{ top: top(slot.wall) }}
                    href={composeAt(slot.at)}
                    aria-label={words.calendar.writeAt(clockTime(slot.at, zone))}
                    draggable={false}
                    onDragOver={(event) => canMove && event.preventDefault()}
                    onDrop={() => dropAt(() => slot.at)}
                  >
                    {clockTime(slot.at, zone)} +
                  </a>
                ))}
              {ofDay.map((entry, index) => {
                const { lane, of } = lanes[index] ?? { lane: 0, of: 1 };
                return (
                  <div
                    key={entryKey(entry)}
                    class="placed"
                    style={{
                      top: top(entry.wall),
                      insetInlineStart: `${(lane / of) * 100}%`,
                      width: `${100 / of}%`,
                    }}
                  >
                    <EntryChip
                      entry={entry}
                      zone={zone}
                      canMove={canMove}
                      onOpen={props.onOpen}
                      onMove={props.onMove}
                      onDrag={setDragged}
                      // Over the chip that is dragged, the hour below it is meant.
                      onDrop={() => drop(day, entry.wall.hour)}
                    />
                  </div>
                );
              })}
              {name === isoDay(today) && today.hour >= start && (
                <div class="now-line" style={{ top: top(today) }} title={clockTime(now.value, zone)} />
              )}
            </section>
          );
        })}
      </div>
    </section>
  );
}

/** The address of the editor for a post at this time. */
export function composeAt(at: number): string {
  return addressOf("compose", undefined, { at: new Date(at).toISOString() });
}

/** The slots on these days that are not over and not taken. */
export function freeSlots(
  days: readonly WallTime[],
  entries: readonly Entry[],
  schedule: Schedule | undefined,
  zone: string,
): readonly Slot[] {
  if (schedule === undefined) return [];
  const taken = new Set(entries.map(({ at }) => at));
  return slotsOn(days, schedule, zone).filter(({ at }) => at > now.value && !taken.has(at));
}

/** The hours in which something can happen, those in which something does, and one on each side. */
function shownHours(
  days: readonly WallTime[],
  entries: readonly Entry[],
  slots: readonly Slot[],
  isActive: (day: WallTime, hour: number) => boolean,
): readonly number[] {
  const names = new Set(days.map(isoDay));
  const used = [
    ...entries.filter(({ day }) => names.has(day)).map(({ wall }) => wall.hour),
    ...slots.map(({ wall }) => wall.hour),
    ...HOURS.filter((hour) => days.some((day) => isActive(day, hour))),
  ];
  const [first, last] = used.length === 0 ? [7, 22] : [Math.min(...used), Math.max(...used)];
  return HOURS.filter((hour) => hour >= first - 1 && hour <= last + 1);
}
