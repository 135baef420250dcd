import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { runCommand } from "../api/client.ts";
import { useQuery } from "../api/query.ts";
import type { Spend as SpendReport } from "../api/shapes.ts";
import { dateTime, day } from "../format/dates.ts";
import { count, price, share } from "../format/numbers.ts";
import { ChartPanel } from "../parts/chart-panel.tsx";
import { BarChart } from "../parts/charts.tsx";
import { Choices } from "../parts/choices.tsx";
import { saveCsv } from "../parts/csv.ts";
import { Dialog, DialogEnd } from "../parts/dialog.tsx";
import { Empty } from "../parts/empty.tsx";
import { Figure } from "../parts/figure.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { Plain } from "../parts/post-text.tsx";
import { Ranked } from "../parts/ranked.tsx";
import { useFilter } from "../parts/route.ts";
import { words } from "../text/words.ts";

const SPANS = [14, 30, 90] as const;

/** X's charges, against the caps. */
export function Spend(): JSX.Element {
  const [asked, setDays] = useFilter("days");
  const days = SPANS.find((span) => String(span) === asked) ?? SPANS[0];
  const query = useQuery(`spend-${days}`, () => runCommand("spend", { days }), ["spend"]);
  return (
    <Page
      title={words.views.spend}
      lead={words.spend.lead}
      actions={
        <>
          <Choices
            label={words.spend.span}
            options={SPANS.map((span) => ({ value: span, label: words.spend.days(span) }))}
            value={days}
            onChange={(span) => setDays(String(span))}
          />
          <button
            type="button"
            disabled={query.value === undefined}
            onClick={() =>
              saveCsv(
                "tuitbot-spend",
                [words.spend.day, words.spend.requestsHead, words.spend.cost],
                (query.value?.daily ?? []).map(({ date, calls, cost }) => [date, calls, cost]),
              )
            }
          >
            {words.general.csv}
          </button>
        </>
      }
    >
      <Loaded query={query} height={480}>
        {(report) => <Report report={report} />}
      </Loaded>
    </Page>
  );
}

function Report({ report }: { readonly report: SpendReport }): JSX.Element {
  const { daily, summary, operations, day_cap_usd: cap } = report;
  const spentDays = daily.filter(({ cost }) => cost > 0);
  return (
    <>
      <div class="cards">
        <Cap title={words.spend.today} spent={report.day_usd} cap={cap} />
        <Cap title={words.spend.month} spent={report.month_usd} cap={report.month_cap_usd} />
        <Forecast report={report} />
        <NextWeek week={report.next_week} />
      </div>
      {spentDays.length === 0 ? (
        <Empty icon="spend" title={words.spend.empty} what={words.spend.emptyWhat} />
      ) : (
        <>
          <ChartPanel
            title={words.spend.perDay}
            note={words.spend.utc(price(summary.cost_all_time), summary.calls_all_time)}
            chart={
              <BarChart
                label={words.spend.perDay}
                points={daily.map(({ date, cost }) => ({ label: day(date), value: cost }))}
                format={price}
                bound={cap === null ? undefined : { value: cap, label: words.spend.capOf(cap) }}
              />
            }
            table={{
              head: [words.spend.day, words.spend.requestsHead, words.spend.cost],
              rows: daily.toReversed().map(({ date, calls, cost }) => [day(date), count(calls), price(cost)]),
            }}
          />
          <div class="columns">
            <section class="panel">
              <header>
                <div>
                  <h2>{words.spend.perCaller}</h2>
                  <p class="soft small">{words.spend.callerNote}</p>
                </div>
              </header>
              <Ranked
                rows={report.callers.map(({ caller, calls, cost, error_count }) => ({
                  name: callerText(caller),
                  value: cost,
                  text: price(cost),
                  note: words.spend.operationNote(calls, error_count),
                }))}
              />
            </section>
            <section class="panel">
              <header>
                <h2>{words.spend.perOperation}</h2>
              </header>
              <Ranked
                rows={operations.map(({ endpoint, calls, cost, error_count }) => ({
                  name: words.spend.operations[endpoint] ?? endpoint,
                  value: cost,
                  text: price(cost),
                  note: words.spend.operationNote(calls, error_count),
                }))}
              />
            </section>
          </div>
        </>
      )}
    </>
  );
}

