import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { callTool, runCommand } from "../api/client.ts";
import type { Problem } from "../api/problem.ts";
import { changed, type Query, useQuery } from "../api/query.ts";
import type {
  AnalyticsSummary,
  ContentKind,
  FollowerDay,
  Performance,
  PublishedPost,
} from "../api/shapes.ts";
import { DAY_MS, day } from "../format/dates.ts";
import { change, count, score, signedShare } from "../format/numbers.ts";
import { WEEKDAYS } from "../format/zones.ts";
import { ChartPanel, DataTable } from "../parts/chart-panel.tsx";
import { BarChart, LineChart, type Point } from "../parts/charts.tsx";
import { Choices } from "../parts/choices.tsx";
import { saveCsv } from "../parts/csv.ts";
import { Dialog, DialogEnd } from "../parts/dialog.tsx";
import { Empty } from "../parts/empty.tsx";
import { Figure } from "../parts/figure.tsx";
import { Heatmap } from "../parts/heatmap.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { PostRows } from "../parts/post-rows.tsx";
import { Plain } from "../parts/post-text.tsx";
import { ProblemBox } from "../parts/problem-box.tsx";
import { Ranked } from "../parts/ranked.tsx";
import { may, RoleNote } from "../parts/role-note.tsx";
import { addressOf, go, route, useFilter } from "../parts/route.ts";
import { toast } from "../parts/toasts.tsx";
import { words } from "../text/words.ts";
import { PostPage } from "./post-page.tsx";

const SPANS = [30, 90, 365] as const;
const MAX_RANKED = 8;

