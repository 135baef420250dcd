import type { JSX } from "preact";
import type { ShownFile } from "tuitbot/src/web/api.ts";
import type { ItemSchedule } from "../../api/shapes.ts";
import { dateTime } from "../../format/dates.ts";
import { Icon } from "../../parts/icons.tsx";
import { Medium } from "../../parts/media-grid.tsx";
import { OwnText, Plain } from "../../parts/post-text.tsx";
import { words } from "../../text/words.ts";
import { argumentTexts } from "./item-content.ts";

type Series = NonNullable<ItemSchedule["series"]>;

/** Every post of a series: what is the same once, with all its times. */
export function SeriesPosts({ series }: { readonly series: Series }): JSX.Element {
  const { repeats, until, posts } = series;
  const alike = Map.groupBy(posts, ({ args, media }) => JSON.stringify([argumentTexts(args), media]));
  return (
    <div class="card acts-on series">
      <p>
        <b>{words.inbox.seriesAll(posts.length)}</b>{" "}
        <span class="soft">
          <Plain text={repeats} />, {words.inbox.seriesUntil(dateTime(until))}
        </span>
      </p>
      <ol>
        {[...alike].map(([key, same]) => (
          <li key={key}>
            {argumentTexts(same[0]?.args ?? {}).map((text, index) => (
              <p class="post-text" dir="auto" key={index}>
                <OwnText text={text} />
              </p>
            ))}
            <Files files={filesIn(same[0]?.media ?? [])} />
            <p class="soft num">
              {same.map(({ at }, index) => (
                <time key={index} dateTime={at} title={at}>
                  {dateTime(at)}
                </time>
              ))}
            </p>
          </li>
        ))}
      </ol>
    </div>
  );
}

interface FilesProps {
  readonly files: readonly ShownFile[];
}

/** The files that are published, and what is said of them to those who do not see them. */
export function Files({ files }: FilesProps): JSX.Element | null {
  if (files.length === 0) return null;
  return (
    <ul class="files">
      {files.map(({ file_path, alt_text }, index) => (
        <li key={index}>
          {file_path !== null && <Medium path={file_path} altText={alt_text} />}
          {file_path === null && (
            <p class="unread">
              <Icon name="warning" size={16} />
              {words.inbox.fileUnknown}
            </p>
          )}
          <p dir="auto">
            <span class="soft">{words.inbox.altText}</span>{" "}
            {alt_text === undefined ? words.media.noAltText : <Plain text={alt_text} />}
          </p>
        </li>
      ))}
    </ul>
  );
}

/** The files of one post of a series. */
function filesIn(media: Series["posts"][number]["media"]): readonly ShownFile[] {
  return media.map(({ post, file_path, alt_text }) => ({
    post: Number(post),
    file_path: String(file_path),
    ...(typeof alt_text === "string" && { alt_text }),
  }));
}
