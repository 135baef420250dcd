import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PendingItem, SignedIn } from "tuitbot/src/web/api.ts";
import { callTool, runCommand } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { changed, useQuery } from "../../api/query.ts";
import type { Draft } from "../../api/shapes.ts";
import { now } from "../../format/clock.ts";
import { DAY_MS, when } from "../../format/dates.ts";
import { addDays, isoDay, type WallTime, wallTime, weekdayOf } from "../../format/zones.ts";
import { Choices } from "../../parts/choices.tsx";
import { Icon } from "../../parts/icons.tsx";
import { useKeys } from "../../parts/keys.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { may, RoleNote } from "../../parts/role-note.tsx";
import { ScheduleDialog } from "../../parts/schedule-dialog.tsx";
import { toast } from "../../parts/toasts.tsx";
import { words } from "../../text/en.ts";
import { type Entry, entriesOf, entryKey } from "./entries.ts";
import { MonthGrid } from "./month-grid.tsx";
import { WeekGrid } from "./week-grid.tsx";

type Span = "week" | "month";

/** What goes out when, in the time zone of the schedule. */
export function Calendar({ here }: { readonly here: SignedIn }): JSX.Element {
  // The command has every one of recurring posts, and up to 500 drafts.
  const drafts = useQuery("scheduled", () => runCommand("drafts", { status: "scheduled" }), ["drafts"]);
  const pending = useQuery("pending", () => runCommand("pending"), ["approvals"]);
  const config = useQuery("config", () => runCommand("config"));
  const [zone, setZone] = useState(here.timezone);
  const [span, setSpan] = useState<Span>("week");
  const [shift, setShift] = useState(0);
  const [moving, setMoving] = useState<Entry>();
  const [problem, setProblem] = useState<Problem>();
  const today = wallTime(now.value, zone);
  const first = span === "week" ? addDays(today, -weekdayOf(today) + 7 * shift) : firstOfMonth(today, shift);
  const zoneHere = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set([here.timezone, zoneHere])];

  /** The post that was moved keeps the focus, in its new place. */
  const moved = useRef<string | undefined>(undefined);
  useEffect(() => {
    const chip = document.querySelector<HTMLElement>(`[data-entry="${moved.current}"]`);
    if (chip === null) return;
    moved.current = undefined;
    chip.focus();
  });

  async function move(entry: Entry, request: object) {
    setMoving(undefined);
    setProblem(undefined);
    const answer = await callTool<Draft>("schedule_draft", {
      id: entry.draftId,
      ...request,
      ...(entry.hasLink && { accept_url_price: true }),
    });
    if (!answer.ok) return setProblem(answer.failure);
    const at = answer.value.scheduled_for;
    if (at !== null) {
      setShift(shift + spansBetween(first, wallTime(Date.parse(at), zone), span));
      moved.current = entryKey(entry.draftId, Date.parse(at));
    }
    changed();
    toast(
      answer.value.approval === "waiting"
        ? words.calendar.movedAsks
        : words.compose.scheduled(at === null ? "" : when(at, now.value)),
    );
  }
  const moves = {
    canMove: may(here, "owner"),
    onOpen: setMoving,
    onMove: (entry: Entry, at: number) => void move(entry, { scheduled_for: new Date(at).toISOString() }),
  };
  useKeys({
    ArrowLeft: () => setShift(shift - 1),
    ArrowRight: () => setShift(shift + 1),
    w: () => setSpan("week"),
    m: () => setSpan("month"),
  });
  return (
    <Page
      title={words.views.calendar}
      lead={words.calendar.lead(zone)}
      actions={
        <>
          {zones.length > 1 && (
            <label class="field inline">
              <span>{words.calendar.zone}</span>
              <select value={zone} onChange={(event) => setZone(event.currentTarget.value)}>
                {zones.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          )}
          <Choices<Span>
            label={words.calendar.span}
            options={[
              { value: "week", label: words.calendar.week },
              { value: "month", label: words.calendar.month },
            ]}
            value={span}
            onChange={(value) => {
              setSpan(value);
              setShift(0);
            }}
          />
        </>
      }
    >
      {problem !== undefined && <ProblemBox problem={problem} />}
      <RoleNote here={here} needs="owner" what="move" />
      <Loaded query={drafts} height={480}>
        {({ drafts: all }) => {
          const entries = entriesOf(all, zone);
          const schedule = config.value?.config.schedule;
          return (
            <section class="panel calendar" aria-label={titleOf(first, span)}>
              <header>
                <h2 aria-live="polite">{titleOf(first, span)}</h2>
                <div class="row">
                  <button
                    type="button"
                    class="small square"
                    aria-label={words.calendar.before}
                    onClick={() => setShift(shift - 1)}
                  >
                    <Icon name="back" size={16} />
                  </button>
                  <button type="button" class="small" onClick={() => setShift(0)}>
                    {words.general.today}
                  </button>
                  <button
                    type="button"
                    class="small square"
                    aria-label={words.calendar.after}
                    onClick={() => setShift(shift + 1)}
                  >
                    <Icon name="next" size={16} />
                  </button>
                </div>
              </header>
              {span === "week" ? (
                <WeekGrid first={first} zone={zone} entries={entries} schedule={schedule} {...moves} />
              ) : (
                <MonthGrid first={first} zone={zone} entries={entries} {...moves} />
              )}
              <ul class="soft small legend">
                {(["approved", "waits", "slot", "quiet-hour"] as const).map((kind) => (
                  <li key={kind}>
                    <span class={`key ${kind}`} />
                    {words.calendar.legend[kind]}
                  </li>
                ))}
              </ul>
              {moves.canMove && <p class="soft small how">{words.calendar.how}</p>}
            </section>
          );
        }}
      </Loaded>
      <Waiting items={pending.value?.items ?? []} />
      {moving !== undefined && (
        <ScheduleDialog
          here={here}
          zone={zone}
          text={moving.text}
          note={moving.series === null ? undefined : words.calendar.recurs(moving.series)}
          current={new Date(moving.at).toISOString()}
          onClose={() => setMoving(undefined)}
          onSchedule={(request) => void move(moving, request)}
        />
      )}
    </Page>
  );
}

