import type { JSX } from "preact";
import { count, short } from "../format/numbers.ts";
import { LineChart } from "../parts/charts.tsx";
import { Figure } from "../parts/figure.tsx";
import { Plain } from "../parts/post-text.tsx";
import { Ranked } from "../parts/ranked.tsx";
import { type Answer, membersOf } from "./answer.ts";
import { appWords } from "./words.ts";

/** The figures of an answer about the account: whichever of them it has. */
export function Analytics({ answer }: { readonly answer: Answer }): JSX.Element {
  const { data, error } = answer;
  if (error !== undefined)
    return (
      <p class="empty-app">
        <Plain text={error} />
      </p>
    );
  const days = rowsIn(data.follower_trend ?? data.days);
  const followers = membersOf(data.followers);
  const engagement = membersOf(data.engagement);
  const current = numberIn(followers.current ?? days.at(-1)?.follower_count);
  const changes = [
    [numberIn(followers.change_7d ?? data.net_follower_change_7d), appWords.change7],
    [numberIn(followers.change_30d ?? data.net_follower_change_30d), appWords.change30],
  ] as const;
  const isSummary = data.engagement !== undefined || data.avg_tweet_engagement !== undefined;
  const post = numberIn(engagement.avg_tweet_score ?? data.avg_tweet_engagement);
  const reply = numberIn(engagement.avg_reply_score ?? data.avg_reply_engagement);
  const lists = [
    [appWords.topics, rowsIn(data.top_topics), (row: Row) => String(row.topic), "total_posts"],
    [appWords.times, rowsIn(data.best_times), (row: Row) => `${row.weekday} ${row.hour}:00`, "posts"],
    [appWords.kinds, rowsIn(data.content_breakdown), (row: Row) => String(row.content_type), "count"],
  ] as const;
  return (
    <>
      <div class="figures">
        <Figure
          title={appWords.followers}
          value={current === null ? null : count(current)}
          note={changes.flatMap(([value, say]) => (value === null ? [] : [say(signed(value))])).join(" · ")}
        />
        {isSummary && (
          <>
            <Figure
              title={appWords.posts}
              value={post === null ? null : score(post)}
              note={appWords.measured(numberIn(engagement.total_tweets ?? data.tweets_measured) ?? 0)}
            />
            <Figure
              title={appWords.replies}
              value={reply === null ? null : score(reply)}
              note={appWords.measured(numberIn(engagement.total_replies ?? data.replies_measured) ?? 0)}
            />
          </>
        )}
      </div>
      {days.length > 1 && (
        <section class="panel">
          <LineChart
            label={appWords.followers}
            format={short}
            points={days.map((day) => ({ label: String(day.date), value: numberIn(day.follower_count) }))}
          />
        </section>
      )}
      {lists.map(([title, rows, name, posts]) =>
        rows.length === 0 ? null : (
          <section class="panel" key={title}>
            <h2>{title}</h2>
            <Ranked
              rows={rows.map((row) => {
                const value = numberIn(row.avg_performance);
                return {
                  name: name(row),
                  value,
                  text: value === null ? "–" : score(value),
                  note: appWords.postsOf(numberIn(row[posts]) ?? 0),
                };
              })}
            />
          </section>
        ),
      )}
      {isSummary && post === null && reply === null && <p class="note">{appWords.notMeasured}</p>}
    </>
  );
}

type Row = Readonly<Record<string, unknown>>;

function rowsIn(list: unknown): readonly Row[] {
  return Array.isArray(list) ? list.map(membersOf) : [];
}

function numberIn(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

function score(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

function signed(value: number): string {
  return value > 0 ? `+${count(value)}` : count(value);
}