/** How the account does. What was not measured is said to be unknown, and every figure opens its rows. */
export function Analytics({ here }: { readonly here: SignedIn }): JSX.Element {
  const [asked, setDays] = useFilter("days");
  const days = SPANS.find((span) => String(span) === asked) ?? SPANS[0];
  const topics = ["activity", "runner"];
  const summary = useQuery(
    "analytics",
    () => callTool<AnalyticsSummary>("get_analytics_summary", { heatmap: true }),
    topics,
  );
  const performance = useQuery(`performance-${days}`, () => runCommand("performance", { days }), topics);
  const trend = useQuery(
    `followers-${days}`,
    () => callTool<{ readonly days: readonly FollowerDay[] }>("get_follower_trend", { limit: days }),
    ["runner"],
  );
  const { thing } = route.value;
  if (thing !== undefined) return <PostPage id={thing} here={here} />;
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
            onChange={(span) => setDays(String(span))}
          />
          <button
            type="button"
            disabled={performance.value === undefined}
            onClick={() => exportPosts(performance.value?.posts ?? [])}
          >
            {words.general.csv}
          </button>
          {may(here, "owner") && <MeasureNow />}
        </>
      }
    >
      <RoleNote here={here} needs="owner" what="measure" />
      <Loaded query={summary} height={560}>
        {(found) => (
          <Loaded query={performance} height={560}>
            {(measured) => <Report summary={found} performance={measured} trend={trend} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

function exportPosts(posts: readonly PublishedPost[]): void {
  const { figures } = words.analytics.post;
  const names = ["impressions", "likes", "reposts", "replies", "bookmarks", "score"] as const;
  saveCsv(
    "tuitbot-posts",
    [
      "id",
      words.analytics.rows.out,
      words.analytics.kind,
      words.analytics.rows.post,
      ...names.map((name) => figures[name]),
    ],
    posts.map((post) => [
      post.id,
      post.published_at,
      post.kind,
      post.text,
      ...names.map((name) => post.figures?.[name] ?? null),
    ]),
  );
}

/** Asks X for current figures, which costs money. */
function MeasureNow(): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  async function measure() {
    setBusy(true);
    const found = await runCommand("posts_read");
    const answer = found.ok ? await callTool<{ readonly measured: number }>("refresh_analytics") : found;
    setBusy(false);
    setProblem(answer.ok ? undefined : answer.failure);
    if (!answer.ok) return;
    changed();
    const elsewhere = found.ok ? found.value.found : 0;
    toast(
      [
        words.analytics.measured(answer.value.measured),
        ...(elsewhere > 0 ? [words.analytics.elsewhere(elsewhere)] : []),
      ].join(" "),
    );
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

/** The rows that are shown behind a figure. */
type Opened =
  | { readonly title: string; readonly posts: readonly PublishedPost[]; readonly outOf?: number }
  | "followers";

interface Props {
  readonly summary: AnalyticsSummary;
  readonly performance: Performance;
  readonly trend: Query<{ readonly days: readonly FollowerDay[] }>;
}

function Report({ summary, performance, trend }: Props): JSX.Element {
  const { heatmap, top_topics: topics, content_breakdown: kinds } = summary;
  const { posts, days, week } = performance;
  const [opened, setOpened] = useState<Opened>();
  const known = posts.filter(({ figures }) => figures !== null);
  const open = (title: string, rows: readonly PublishedPost[], outOf = rows.length) =>
    setOpened({ title, posts: rows, outOf });
  const ofWeek = posts.filter(({ published_at }) => published_at > week.from);
  const ranked =
    known.length < MIN_SAMPLES
      ? []
      : known.toSorted((a, b) => (b.figures?.score ?? 0) - (a.figures?.score ?? 0)).slice(0, MAX_RANKED);
  const texts = words.analytics.cards;
  return (
    <>
      <div class="cards">
        <Figure
          title={words.analytics.followers}
          value={week.followers === null ? null : count(week.followers)}
          delta={week.followers_change === null ? undefined : deltaOf(week.followers_change, change)}
          note={
            week.followers_change === null
              ? texts.changeLater
              : week.followers_change_30d === null
                ? texts.sinceWeek
                : texts.month(change(week.followers_change_30d))
          }
          openLabel={words.general.days}
          onOpen={() => setOpened("followers")}
        />
        {(["impressions", "engagement"] as const).map((name) => (
          <Figure
            key={name}
            title={texts[name]}
            value={week.now[name] === null ? null : count(week.now[name])}
            delta={shareDelta(week.now[name], week.before[name])}
            note={words.analytics.measuredPosts(week.now.measured)}
            onOpen={() => open(texts[name], ofWeek)}
          />
        ))}
        <Figure
          title={texts.posts}
          value={count(week.now.posts)}
          delta={deltaOf(week.now.posts - week.before.posts, change)}
          note={texts.andReplies(week.now.replies)}
          onOpen={() => open(texts.posts, ofWeek)}
        />
      </div>
      <Loaded query={trend} height={260}>
        {({ days: counts }) => (
          <>
            <Followers days={counts} />
            {opened === "followers" && <FollowerRows days={counts} onClose={() => setOpened(undefined)} />}
          </>
        )}
      </Loaded>
      {days.length > 0 && (
        <div class="columns">
          <PerDay
            title={words.analytics.viewsPerDay}
            note={words.analytics.viewsNote}
            points={days.map(({ date, impressions }) => ({ label: day(date), value: impressions }))}
            head={words.analytics.views}
            onOpen={() => open(words.analytics.viewsPerDay, posts)}
          />
          <PerDay
            title={words.analytics.engagementPerDay}
            note={words.analytics.perDayNote}
            points={days.map(({ date, engagement: reactions }) => ({ label: day(date), value: reactions }))}
            head={words.analytics.engagement}
            onOpen={() => open(words.analytics.engagementPerDay, posts)}
          />
        </div>
      )}
      <BestTimes
        heatmap={heatmap}
        onOpen={(cell, name) =>
          open(
            name,
            known.filter(({ weekday, hour }) => weekday === cell.weekday && hour === cell.hour),
            cell.posts,
          )
        }
      />
      <section class="panel">
        <header>
          <h2>{words.analytics.best}</h2>
        </header>
        {ranked.length === 0 ? (
          <p class="soft">{words.analytics.noBest}</p>
        ) : (
          <Ranked
            rows={ranked.map((post) => ({
              name: post.text,
              value: post.figures?.score ?? null,
              text: score(post.figures?.score ?? 0),
              note: `${day(post.published_at.slice(0, 10))}, ${count(post.figures?.impressions ?? 0)} ${words.post.figures.views}`,
              onOpen: () => go(addressOf("analytics", post.id)),
            }))}
          />
        )}
      </section>
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
                name: format === "" || format === "tweet" ? topic : `${topic}, ${format}`,
                value: avg_performance,
                text: avg_performance === null ? words.general.unknown : score(avg_performance),
                note: words.analytics.posts(total_posts),
                onOpen: () =>
                  open(
                    words.analytics.rows.topic(topic),
                    known.filter((post) => post.topic === topic && (post.format ?? "") === format),
                    total_posts,
                  ),
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
      <section class="panel" aria-label={words.analytics.week.title}>
        <header>
          <h2>{words.analytics.week.title}</h2>
        </header>
        <p>
          <Plain text={weekOf(performance)} />
        </p>
      </section>
      {opened !== undefined && opened !== "followers" && (
        <PostRows {...opened} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}

/** Nothing is called best on fewer measured posts. */
const MIN_SAMPLES = 5;

function deltaOf(value: number, format: (value: number) => string) {
  return { text: format(value), tone: value > 0 ? "ok" : value < 0 ? "bad" : "" } as const;
}

/** The change in percent; undefined if there is nothing to compare with. */
function shareDelta(now: number | null, before: number | null) {
  if (now === null || before === null || before === 0) return undefined;
  // As it is shown, in whole percent.
  return deltaOf(Math.round(((now - before) / before) * 100) / 100, signedShare);
}

/** The week in words: only what is known, with its numbers. */
function weekOf({ week, posts }: Performance): string {
  const texts = words.analytics.week;
  const { now, before, followers, followers_change: moved } = week;
  const best = posts.find(({ id }) => id === week.best);
  const isQuiet = now.posts + now.replies + before.posts + before.replies === 0;
  return [
    isQuiet ? texts.nothing : texts.out(now.posts, now.replies, before.posts, before.replies),
    ...(now.impressions === null || now.engagement === null
      ? []
      : [texts.seen(now.measured, count(now.impressions), count(now.engagement))]),
    ...(best === undefined ? [] : [texts.best(best.text, score(best.figures?.score ?? 0))]),
    followers === null
      ? texts.noFollowers
      : moved === null
        ? texts.followersUnknown(count(followers))
        : texts.followers(count(followers), change(moved)),
  ].join(" ");
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
      table={tableOf(words.analytics.followers, points)}
    />
  );
}

function FollowerRows({
  days,
  onClose,
}: {
  readonly days: readonly FollowerDay[];
  readonly onClose: () => void;
}): JSX.Element {
  const points = days.map(({ date, follower_count }) => ({ label: day(date), value: follower_count }));
  return (
    <Dialog title={words.analytics.rows.followers} onClose={onClose} isSheet>
      {days.length === 0 ? (
        <p>{words.analytics.week.noFollowers}</p>
      ) : (
        <DataTable caption={words.analytics.rows.followers} {...tableOf(words.analytics.followers, points)} />
      )}
      <DialogEnd onClose={onClose} />
    </Dialog>
  );
}

function PerDay({
  title,
  note,
  points,
  head,
  onOpen,
}: {
  readonly title: string;
  readonly note: string;
  readonly points: readonly Point[];
  readonly head: string;
  readonly onOpen: () => void;
}): JSX.Element {
  return (
    <ChartPanel
      title={title}
      note={note}
      onOpen={onOpen}
      chart={
        points.every(({ value }) => value === null) ? (
          <p class="soft">{words.analytics.noneMeasured}</p>
        ) : (
          <BarChart label={title} points={points} format={count} />
        )
      }
      table={tableOf(head, points)}
    />
  );
}

function tableOf(head: string, points: readonly Point[]) {
  return {
    head: [words.spend.day, head],
    rows: points
      .toReversed()
      .map(({ label, value }) => [label, value === null ? words.general.unknown : count(value)]),
  };
}

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

function BestTimes({
  heatmap,
  onOpen,
}: Pick<AnalyticsSummary, "heatmap"> & Pick<Parameters<typeof Heatmap>[0], "onOpen">): JSX.Element {
  if (heatmap.length === 0)
    return (
      <section class="panel">
        <header>
          <h2>{words.analytics.bestTimes}</h2>
        </header>
        <Empty icon="clock" title={words.analytics.noTimes} what={words.analytics.noTimesWhat} />
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
      chart={<Heatmap cells={cells} format={score} onOpen={onOpen} />}
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
