import { POST_LIMIT, weighPost } from "@toolpact/x-api/text";
import type { JSX } from "preact";
import { words } from "../text/words.ts";

const RADIUS = 9;
const ROUND = 2 * Math.PI * RADIUS;
const FEW = 20;
/** X folds what is longer, also for those who may write more. */
const FOLD = POST_LIMIT;

/** How much of a post's limit a text takes, as X counts. */
export function Counter({ text, limit }: { readonly text: string; readonly limit?: number }): JSX.Element {
  const { weighted_length: used, limit: most, billable_as } = weighPost(text, limit);
  const left = most - used;
  const tone = left < 0 ? "bad" : left <= FEW ? "warn" : "";
  return (
    <span class={`counter ${tone}`}>
      <svg class={`ring ${tone}`} viewBox="0 0 22 22" aria-hidden="true" focusable="false">
        <circle class="track" cx="11" cy="11" r={RADIUS} />
        <circle
          class="value"
          cx="11"
          cy="11"
          r={RADIUS}
          stroke-dasharray={`${Math.min(1, used / most) * ROUND} ${ROUND}`}
        />
      </svg>
      <span>
        {most > FOLD ? words.post.lengthLong(used, most) : words.post.length(used, most)}
        {billable_as === "post_with_url" && ` · ${words.post.hasLink}`}
      </span>
    </span>
  );
}
