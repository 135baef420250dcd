import type { JSX } from "preact";
import { dateTime } from "../format/dates.ts";
import { Counter } from "../parts/counter.tsx";
import { OwnPost } from "../parts/post-card.tsx";
import { OwnText, Plain } from "../parts/post-text.tsx";
import { words } from "../text/words.ts";
import { type Answer, textsIn } from "./answer.ts";
import { appWords } from "./words.ts";

/** A post or thread as X will show it, counted as X counts. */
export function PostPreview({ answer }: { readonly answer: Answer }): JSX.Element {
  const { data, error } = answer;
  const texts = textsIn(data);
  if (texts.length === 0)
    return (
      <p class="empty-app">
        <Plain text={error ?? appWords.noText} />
      </p>
    );
  const { draft_id: id, scheduled_for: at } = data;
  return (
    <section class="app-item">
      <p class="state">
        <b>{typeof id === "number" ? appWords.draft(id) : appWords.preview}</b>
        {typeof at === "string" && <span class="soft"> {appWords.goesOut(dateTime(at))}</span>}
      </p>
      <div class="card acts-on">
        {texts.map((text, index) => (
          <div class="proposal" key={index}>
            <OwnPost
              handle={appWords.you}
              note={texts.length > 1 ? words.post.part(index + 1, texts.length) : words.post.asShown}
            >
              <p class="post-text" dir="auto">
                <OwnText text={text} />
              </p>
              <p class="post-figures">
                <Counter text={text} />
              </p>
            </OwnPost>
          </div>
        ))}
      </div>
    </section>
  );
}
