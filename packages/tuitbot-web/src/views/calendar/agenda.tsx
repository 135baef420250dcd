import type { JSX } from "preact";
import { now } from "../../format/clock.ts";
import { clockTime, day as dayName } from "../../format/dates.ts";
import { addDays, isoDay, wallTime } from "../../format/zones.ts";
import { words } from "../../text/words.ts";
import { entryKey } from "./entries.ts";
import { EntryChip } from "./entry-chip.tsx";
import { composeAt, freeSlots, type WeekProps } from "./week-grid.tsx";

/** A week as a list of days, for a phone. */
export function Agenda({
  first,
  zone,
  entries,
  schedule,
  onOpen,
  onMove,
}: Omit<WeekProps, "best" | "canMove">): JSX.Element {
  const days = Array.from({ length: 7 }, (_, index) => addDays(first, index));
  const today = isoDay(wallTime(now.value, zone));
  const slots = freeSlots(days, entries, schedule, zone);
  return (
    <ol class="agenda">
      {days.map(isoDay).map((name) => {
        const all = [
          ...entries.map((entry) => ({ at: entry.at, day: entry.day, entry })),
          ...slots.map(({ at, day }) => ({ at, day, entry: undefined })),
        ]
          .filter(({ day }) => day === name)
          .sort((one, other) => one.at - other.at);
        return (
          <li key={name} class={name === today ? "today" : undefined}>
            <h3>{dayName(name, "long")}</h3>
            {all.length === 0 && <p class="soft small">{words.calendar.nothing}</p>}
            {all.map((each) =>
              each.entry !== undefined ? (
                <EntryChip
                  key={entryKey(each.entry)}
                  entry={each.entry}
                  zone={zone}
                  canMove={false}
                  onOpen={onOpen}
                  onMove={onMove}
                  onDrag={() => undefined}
                />
              ) : (
                <a
                  key={each.at}
                  class="slot num"
                  href={composeAt(each.at)}
                  aria-label={words.calendar.writeAt(clockTime(each.at, zone))}
                >
                  {clockTime(each.at, zone)} +
                </a>
              ),
            )}
          </li>
        );
      })}
    </ol>
  );
}
