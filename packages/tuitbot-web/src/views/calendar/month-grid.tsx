import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { now } from "../../format/clock.ts";
import { weekdays } from "../../format/dates.ts";
import { addDays, instantOf, isoDay, type WallTime, wallTime, weekdayOf } from "../../format/zones.ts";
import { type Entry, entryKey } from "./entries.ts";
import { EntryChip } from "./entry-chip.tsx";
import type { GridProps } from "./week-grid.tsx";

/** A month in whole weeks. An entry is dragged to another day at the same time of day. */
export function MonthGrid({ first, zone, entries, canMove, onOpen, onMove }: GridProps): JSX.Element {
  const [dragged, setDragged] = useState<Entry>();
  function drop(day: WallTime) {
    if (dragged === undefined) return;
    setDragged(undefined);
    const { hour, minute } = dragged.wall;
    const at = instantOf({ ...day, hour, minute }, zone);
    if (at !== dragged.at) onMove(dragged, at);
  }
  const start = addDays(first, -weekdayOf(first));
  const length = new Date(Date.UTC(first.year, first.month, 0)).getUTCDate();
  const weeks = Math.ceil((weekdayOf(first) + length) / 7);
  const today = isoDay(wallTime(now.value, zone));
  return (
    <table class="month">
      <thead>
        <tr>
          {weekdays("short").map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Array.from({ length: weeks }, (_, week) => (
          <tr key={week}>
            {Array.from({ length: 7 }, (_, index) => {
              const day = addDays(start, week * 7 + index);
              const name = isoDay(day);
              const isOther = day.month !== first.month;
              return (
                <td
                  key={name}
                  class={`${isOther ? "other" : ""} ${name === today ? "today" : ""} ${dragged === undefined ? "" : "target"}`}
                  onDragOver={(event) => canMove && event.preventDefault()}
                  onDrop={() => drop(day)}
                >
                  <span class="date num">{day.day}</span>
                  {entries
                    .filter((entry) => entry.day === name)
                    .map((entry) => (
                      <EntryChip
                        key={entryKey(entry)}
                        entry={entry}
                        zone={zone}
                        canMove={canMove}
                        onOpen={onOpen}
                        onMove={onMove}
                        onDrag={setDragged}
                      />
                    ))}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
