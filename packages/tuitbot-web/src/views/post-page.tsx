import type { JSX } from "preact";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../api/client.ts";
import { useQuery } from "../api/query.ts";
import type { PublishedPost } from "../api/shapes.ts";
import { dateTime } from "../format/dates.ts";
import { count, score, signedShare } from "../format/numbers.ts";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icons.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { postAddress } from "../parts/post-address.ts";
import { OwnPost } from "../parts/post-card.tsx";
import { Plain } from "../parts/post-text.tsx";
import { addressOf } from "../parts/route.ts";
import { words } from "../text/words.ts";

const DAYS = 365;
const FIGURES = ["impressions", "likes", "reposts", "replies", "bookmarks", "score"] as const;

/** One published post with its numbers, next to those of the other posts of its kind. */
export function PostPage({ id, here }: { readonly id: string; readonly here: SignedIn }): JSX.Element {
  const query = useQuery(`performance-${DAYS}`, () => runCommand("performance", { days: DAYS }), ["runner"]);
  return (
    <Page
      title={words.analytics.post.title}
      lead={<a href={addressOf("analytics")}>{words.analytics.post.back}</a>}
    >
      <Loaded query={query} height={320}>
        {({ posts }) => {
          const post = posts.find((one) => one.id === id);
          return post === undefined ? (
            <Empty
              icon="analytics"
              title={words.analytics.post.unknown}
              what={words.analytics.post.unknownWhat}
            />
          ) : (
            <Known post={post} posts={posts} here={here} />
          );
        }}
      </Loaded>
    </Page>
  );
}

function Known({
  post,
  posts,
  here,
}: {
  readonly post: PublishedPost;
  readonly posts: readonly PublishedPost[];
  readonly here: SignedIn;
}): JSX.Element {
  const texts = words.analytics.post;
  const { figures, kind } = post;
  const others = posts.flatMap((one) =>
    one.kind === kind && one.id !== post.id && one.figures !== null ? [one.figures] : [],
  );
  const mean = (name: (typeof FIGURES)[number]) =>
    others.reduce((sum, one) => sum + one[name], 0) / Math.max(1, others.length);
  const handle = here.account.username === null ? here.account.id : `@${here.account.username}`;
  return (
    <>
      <div class="card">
        <OwnPost handle={handle} note={dateTime(post.published_at)}>
          <p class="post-text">
            <Plain text={post.text} />
          </p>
          {post.is_elsewhere && <p class="soft small">{texts.elsewhere}</p>}
          {post.posts > 1 && <p class="soft small">{texts.thread(post.posts)}</p>}
        </OwnPost>
      </div>
      {figures === null ? (
        <p class="soft">{texts.notMeasured}</p>
      ) : (
        <>
          <dl class="facts">
            {FIGURES.map((name) => (
              <div key={name}>
                <dt>{texts.figures[name]}</dt>
                <dd>
                  {name === "score" ? score(figures.score) : count(figures[name])}
                  {others.length >= MIN_OTHERS && mean(name) > 0 && (
                    <small>{texts.against(signedShare(figures[name] / mean(name) - 1))}</small>
                  )}
                </dd>
              </div>
            ))}
          </dl>
          <p class="soft small">
            {others.length >= MIN_OTHERS
              ? texts.compared(others.length, words.analytics.kindNames[kind] ?? kind)
              : texts.tooFew}{" "}
            {words.analytics.rows.lead}
          </p>
        </>
      )}
      {!here.is_sandbox && (
        <p>
          <a class="button" href={postAddress(post.id)} target="_blank" rel="noreferrer">
            <Icon name="link" size={16} />
            {texts.onX}
          </a>
        </p>
      )}
    </>
  );
}

/** An average of fewer posts says nothing. */
const MIN_OTHERS = 5;
