import type { JSX } from "preact";
import type { PublishedPost } from "../api/shapes.ts";
import { now } from "../format/clock.ts";
import { since } from "../format/dates.ts";
import { count, score } from "../format/numbers.ts";
import { words } from "../text/words.ts";
import { TableBox } from "./chart-panel.tsx";
import { Dialog, DialogEnd } from "./dialog.tsx";
import { Plain } from "./post-text.tsx";

interface Props {
  readonly title: string;
  readonly posts: readonly PublishedPost[];
  /** The number of posts in the metric, if older ones are no longer listed individually. */
  readonly outOf?: number | undefined;
  readonly onClose: () => void;
}

/** The posts that a figure was computed from, each with its own figures. */
export function PostRows({ title, posts, outOf = posts.length, onClose }: Props): JSX.Element {
  const texts = words.analytics.rows;
  return (
    <Dialog title={title} onClose={onClose} isSheet>
      <p class="soft small">{texts.lead}</p>
      {outOf > posts.length && <p class="verdict warn">{texts.older(outOf - posts.length)}</p>}
      {posts.length === 0 ? (
        <p>{texts.none}</p>
      ) : (
        <TableBox class="post-rows" caption={title} head={head()}>
          {posts.map((post) => (
            <Row key={post.id} post={post} />
          ))}
        </TableBox>
      )}
      <DialogEnd onClose={onClose} />
    </Dialog>
  );
}

const head = () => [
  words.analytics.rows.post,
  words.analytics.rows.out,
  words.analytics.views,
  words.analytics.rows.likes,
  words.analytics.rows.reposts,
  words.analytics.rows.replies,
  words.analytics.rows.marks,
  words.analytics.score,
];

function Row({ post }: { readonly post: PublishedPost }): JSX.Element {
  const { figures, text, topic, kind } = post;
  const heads = head();
  const note = [words.analytics.kindNames[kind] ?? kind, ...(topic === null ? [] : [topic])].join(", ");
  return (
    <tr>
      <td>
        <span class="row-text">
          <Plain text={text} />
        </span>
        <span class="soft small">
          <Plain text={note} />
        </span>
      </td>
      <td class="right" data-label={heads[1]}>
        {since(post.published_at, now.value)}
      </td>
      {figures === null ? (
        <td class="right soft" colSpan={6}>
          {words.general.notMeasured}
        </td>
      ) : (
        <>
          {[figures.impressions, figures.likes, figures.reposts, figures.replies, figures.bookmarks].map(
            (value, index) => (
              <td key={index} class="right" data-label={heads[index + 2]}>
                {count(value)}
              </td>
            ),
          )}
          <td class="right" data-label={heads[7]}>
            {score(figures.score)}
          </td>
        </>
      )}
    </tr>
  );
}
