import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PendingItem, SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { useQuery } from "../../api/query.ts";
import { now } from "../../format/clock.ts";
import { dateTime, hourOfDay } from "../../format/dates.ts";
import { locale } from "../../format/locale.ts";
import { firstOf, mondayOf, weekOf } from "../../format/weeks.ts";
import { addDays, isoDay, type WallTime, wallTime, weekdayOf } from "../../format/zones.ts";
import { Choices } from "../../parts/choices.tsx";
import { Icon } from "../../parts/icons.tsx";
import { useKeys } from "../../parts/keys.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { may, RoleNote } from "../../parts/role-note.tsx";
import { addressOf, go, route } from "../../parts/route.ts";
import { ScheduleDialog, type SendTime } from "../../parts/schedule-dialog.tsx";
import { isPhone } from "../../parts/screen.ts";
import { send } from "../../parts/sending.ts";
import { words } from "../../text/words.ts";
import { Agenda } from "./agenda.tsx";
import { type Entry, entriesOf, entryKey } from "./entries.ts";
import { EntryCard } from "./entry-card.tsx";
import { MonthGrid } from "./month-grid.tsx";
import { WeekGrid } from "./week-grid.tsx";

type Span = "week" | "month";
type Layout = Span | "list";

/** Posts by time, in the time zone of the schedule. The week or month is part of the address. */
export function Calendar({ here }: { readonly here: SignedIn }): JSX.Element {
  // The command has every one of recurring posts, and up to 500 drafts.
  const drafts = useQuery("scheduled", () => runCommand("drafts", { status: "scheduled" }), ["drafts"]);
  const pending = useQuery("pending", () => runCommand("pending"), ["approvals"]);
  const config = useQuery("config", () => runCommand("config"));
  const published = useQuery("performance-90", () => runCommand("performance", { days: 90 }), ["activity"]);
  const stats = useQuery("stats", () => runCommand("stats"), ["runner"]);
  const [zone, setZone] = useState(here.timezone);
  const [opened, setOpened] = useState<{ readonly entry: Entry; readonly near: DOMRect }>();
  const [moving, setMoving] = useState<Entry>();
  const [problem, setProblem] = useState<Problem>();
  const today = wallTime(now.value, zone);
  const { thing = "", filters } = route.value;
  /** A week as a list; phones have no other. */
  const isList = filters.as === "list";
  const month = firstOf(thing);
  const span: Span = month === undefined ? "week" : "month";
  const first = month ?? mondayOf(thing) ?? addDays(today, -weekdayOf(today));
  const show = (day: WallTime, as: Layout) =>
    go(
      addressOf(
        "calendar",
        as === "month" ? isoDay(day).slice(0, 7) : weekOf(day),
        as === "list" ? { as } : {},
      ),
    );
  const layout: Layout = span === "week" && isList ? "list" : span;
  const step = (by: number) =>
    show(span === "week" ? addDays(first, 7 * by) : firstOfMonth(first, by), layout);
  const zoneHere = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set([here.timezone, zoneHere])];
  const bestHours = zone === here.timezone ? (stats.value?.best_hours ?? []) : [];

  /** The post that was moved keeps the focus, in its new place. */
  const moved = useRef<string | undefined>(undefined);
  useEffect(() => {
    const chip = document.querySelector<HTMLElement>(`[data-entry="${moved.current}"]`);
    if (chip === null) return;
    moved.current = undefined;
    chip.focus();
  });

  async function move(entry: Entry, time: SendTime) {
    if (entry.draft === undefined) return;
    setMoving(undefined);
    setProblem(undefined);
    const sent = await send(entry.draft, time, (at) => words.calendar.moved(dateTime(at, zone)));
    if (!sent.ok) return setProblem(sent.failure);
    const at = sent.value.draft.scheduled_for;
    if (at === null) return;
    const day = wallTime(Date.parse(at), zone);
    const shown = span === "week" ? weekOf(day) === weekOf(first) : day.month === first.month;
    if (!shown) show(day, layout);
    moved.current = entryKey({ id: entry.id, at: Date.parse(at) });
  }
  const moves = {
    canMove: may(here, "owner"),
    onOpen: (entry: Entry, chip: Element) => setOpened({ entry, near: chip.getBoundingClientRect() }),
    onMove: (entry: Entry, at: number) => void move(entry, { scheduled_for: new Date(at).toISOString() }),
  };
  useKeys({
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    w: () => show(span === "week" ? first : startOf(first, today), "week"),
    m: () => show(first, "month"),
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
          <Choices<Layout>
            label={words.calendar.span}
            options={[
              { value: "week", label: words.calendar.week },
              { value: "month", label: words.calendar.month },
              ...(isPhone.value ? [] : [{ value: "list" as const, label: words.calendar.list }]),
            ]}
            value={isPhone.value ? span : layout}
            onChange={(value) =>
              show(value !== "month" && span === "month" ? startOf(first, today) : first, value)
            }
          />
          <a class="button primary" href={addressOf("compose")}>
            <Icon name="plus" size={16} />
            {words.calendar.create}
          </a>
        </>
      }
    >
      {problem !== undefined && <ProblemBox problem={problem} />}
      <RoleNote here={here} needs="owner" what="move" />
      <Loaded query={drafts} height={480}>
        {({ drafts: all }) => {
          const entries = entriesOf(all, published.value?.posts ?? [], zone);
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
                    onClick={() => step(-1)}
                  >
                    <Icon name="back" size={16} />
                  </button>
                  <button type="button" class="small" onClick={() => show(today, layout)}>
                    {words.general.today}
                  </button>
                  <button
                    type="button"
                    class="small square"
                    aria-label={words.calendar.after}
                    onClick={() => step(1)}
                  >
                    <Icon name="next" size={16} />
                  </button>
                </div>
              </header>
              {span === "week" ? (
                isPhone.value || isList ? (
                  <Agenda first={first} zone={zone} entries={entries} schedule={schedule} {...moves} />
                ) : (
                  <WeekGrid
                    first={first}
                    zone={zone}
                    entries={entries}
                    schedule={schedule}
                    best={new Set(bestHours.map(({ hour }) => hour))}
                    {...moves}
                  />
                )
              ) : (
                <MonthGrid first={first} zone={zone} entries={entries} {...moves} />
              )}
              <ul class="soft small legend">
                {(["approved", "waits", "published", "slot", "quiet-hour"] as const).map((kind) => (
                  <li key={kind}>
                    <span class={`key ${kind}`} />
                    {words.calendar.legend[kind]}
                  </li>
                ))}
                <li>
                  <span class="key best" />
                  {bestHours.length === 0
                    ? words.calendar.noBest
                    : words.calendar.best(
                        bestHours.map(({ hour, posts }) => words.calendar.bestHour(hourOfDay(hour), posts)),
                      )}
                </li>
              </ul>
              {moves.canMove && <p class="soft small how">{words.calendar.how}</p>}
            </section>
          );
        }}
      </Loaded>
      <Waiting items={pending.value?.items ?? []} />
      {opened !== undefined && (
        <EntryCard
          entry={opened.entry}
          near={isPhone.value ? undefined : opened.near}
          here={here}
          zone={zone}
          item={pending.value?.items.find(({ id }) => id === opened.entry.draft?.approval_queue_id)}
          onMove={() => {
            setMoving(opened.entry);
            setOpened(undefined);
          }}
          onClose={() => setOpened(undefined)}
        />
      )}
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

