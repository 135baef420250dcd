import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../api/client.ts";
import type { Problem } from "../api/problem.ts";
import { useQuery } from "../api/query.ts";
import { now } from "../format/clock.ts";
import { dateTime, HOUR_MS } from "../format/dates.ts";
import { addDays, instantOf, isoDay, wallTime } from "../format/zones.ts";
import { words } from "../text/words.ts";
import { Dialog, DialogEnd } from "./dialog.tsx";
import { Plain } from "./post-text.tsx";
import { ProblemBox } from "./problem-box.tsx";
import { may, RoleNote } from "./role-note.tsx";

interface Props {
  readonly here: SignedIn;
  readonly zone: string;
  readonly current?: string | undefined;
  /** The scheduled content, if the page around the dialog does not show it. */
  readonly text?: string | undefined;
  /** Additional information about it. */
  readonly note?: string | undefined;
  /** Why the last answer was refused. */
  readonly problem?: Problem | undefined;
  readonly isBusy?: boolean;
  readonly onClose: () => void;
  readonly onSchedule: (time: SendTime) => void;
}

/** A time, or the next free posting slot. */
export type SendTime = { readonly scheduled_for: string } | { readonly next_slot: true };

/** Asks when a draft goes out, in the time zone of the schedule. */
export function ScheduleDialog(props: Props): JSX.Element {
  const { here, zone, current, text, note, problem, isBusy = false, onClose, onSchedule } = props;
  const isOff = isBusy || !may(here, "owner");
  const [value, setValue] = useState(() =>
    fieldValue(current === undefined ? now.peek() + HOUR_MS : Date.parse(current), zone),
  );
  const stats = useQuery("stats", () => runCommand("stats"), ["runner"]);
  const best = (stats.value?.best_hours ?? []).slice(0, MAX_SUGGESTED);
  const instant = instantIn(value, zone);
  return (
    <Dialog title={words.compose.scheduleTitle} onClose={onClose}>
      {text !== undefined && (
        <blockquote class="quoted">
          <Plain text={text} />
        </blockquote>
      )}
      {note !== undefined && <p class="soft small">{note}</p>}
      <label class="field">
        <span>{words.compose.timeIn(zone)}</span>
        <input
          type="datetime-local"
          value={value}
          disabled={isOff}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      </label>
      {best.length > 0 && (
        <p class="row small">
          <span class="soft">{words.compose.bestTimes}</span>
          {best.map(({ hour, posts }) => {
            const at = nextTimeOf(hour, here.timezone);
            return (
              <button
                key={hour}
                type="button"
                class="small"
                disabled={isOff}
                onClick={() => setValue(fieldValue(at, zone))}
              >
                {words.compose.bestTime(dateTime(new Date(at).toISOString(), zone), posts)}
              </button>
            );
          })}
        </p>
      )}
      {instant !== undefined && (
        <p class="soft small">
          {words.compose.timeHere(dateTime(new Date(instant).toISOString(), browserZone()))}
        </p>
      )}
      {problem !== undefined && <ProblemBox problem={problem} />}
      <RoleNote here={here} needs="owner" what="move" />
      <DialogEnd onClose={onClose}>
        <button type="button" disabled={isOff} onClick={() => onSchedule({ next_slot: true })}>
          {words.inbox.slot}
        </button>
        <button
          type="button"
          class="primary"
          disabled={isOff || instant === undefined}
          onClick={() => onSchedule({ scheduled_for: new Date(instant ?? 0).toISOString() })}
        >
          {words.compose.scheduleYes}
        </button>
      </DialogEnd>
    </Dialog>
  );
}

const MAX_SUGGESTED = 2;

/** The value of a date and time input. */
function fieldValue(at: number, zone: string): string {
  const wall = wallTime(at, zone);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${isoDay(wall)}T${two(wall.hour)}:${two(wall.minute)}`;
}

/** The next time at which clocks show a whole hour. */
function nextTimeOf(hour: number, zone: string): number {
  const today = wallTime(now.peek(), zone);
  const on = (days: number) => instantOf({ ...addDays(today, days), hour, minute: 0 }, zone);
  return on(0) > now.peek() ? on(0) : on(1);
}

function instantIn(value: string, zone: string): number | undefined {
  const [, year, month, day, hour, minute] = /^(\d+)-(\d+)-(\d+)T(\d+):(\d+)/.exec(value) ?? [];
  if (year === undefined) return undefined;
  return instantOf(
    {
      year: Number(year),
      month: Number(month),
      day: Number(day),
      hour: Number(hour),
      minute: Number(minute),
    },
    zone,
  );
}

function browserZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
