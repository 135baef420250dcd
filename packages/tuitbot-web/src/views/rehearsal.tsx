import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../api/client.ts";
import type { Problem } from "../api/problem.ts";
import type { Rehearsal } from "../api/shapes.ts";
import { clockTime, dateTime, day } from "../format/dates.ts";
import { count, price } from "../format/numbers.ts";
import { DataTable } from "../parts/chart-panel.tsx";
import { Choices } from "../parts/choices.tsx";
import { Icon } from "../parts/icons.tsx";
import { Plain } from "../parts/post-text.tsx";
import { ProblemBox } from "../parts/problem-box.tsx";
import { may, RoleNote } from "../parts/role-note.tsx";
import { words } from "../text/words.ts";

const SPANS = [1, 7, 14] as const;
const TONES = { goes_out: "ok", waits: "warn", refused: "bad" };

interface State {
  readonly running: { readonly days: number; readonly stop: () => void } | undefined;
  readonly report: Rehearsal | undefined;
  readonly problem: Problem | undefined;
}

/** It goes on while the person looks at another view. */
const state = signal<State>({ running: undefined, report: undefined, problem: undefined });

async function rehearse(days: number): Promise<void> {
  const stopping = new AbortController();
  const { report } = state.peek();
  state.value = { running: { days, stop: () => stopping.abort() }, report, problem: undefined };
  const answer = await runCommand("rehearse", { days }, stopping.signal);
  state.value = answer.ok
    ? { running: undefined, report: answer.value, problem: undefined }
    : { running: undefined, report, problem: stopping.signal.aborted ? undefined : answer.failure };
}

/** A preview of the loops' actions in the coming days. */
export function RehearsalPanel({ here }: { readonly here: SignedIn }): JSX.Element {
  const [days, setDays] = useState<number>(SPANS[1]);
  const { running, report, problem } = state.value;
  return (
    <section class="panel rehearsal" aria-label={words.autopilot.rehearsal.title}>
      <header>
        <div>
          <h2>{words.autopilot.rehearsal.title}</h2>
          <p class="soft small">{words.autopilot.rehearsal.lead}</p>
        </div>
      </header>
      <RoleNote here={here} needs="approver" what="rehearse" />
      {may(here, "approver") && (
        <div class="row">
          <Choices
            label={words.autopilot.rehearsal.span}
            options={SPANS.map((span) => ({ value: span, label: words.autopilot.rehearsal.days(span) }))}
            value={days}
            onChange={setDays}
          />
          {running === undefined ? (
            <button type="button" class="primary" onClick={() => void rehearse(days)}>
              <Icon name="play" size={16} />
              {words.autopilot.rehearsal.start}
            </button>
          ) : (
            <button type="button" onClick={running.stop}>
              <Icon name="close" size={16} />
              {words.autopilot.rehearsal.stop}
            </button>
          )}
        </div>
      )}
      {running !== undefined && (
        <div role="status">
          <p class="small">{words.autopilot.rehearsal.running(running.days)}</p>
          <span class="working" aria-hidden="true">
            <i />
          </span>
        </div>
      )}
      {problem !== undefined && <ProblemBox problem={problem} />}
      {report !== undefined && <Report report={report} timezone={here.timezone} />}
    </section>
  );
}

