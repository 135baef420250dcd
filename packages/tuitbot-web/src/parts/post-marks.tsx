import type { JSX } from "preact";
import type { DraftOptions } from "../api/shapes.ts";
import { words } from "../text/words.ts";
import { Plain } from "./post-text.tsx";

type Marks = Pick<DraftOptions, "poll_options" | "reply_settings" | "made_with_ai" | "paid_partnership">;

/** The poll of a post, who may reply, and its labels. */
export function PostMarks({ options }: { readonly options: Marks }): JSX.Element {
  const texts = words.compose.options;
  const { poll_options, reply_settings, made_with_ai, paid_partnership } = options;
  const marks = [
    ...(reply_settings === undefined ? [] : [texts.repliersAre(texts.replierNames[reply_settings])]),
    ...(made_with_ai ? [texts.labels.made_with_ai] : []),
    ...(paid_partnership ? [texts.labels.paid_partnership] : []),
  ];
  return (
    <>
      {poll_options !== undefined && (
        <ul class="poll-preview" aria-label={texts.poll}>
          {poll_options.map((choice, index) => (
            <li key={index} class={choice === "" ? "soft" : undefined}>
              {choice === "" ? texts.choice(index + 1) : <Plain text={choice} />}
            </li>
          ))}
        </ul>
      )}
      {marks.length > 0 && <p class="soft small">{marks.join(" · ")}</p>}
    </>
  );
}
