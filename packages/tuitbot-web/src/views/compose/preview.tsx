import { parsePost } from "@toolpact/x-api/text";
import type { JSX } from "preact";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { Icon } from "../../parts/icons.tsx";
import { MediaGrid } from "../../parts/media-grid.tsx";
import { postAddress } from "../../parts/post-address.ts";
import { OwnPost } from "../../parts/post-card.tsx";
import { PostMarks } from "../../parts/post-marks.tsx";
import { OwnText, Plain } from "../../parts/post-text.tsx";
import { words } from "../../text/words.ts";
import type { Editing } from "./editing.ts";

/** Posts as X will show them. */
export function Preview({
  editing,
  here,
}: {
  readonly editing: Editing;
  readonly here: SignedIn;
}): JSX.Element {
  const { texts, media, options } = editing;
  const handle = here.account.username === null ? here.account.id : `@${here.account.username}`;
  const about = options.in_reply_to_id ?? options.quoted_tweet_id;
  return (
    <div class="card acts-on">
      {texts.map((text, index) => {
        const files = media.filter(({ post }) => post === index + 1);
        const hasPoll = index === 0 && options.poll_options !== undefined;
        return (
          <div class="proposal" key={index}>
            <OwnPost
              handle={handle}
              name={here.account.name}
              note={texts.length > 1 ? words.post.part(index + 1, texts.length) : words.compose.asNow}
            >
              {index === 0 && about !== undefined && (
                <p class="soft small">
                  {options.quoted_tweet_id === undefined
                    ? words.compose.options.replies
                    : words.compose.options.quotes}{" "}
                  <a href={postAddress(about)} target="_blank" rel="noreferrer">
                    {words.compose.options.aPost}
                  </a>
                </p>
              )}
              <p class={text === "" ? "post-text soft" : "post-text"} dir="auto">
                {text === "" ? words.compose.nothing : <OwnText text={text} shortensLinks />}
              </p>
              <MediaGrid files={files} />
              {files.length === 0 && !hasPoll && <LinkCard text={text} />}
              {index === 0 && <PostMarks options={options} />}
            </OwnPost>
          </div>
        );
      })}
    </div>
  );
}

/** X shows a card for the last link of a post without media. Its title and picture are the page's, which is not loaded. */
function LinkCard({ text }: { readonly text: string }): JSX.Element | null {
  const last = parsePost(text).urls.at(-1);
  if (last === undefined) return null;
  const link = parsePost(text).text.slice(last.start, last.end);
  const [host = ""] = link.replace(/^https?:\/\//i, "").split(/[/?#]/);
  return (
    <div class="link-card">
      <span class="link-picture">
        <Icon name="link" size={20} />
      </span>
      <span>
        <b>
          <Plain text={host} />
        </b>
        <span class="soft small">{words.compose.linkCard}</span>
      </span>
    </div>
  );
}