/** Posts that are scheduled and still need an approval. */
function Waiting({ items }: { readonly items: readonly PendingItem[] }): JSX.Element | null {
  const scheduled = items.filter(({ schedule }) => schedule !== undefined).length;
  if (scheduled === 0) return null;
  return (
    <p class="soft">
      {words.calendar.asks(scheduled)} <a href={addressOf("inbox")}>{words.calendar.review}</a>
    </p>
  );
}

function firstOfMonth({ year, month }: WallTime, shift: number): WallTime {
  const moved = new Date(Date.UTC(year, month - 1 + shift, 1));
  return { year: moved.getUTCFullYear(), month: moved.getUTCMonth() + 1, day: 1, hour: 0, minute: 0 };
}

/** The day whose week is shown after a month: today if it is in the month. */
function startOf(first: WallTime, today: WallTime): WallTime {
  return first.year === today.year && first.month === today.month ? today : first;
}

function titleOf(first: WallTime, span: Span): string {
  const format = (wall: WallTime, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" }).format(
      new Date(`${isoDay(wall)}T00:00:00Z`),
    );
  if (span === "month") return format(first, { month: "long", year: "numeric" });
  const last = addDays(first, 6);
  return `${format(first, { day: "numeric", month: "short" })} – ${format(last, { day: "numeric", month: "short", year: "numeric" })}`;
}