/** Scheduled posts go out only once they are approved. */
function Waiting({ items }: { readonly items: readonly PendingItem[] }): JSX.Element | null {
  const scheduled = items.filter(({ schedule }) => schedule !== undefined).length;
  if (scheduled === 0) return null;
  return (
    <p class="soft">
      {words.calendar.asks(scheduled)} <a href="#/inbox">{words.views.inbox}</a>
    </p>
  );
}

function firstOfMonth({ year, month }: WallTime, shift: number): WallTime {
  const moved = new Date(Date.UTC(year, month - 1 + shift, 1));
  return { year: moved.getUTCFullYear(), month: moved.getUTCMonth() + 1, day: 1, hour: 0, minute: 0 };
}

/** How many weeks or months later than the one that begins with `first` a day is shown. */
function spansBetween(first: WallTime, day: WallTime, span: Span): number {
  if (span === "month") return (day.year - first.year) * 12 + day.month - first.month;
  return Math.floor((Date.parse(isoDay(day)) - Date.parse(isoDay(first))) / WEEK_MS);
}

const WEEK_MS = 7 * DAY_MS;

function titleOf(first: WallTime, span: Span): string {
  const format = (wall: WallTime, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(navigator.language, { ...options, timeZone: "UTC" }).format(
      new Date(`${isoDay(wall)}T00:00:00Z`),
    );
  if (span === "month") return format(first, { month: "long", year: "numeric" });
  const last = addDays(first, 6);
  return `${format(first, { day: "numeric", month: "short" })} – ${format(last, { day: "numeric", month: "short", year: "numeric" })}`;
}
