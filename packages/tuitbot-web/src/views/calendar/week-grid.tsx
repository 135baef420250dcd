import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { now } from "../../format/clock.ts";
import { clockTime, weekdays } from "../../format/dates.ts";
import { addDays, instantOf, isoDay, type WallTime, wallTime } from "../../format/zones.ts";
import { Icon } from "../../parts/icons.tsx";
import { Plain } from "../../parts/post-text.tsx";
import { words } from "../../text/en.ts";
import { type Entry, entryKey, isActiveAt, laterBy, type Schedule, type Slot, slotsOn } from "./entries.ts";

interface Props {
  /** The Monday. */
  readonly first: WallTime;
  readonly zone: string;
  readonly entries: readonly Entry[];
  readonly schedule: Schedule | undefined;
  readonly canMove: boolean;
  readonly onOpen: (entry: Entry) => void;
  readonly onMove: (entry: Entry, at: number) => void;
}

/** Of the column with the hours, in pixels. */
const HOURS_WIDTH = 58;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** A week by the hour. An entry is dragged to another hour, or opened and given another time. */
export function WeekGrid(props: Props): JSX.Element {
  const { first, zone, entries, schedule, canMove } = props;
  const [dragged, setDragged] = useState<Entry>();
  const days = Array.from({ length: 7 }, (_, index) => addDays(first, index));
  const names = weekdays("short");
  const today = isoDay(wallTime(now.value, zone));
  const taken = new Set(entries.map(({ at }) => at));
  const slots =
    schedule === undefined
      ? []
      : slotsOn(days, schedule, zone).filter(({ at }) => at > now.value && !taken.has(at));
  const isActive = (day: WallTime, hour: number) =>
    schedule === undefined || isActiveAt(instantOf({ ...day, hour, minute: 0 }, zone), schedule);
  const shown = shownHours(days, entries, slots, isActive);
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
              {days.map((day) => (
                <td
                  key={isoDay(day)}
                  class={[
                    isActive(day, hour) ? "" : "quiet-hour",
                    dragged === undefined ? "" : "target",
                    isoDay(day) === today ? "today" : "",
                  ].join(" ")}
                  onDragOver={(event) => canMove && event.preventDefault()}
                  onDrop={() => drop(day, hour)}
                >
                  {[...entries, ...slots]
                    .filter((each) => each.day === isoDay(day) && each.wall.hour === hour)
                    .sort((one, other) => one.at - other.at)
                    .map((each) =>
                      isEntry(each) ? (
                        <EntryChip
                          key={entryKey(each.draftId, each.at)}
                          entry={each}
                          zone={zone}
                          canMove={canMove}
                          onOpen={() => props.onOpen(each)}
                          onMove={(at) => props.onMove(each, at)}
                          onDrag={setDragged}
                        />
                      ) : (
                        <span class="slot num" key={each.at}>
                          {clockTime(each.at, zone)}
                        </span>
                      ),
                    )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function isEntry(each: Entry | Slot): each is Entry {
  return "draftId" in each;
}

interface ChipProps {
  readonly entry: Entry;
  readonly zone: string;
  readonly canMove: boolean;
  readonly onOpen: () => void;
  readonly onMove: (at: number) => void;
  readonly onDrag: (entry: Entry | undefined) => void;
}

/** Days and hours by which an arrow key moves an entry. */
const STEPS: Readonly<Record<string, readonly [days: number, hours: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** A scheduled post. It is opened, dragged, or moved with Shift and an arrow key. */
export function EntryChip({ entry, zone, canMove, onOpen, onMove, onDrag }: ChipProps): JSX.Element {
  return (
    <button
      type="button"
      data-entry={entryKey(entry.draftId, entry.at)}
      aria-keyshortcuts={
        canMove ? "Shift+ArrowLeft Shift+ArrowRight Shift+ArrowUp Shift+ArrowDown" : undefined
      }
      class={entry.isWaiting ? "scheduled waits" : "scheduled"}
      draggable={canMove}
      onDragStart={() => onDrag(entry)}
      onDragEnd={() => onDrag(undefined)}
      onClick={onOpen}
      onKeyDown={(event) => {
        const step = event.shiftKey && canMove ? STEPS[event.key] : undefined;
        if (step === undefined) return;
        event.preventDefault();
        onMove(laterBy(entry, ...step, zone));
      }}
    >
      <span class="num">
        {clockTime(entry.at, zone)}
        {entry.posts > 1 && ` · ${words.inbox.threadOf(entry.posts)}`}
        {entry.series !== null && (
          <span class="recurs" title={words.calendar.recurs(entry.series)}>
            <Icon name="repost" size={13} />
            {words.calendar.ofSeries(entry.series.number, entry.series.of)}
          </span>
        )}
      </span>
      <span class="scheduled-text">
        <Plain text={entry.text.slice(0, 140)} />
      </span>
      {entry.isWaiting && <span class="visually-hidden">{words.calendar.legend.waits}</span>}
    </button>
  );
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
