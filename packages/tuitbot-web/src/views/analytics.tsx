import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callTool } from "../api/client.ts";
import type { Problem } from "../api/problem.ts";
import { changed, type Query, useQuery } from "../api/query.ts";
import type { AnalyticsSummary, ContentKind, FollowerDay } from "../api/shapes.ts";
import { day } from "../format/dates.ts";
import { change, count, score } from "../format/numbers.ts";
import { ChartPanel, DataTable } from "../parts/chart-panel.tsx";
import { LineChart, type Point } from "../parts/charts.tsx";
import { Choices } from "../parts/choices.tsx";
import { Empty } from "../parts/empty.tsx";
import { Heatmap } from "../parts/heatmap.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemBox } from "../parts/problem-box.tsx";
import { Ranked } from "../parts/ranked.tsx";
import { toast } from "../parts/toasts.tsx";
import { words } from "../text/en.ts";

const SPANS = [30, 90, 365] as const;
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** How the account does. What was not measured is said to be unknown. */
export function Analytics(): JSX.Element {
  const [days, setDays] = useState<number>(SPANS[0]);
  const summary = useQuery(
    "analytics",
    () => callTool<AnalyticsSummary>("get_analytics_summary", { heatmap: true }),
    ["activity", "runner"],
  );
  const trend = useQuery(
    `followers-${days}`,
    () => callTool<{ readonly days: readonly FollowerDay[] }>("get_follower_trend", { limit: days }),
    ["runner"],
  );
  return (
    <Page
      title={words.views.analytics}
      lead={words.analytics.lead}
      actions={
        <>
          <Choices
            label={words.analytics.span}
            options={SPANS.map((span) => ({ value: span, label: words.spend.days(span) }))}
            value={days}
            onChange={setDays}
          />
          <MeasureNow />
        </>
      }
    >
      <Loaded query={summary} height={560}>
        {(found) => <Report summary={found} trend={trend} />}
      </Loaded>
    </Page>
  );
}

/** Asks X for current figures, which costs money. */
function MeasureNow(): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  async function measure() {
    setBusy(true);
    const answer = await callTool<{ readonly measured: number }>("refresh_analytics");
    setBusy(false);
    setProblem(answer.ok ? undefined : answer.failure);
    if (!answer.ok) return;
    changed();
    toast(words.analytics.measured(answer.value.measured));
  }
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => void measure()}>
        {words.analytics.measure}
      </button>
      {problem !== undefined && <ProblemBox problem={problem} />}
    </>
  );
}

interface Props {
  readonly summary: AnalyticsSummary;
  readonly trend: Query<{ readonly days: readonly FollowerDay[] }>;
}

function Report({ summary, trend }: Props): JSX.Element {
  const { followers, engagement, heatmap, top_topics: topics, content_breakdown: kinds } = summary;
  const measured = kinds.reduce((sum, kind) => sum + kind.measured, 0);
  const views = kinds.reduce((sum, kind) => sum + kind.total_impressions, 0);
  return (
    <>
      <p class="report">{sentenceOf(summary, measured)}</p>
      <div class="cards">
        <Figure
          title={words.analytics.followers}
          value={followers.current === null ? null : count(followers.current)}
          note={words.analytics.change(known(followers.change_7d), known(followers.change_30d))}
        />
        <Figure
          title={words.analytics.views}
          value={measured === 0 ? null : count(views)}
          note={words.analytics.measuredPosts(measured)}
        />
        <Figure
          title={words.analytics.postScore}
          value={engagement.avg_tweet_score === null ? null : score(engagement.avg_tweet_score)}
          note={words.analytics.posts(engagement.total_tweets)}
        />
        <Figure
          title={words.analytics.replyScore}
          value={engagement.avg_reply_score === null ? null : score(engagement.avg_reply_score)}
          note={words.analytics.replies(engagement.total_replies)}
        />
      </div>
      <Loaded query={trend} height={260}>
        {({ days }) => <Followers days={days} />}
      </Loaded>
      <BestTimes heatmap={heatmap} />
      <div class="columns">
        <section class="panel">
          <header>
            <h2>{words.analytics.topics}</h2>
          </header>
          {topics.length === 0 ? (
            <p class="soft">{words.analytics.noTopics}</p>
          ) : (
            <Ranked
              rows={topics.map(({ topic, format, total_posts, avg_performance }) => ({
                name: format === "" ? topic : `${topic}, ${format}`,
                value: avg_performance,
                text: avg_performance === null ? words.general.unknown : score(avg_performance),
                note: words.analytics.posts(total_posts),
              }))}
            />
          )}
        </section>
        <section class="panel">
          <header>
            <h2>{words.analytics.kinds}</h2>
          </header>
          <Kinds kinds={kinds} />
        </section>
      </div>
    </>
  );
}

