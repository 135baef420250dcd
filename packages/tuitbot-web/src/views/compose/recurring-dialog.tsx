import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callTool } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import type { RecurringPosts } from "../../api/shapes.ts";
import { now } from "../../format/clock.ts";
import { weekdays } from "../../format/dates.ts";
import { addDays, instantOf, isoDay, WEEKDAYS, wallTime } from "../../format/zones.ts";
import { Dialog, DialogEnd } from "../../parts/dialog.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { words } from "../../text/words.ts";

interface Props {
  readonly zone: string;
  /** How many texts take turns. */
  readonly variants: number;
  /** The posts, as the tool takes them. */
  readonly content: object;
  readonly onClose: () => void;
  readonly onDone: (made: RecurringPosts) => void;
}

const FIRST_SPAN_DAYS = 28;

/** Asks on which days and at what time posts recur, and until when, in the time zone of the schedule. */
export function RecurringDialog({ zone, variants, content, onClose, onDone }: Props): JSX.Element {
  const texts = words.compose.recurring;
  const [days, setDays] = useState<ReadonlySet<string>>(new Set());
  const [time, setTime] = useState("09:30");
  const [until, setUntil] = useState(() => isoDay(addDays(wallTime(now.peek(), zone), FIRST_SPAN_DAYS)));
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const names = weekdays("short");
  const end = endOf(until, zone);

  function toggle(day: string) {
    const next = new Set(days);
    if (!next.delete(day)) next.add(day);
    setDays(next);
  }
  async function create(event: Event) {
    event.preventDefault();
    if (end === undefined) return;
    setBusy(true);
    const chosen = WEEKDAYS.filter((day) => days.has(day));
    const answer = await callTool<RecurringPosts>("create_recurring_posts", {
      ...content,
      // No day is every day.
      repeats: [...(chosen.length === 0 ? [] : [chosen.join(",")]), time].join(" "),
      until: end,
    });
    setBusy(false);
    setProblem(answer.ok ? undefined : answer.failure);
    if (answer.ok) onDone(answer.value);
  }
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <form class="recurring" onSubmit={create}>
        <p class="soft">{texts.what(variants)}</p>
        <fieldset>
          <legend>{texts.days}</legend>
          <div class="choices">
            {WEEKDAYS.map((day, index) => (
              <button key={day} type="button" aria-pressed={days.has(day)} onClick={() => toggle(day)}>
                {names[index]}
              </button>
            ))}
          </div>
          {days.size === 0 && <p class="soft small">{texts.everyDay}</p>}
        </fieldset>
        <div class="row">
          <label class="field">
            <span>{words.compose.timeIn(zone)}</span>
            <input
              type="time"
              required
              value={time}
              onInput={(event) => setTime(event.currentTarget.value)}
            />
          </label>
          <label class="field">
            <span>{texts.until}</span>
            <input
              type="date"
              required
              value={until}
              onInput={(event) => setUntil(event.currentTarget.value)}
            />
          </label>
        </div>
        {problem !== undefined && <ProblemBox problem={problem} />}
        <DialogEnd onClose={onClose}>
          <button type="submit" class="primary" disabled={isBusy || end === undefined}>
            {texts.create}
          </button>
        </DialogEnd>
      </form>
    </Dialog>
  );
}

/** The last minute of a day. */
function endOf(day: string, zone: string): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  if (year === undefined) return undefined;
  const wall = { year: Number(year), month: Number(month), day: Number(date), hour: 23, minute: 59 };
  return new Date(instantOf(wall, zone)).toISOString();
}