function Cap({
  title,
  spent,
  cap,
}: {
  readonly title: string;
  readonly spent: number;
  readonly cap: number | null;
}): JSX.Element {
  const part = cap === null || cap === 0 ? 0 : Math.min(1, spent / cap);
  return (
    <section class="panel figure">
      <h2>{title}</h2>
      <p class="big num">{price(spent)}</p>
      {cap === null ? (
        <p class="soft small">{words.spend.noCap}</p>
      ) : (
        <>
          <span class={`gauge wide ${part >= 1 ? "bad" : part >= 0.8 ? "warn" : ""}`}>
            <i style={{ width: `${part * 100}%` }} />
          </span>
          <p class="soft small num">{words.spend.ofCap(cap, share(part))}</p>
        </>
      )}
    </section>
  );
}

/** The name of a caller, as the ledger has it. */
function callerText(caller: string): string {
  if (caller === "") return words.spend.callerUnknown;
  if (caller === "tuitbot") return words.spend.itself;
  if (caller === "draft") return words.spend.drafts;
  const [, kind, name = ""] = /^(loop|page): ?(.+)$/.exec(caller) ?? [];
  if (kind === "loop") return words.spend.loop(words.autopilot.loopNames[name] ?? name);
  return kind === "page" ? words.spend.person(name) : caller;
}

/** Expected cost of scheduled posts and of the loops in the coming days, with the items that add up to it. */
function NextWeek({ week }: { readonly week: SpendReport["next_week"] }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { posts, scheduled_usd: scheduled, other_usd_per_day: perDay, total_usd: total } = week;
  return (
    <>
      <Figure
        title={words.spend.week}
        value={price(total ?? scheduled)}
        note={
          perDay === null
            ? words.spend.weekUnknown(posts.length, price(scheduled))
            : words.spend.weekHow(posts.length, price(scheduled), price(perDay))
        }
        onOpen={() => setOpen(true)}
      />
      {isOpen && (
        <Dialog title={words.spend.weekTitle} onClose={() => setOpen(false)} isSheet>
          {posts.length === 0 && <p class="soft">{words.spend.weekNothing}</p>}
          <ul class="cost-rows">
            {posts.map(({ draft, at, text, cost_usd: cost, waits }) => (
              <li key={`${draft} ${at}`}>
                <span>
                  <Plain text={text} />
                  <span class="soft small">
                    {dateTime(at)}
                    {waits && `, ${words.spend.weekWaits}`}
                  </span>
                </span>
                <b class="num">{price(cost)}</b>
              </li>
            ))}
            <li>
              <span>{words.spend.weekOther(Math.max(1, week.other_days))}</span>
              <b class="num">{week.other_usd === null ? words.spend.tooEarly : price(week.other_usd)}</b>
            </li>
          </ul>
          <DialogEnd onClose={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

/** The cost of the month so far, with the forecast of the rest of it. */
function Forecast({ report }: { readonly report: SpendReport }): JSX.Element {
  const { total_usd: rest, other_usd_per_day: perDay } = report.rest_of_month;
  const expected = rest === null ? null : report.month_usd + rest;
  const isOver = expected !== null && report.month_cap_usd !== null && expected > report.month_cap_usd;
  return (
    <section class="panel figure">
      <h2>{words.spend.forecast}</h2>
      <p class={expected === null ? "big unknown" : `big num ${isOver ? "bad" : ""}`}>
        {expected === null ? words.spend.tooEarly : price(expected)}
      </p>
      <p class="soft small num">
        {perDay === null
          ? words.spend.forecastLater
          : words.spend.forecastHow(report.rest_of_month.posts.length, price(perDay))}
      </p>
    </section>
  );
}