function Report({
  report,
  timezone,
}: {
  readonly report: Rehearsal;
  readonly timezone: string;
}): JSX.Element {
  const { totals, caps, days, entries, left_out: leftOut } = report;
  const held = report.loops.flatMap(({ name, held_back }) => held_back.map((one) => ({ name, ...one })));
  return (
    <div class="rehearsed fade">
      <p class="soft small num">
        {words.autopilot.rehearsal.fromTo(dateTime(report.from, timezone), dateTime(report.to, timezone))}
      </p>
      {report.ended_early !== null && (
        <p class="verdict bad">
          <Icon name="warning" size={16} />
          <Plain text={words.autopilot.rehearsal.early(report.ended_early)} />
        </p>
      )}
      <dl class="outcome-figures num">
        {(["goes_out", "waits", "refused"] as const).map((outcome) => (
          <div key={outcome}>
            <dt>{words.autopilot.rehearsal.outcomes[outcome]}</dt>
            <dd>{count(totals[outcome])}</dd>
          </div>
        ))}
        <div>
          <dt>{words.autopilot.rehearsal.cost}</dt>
          <dd>{price(totals.cost_usd)}</dd>
        </div>
        <div>
          <dt>{words.autopilot.rehearsal.forecast}</dt>
          <dd class="small">
            {report.forecast.total_usd === null ? words.spend.tooEarly : price(report.forecast.total_usd)}
          </dd>
        </div>
        <div>
          <dt>{words.autopilot.rehearsal.dearest}</dt>
          <dd class="small">{words.autopilot.rehearsal.costOf(caps.dearest_day_usd, caps.day_usd)}</dd>
        </div>
        <div>
          <dt>{words.autopilot.rehearsal.monthEnd}</dt>
          <dd class="small">{words.autopilot.rehearsal.costOf(caps.month_end_usd, caps.month_usd)}</dd>
        </div>
      </dl>
      <DataTable
        caption={words.autopilot.rehearsal.title}
        head={[
          words.autopilot.rehearsal.day,
          words.autopilot.rehearsal.goesOut,
          words.autopilot.rehearsal.waits,
          words.autopilot.rehearsal.refused,
          words.autopilot.rehearsal.dayCost,
        ]}
        rows={days.map((one) => [
          day(one.date, "weekday"),
          count(one.goes_out),
          count(one.waits),
          count(one.refused),
          price(one.cost_usd),
        ])}
      />
      {entries.length === 0 ? (
        <p class="soft">{words.autopilot.rehearsal.nothing}</p>
      ) : (
        days
          .filter((one) => one.goes_out + one.waits + one.refused > 0)
          .map((one, index) => (
            <details key={one.date} class="rehearsed-day" open={index === 0}>
              <summary>
                <b>{day(one.date, "long")}</b>{" "}
                {words.autopilot.rehearsal.daySummary(one.goes_out, one.waits, one.refused)}
              </summary>
              <ul>
                {entries
                  .filter(({ date }) => date === one.date)
                  .map((entry, place) => (
                    <Entry key={place} entry={entry} timezone={report.timezone} />
                  ))}
              </ul>
            </details>
          ))
      )}
      <Notes title={words.autopilot.rehearsal.heldBack}>
        {held.map(({ name, reason, times }) => (
          <li key={`${name} ${reason}`}>
            <b>{words.autopilot.loopNames[name] ?? name}</b> <Plain text={reason} />{" "}
            <span class="soft">{words.autopilot.rehearsal.times(times)}</span>
          </li>
        ))}
      </Notes>
      <Notes title={words.autopilot.rehearsal.leftOut}>
        {leftOut.map(({ loop, reason }) => (
          <li key={loop}>
            <b>{words.autopilot.loopNames[loop] ?? loop}</b> <Plain text={reason} />
          </li>
        ))}
      </Notes>
      <Notes title={words.autopilot.rehearsal.assumptions}>
        {report.assumptions.map((line) => (
          <li key={line}>
            <Plain text={line} />
          </li>
        ))}
      </Notes>
    </div>
  );
}

function Entry({
  entry,
  timezone,
}: {
  readonly entry: Rehearsal["entries"][number];
  readonly timezone: string;
}): JSX.Element {
  const { at, outcome, loop, tool, texts: said, answers, reason, cost_usd: cost } = entry;
  return (
    <li>
      <time class="num soft" dateTime={at}>
        {clockTime(Date.parse(at), timezone)}
      </time>
      <span class={`chip ${TONES[outcome]}`}>{words.autopilot.rehearsal.outcomes[outcome]}</span>
      <div>
        <p class="small soft">
          {words.autopilot.loopNames[loop] ?? loop}
          {answers !== null && <Plain text={` ${words.autopilot.rehearsal.answers(answers.author)}`} />}
        </p>
        {answers !== null && (
          <blockquote class="stranger">
            <Plain text={answers.text} />
          </blockquote>
        )}
        <p class="post-text">
          <Plain text={said[0] ?? tool} />
        </p>
        {said.length > 1 && <p class="soft small">{words.autopilot.rehearsal.more(said.length - 1)}</p>}
        {reason !== null && (
          <p class="small soft">
            <Plain text={reason} />
          </p>
        )}
      </div>
      <span class="num soft">{cost > 0 ? price(cost) : ""}</span>
    </li>
  );
}

function Notes({ title, children }: { readonly title: string; readonly children: readonly JSX.Element[] }) {
  if (children.length === 0) return null;
  return (
    <section class="notes" aria-label={title}>
      <h3>{title}</h3>
      <ul>{children}</ul>
    </section>
  );
}