const known = (value: number | null) => (value === null ? words.general.unknown : change(value));

/** The report in words: only what is known, with its numbers. */
function sentenceOf(
  { followers, best_times: [best], top_topics: [topic] }: AnalyticsSummary,
  measured: number,
): string {
  const { sentences } = words.analytics;
  const parts = [
    followers.current === null
      ? sentences.noFollowers
      : sentences.followers(count(followers.current), known(followers.change_7d)),
    measured === 0 ? sentences.nothingMeasured : sentences.measured(measured),
    ...(best === undefined || best.avg_performance === null
      ? []
      : [sentences.best(best.weekday, `${String(best.hour).padStart(2, "0")}:00`, best.posts)]),
    ...(topic === undefined || topic.avg_performance === null ? [] : [sentences.topic(topic.topic)]),
  ];
  return parts.join(" ");
}

function Figure(props: {
  readonly title: string;
  readonly value: string | null;
  readonly note: string;
}): JSX.Element {
  return (
    <section class="panel figure">
      <h2>{props.title}</h2>
      <p class={props.value === null ? "big unknown" : "big num"}>
        {props.value ?? words.general.notMeasured}
      </p>
      <p class="soft small num">{props.note}</p>
    </section>
  );
}

function Followers({ days }: { readonly days: readonly FollowerDay[] }): JSX.Element {
  if (days.length < 2)
    return (
      <section class="panel">
        <header>
          <h2>{words.analytics.followersPerDay}</h2>
        </header>
        <p class="soft">{words.analytics.oneDay}</p>
      </section>
    );
  const points = everyDay(days);
  return (
    <ChartPanel
      title={words.analytics.followersPerDay}
      chart={<LineChart label={words.analytics.followersPerDay} points={points} format={count} />}
      table={{
        head: [words.spend.day, words.analytics.followers],
        rows: points
          .toReversed()
          .map(({ label, value }) => [label, value === null ? words.general.unknown : count(value)]),
      }}
    />
  );
}

const DAY_MS = 86_400_000;

/** Every day from the first to the last, those without a count as unknown. */
function everyDay(days: readonly FollowerDay[]): readonly Point[] {
  const counts = new Map(days.map(({ date, follower_count }) => [date, follower_count]));
  const first = Date.parse(days[0]?.date ?? "");
  const last = Date.parse(days.at(-1)?.date ?? "");
  return Array.from({ length: Math.round((last - first) / DAY_MS) + 1 }, (_, index) => {
    const date = new Date(first + index * DAY_MS).toISOString().slice(0, 10);
    return { label: day(date), value: counts.get(date) ?? null };
  });
}

function BestTimes({ heatmap }: Pick<AnalyticsSummary, "heatmap">): JSX.Element {
  if (heatmap.length === 0)
    return (
      <section class="panel">
        <header>
          <h2>{words.analytics.bestTimes}</h2>
        </header>
        <Empty
          icon="clock"
          title={words.analytics.noTimes}
          what={words.analytics.noTimesWhat}
          command="tuitbot tick --loops analytics"
        />
      </section>
    );
  const cells = heatmap.map(({ weekday, hour, posts, avg_performance }) => ({
    weekday: WEEKDAYS.indexOf(weekday),
    hour,
    posts,
    value: avg_performance,
  }));
  return (
    <ChartPanel
      title={words.analytics.bestTimes}
      note={words.analytics.bestTimesNote}
      chart={<Heatmap cells={cells} format={score} />}
      table={{
        head: [words.analytics.hour, words.analytics.postsHead, words.analytics.score],
        rows: heatmap.map(({ weekday, hour, posts, avg_performance }) => [
          `${weekday} ${String(hour).padStart(2, "0")}:00`,
          count(posts),
          avg_performance === null ? words.general.unknown : score(avg_performance),
        ]),
      }}
    />
  );
}

function Kinds({ kinds }: { readonly kinds: readonly ContentKind[] }): JSX.Element {
  if (kinds.length === 0) return <p class="soft">{words.analytics.nothingOut}</p>;
  return (
    <DataTable
      caption={words.analytics.kinds}
      head={[
        words.analytics.kind,
        words.analytics.out,
        words.analytics.measuredHead,
        words.analytics.score,
        words.analytics.views,
      ]}
      rows={kinds.map(({ content_type, count: out, measured, avg_performance, total_impressions }) => [
        words.analytics.kindNames[content_type] ?? content_type,
        count(out),
        count(measured),
        avg_performance === null ? words.general.unknown : score(avg_performance),
        measured === 0 ? words.general.unknown : count(total_impressions),
      ])}
    />
  );
}
