import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { now } from "../../format/clock.ts";
import { clockTime, weekdays } from "../../format/dates.ts";
import { addDays, instantOf, isoDay, type WallTime, wallTime } from "../../format/zones.ts";
import { Plain } from "../../parts/post-text.tsx";
import { words } from "../../text/en.ts";
import type { Entry, Slot } from "./entries.ts";

interface Props {
  /** The Monday. */
  readonly first: WallTime;
  readonly zone: string;
  readonly entries: readonly Entry[];
  readonly slots: readonly Slot[];
  readonly activeHours: readonly [number, number] | undefined;
  readonly canMove: boolean;
  readonly onOpen: (entry: Entry) => void;
  readonly onMove: (entry: Entry, at: number) => void;
}

/** Of the column with the hours, in pixels. */
const HOURS_WIDTH = 58;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** A week by the hour. An entry is dragged to another hour, or opened and given another time. */
export function WeekGrid(props: Props): JSX.Element {
  const { first, zone, entries, slots, activeHours, canMove } = props;
  const [dragged, setDragged] = useState<Entry>();
  const days = Array.from({ length: 7 }, (_, index) => addDays(first, index));
  const names = weekdays("short");
  const today = isoDay(wallTime(now.value, zone));
  const shown = shownHours(entries, slots, activeHours, new Set(days.map(isoDay)));
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone only some days fit: those from today on.
    const column = box.current?.querySelector<HTMLElement>("th.today");
    if (column) box.current?.scrollTo({ left: column.offsetLeft - HOURS_WIDTH });
  }, []);
  function drop(day: WallTime, hour: number) {
    if (dragged === undefined) return;
    setDragged(undefined);
    const at = instantOf({ ...day, hour, minute: dragged.wall.minute }, zone);
    if (at !== dragged.at) props.onMove(dragged, at);
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it is wider than a phone, and scrolled
    <section ref={box} class="week-box" tabIndex={0} aria-label={words.calendar.week}>
      <table class="week">
        <thead>
          <tr>
            <td />
            {days.map((day, index) => (
              <th key={isoDay(day)} scope="col" class={isoDay(day) === today ? "today" : ""}>
                {names[index]} <b>{day.day}</b>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((hour) => (
            <tr key={hour}>
              <th scope="row" class="num">
                {String(hour).padStart(2, "0")}:00
              </th>
              {days.map((day, index) => (
                <td
                  key={isoDay(day)}
                  class={cellClass(hour, activeHours, dragged !== undefined, isoDay(day) === today)}
                  onDragOver={(event) => canMove && event.preventDefault()}
                  onDrop={() => drop(day, hour)}
                >
                  {slots
                    .filter(
                      (slot) =>
                        slot.hour === hour &&
                        (slot.weekday === undefined || slot.weekday === index) &&
                        !entries.some(
                          ({ day: entryDay, wall }) =>
                            entryDay === isoDay(day) && wall.hour === hour && wall.minute === slot.minute,
                        ),
                    )
                    .map(({ minute }) => (
                      <span class="slot num" key={minute}>
                        {String(hour).padStart(2, "0")}:{String(minute).padStart(2, "0")}
                      </span>
                    ))}
                  {entries
                    .filter((entry) => entry.day === isoDay(day) && entry.wall.hour === hour)
                    .map((entry) => (
                      <EntryChip
                        key={entry.draftId}
                        entry={entry}
                        zone={zone}
                        canMove={canMove}
                        onOpen={() => props.onOpen(entry)}
                        onDrag={setDragged}
                      />
                    ))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface ChipProps {
  readonly entry: Entry;
  readonly zone: string;
  readonly canMove: boolean;
  readonly onOpen: () => void;
  readonly onDrag?: (entry: Entry | undefined) => void;
}

export function EntryChip({ entry, zone, canMove, onOpen, onDrag }: ChipProps): JSX.Element {
  return (
    <button
      type="button"
      class={entry.isWaiting ? "scheduled waits" : "scheduled"}
      draggable={canMove && onDrag !== undefined}
      disabled={!canMove}
      onDragStart={() => onDrag?.(entry)}
      onDragEnd={() => onDrag?.(undefined)}
      onClick={onOpen}
    >
      <span class="num">
        {clockTime(entry.at, zone)}
        {entry.posts > 1 && ` · ${words.inbox.threadOf(entry.posts)}`}
      </span>
      <span class="scheduled-text">
        <Plain text={entry.text.slice(0, 140)} />
      </span>
      {entry.isWaiting && <span class="visually-hidden">{words.calendar.waits}</span>}
    </button>
  );
}

function cellClass(
  hour: number,
  active: readonly [number, number] | undefined,
  isDragging: boolean,
  isToday: boolean,
): string {
  const [from, to] = active ?? [0, 24];
  const isActive = from <= to ? hour >= from && hour < to : hour >= from || hour < to;
  return [isActive ? "" : "quiet-hour", isDragging ? "target" : "", isToday ? "today" : ""].join(" ");
}

/** The hours in which something can happen, and those in which something does. */
function shownHours(
  entries: readonly Entry[],
  slots: readonly Slot[],
  active: readonly [number, number] | undefined,
  days: ReadonlySet<string>,
): readonly number[] {
  const [from, to] = active ?? [7, 23];
  if (from > to) return HOURS;
  const used = [
    ...entries.filter(({ day }) => days.has(day)).map(({ wall }) => wall.hour),
    ...slots.map(({ hour }) => hour),
  ];
  const first = Math.min(from, ...used);
  const last = Math.max(to, ...used);
  return HOURS.filter((hour) => hour >= first && hour <= last);
}
