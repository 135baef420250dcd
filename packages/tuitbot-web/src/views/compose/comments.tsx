import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { useQuery } from "../../api/query.ts";
import type { Draft, DraftComment } from "../../api/shapes.ts";
import { forgetUnsaved, keepUnsaved, unsavedAt, unsavedKey } from "../../api/unsaved.ts";
import { now } from "../../format/clock.ts";
import { since } from "../../format/dates.ts";
import { Icon } from "../../parts/icons.tsx";
import { Plain } from "../../parts/post-text.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { may } from "../../parts/role-note.tsx";
import { words } from "../../text/words.ts";

/** Notes of agents and comments of people about a draft. They are never published. */
export function Comments({ draft, here }: { readonly draft: Draft; readonly here: SignedIn }): JSX.Element {
  const { draft_id: id } = draft;
  const key = unsavedKey(here, "comment", id);
  const { text: begun } = Object(unsavedAt(key)) as { readonly text?: unknown };
  const query = useQuery(`draft-${id}`, () => runCommand("drafts", { id }), ["drafts"]);
  const [text, showText] = useState(typeof begun === "string" ? begun : "");
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  function type(next: string) {
    showText(next);
    if (next === "") forgetUnsaved(key);
    else keepUnsaved(key, { text: next });
  }
  async function change(request: { readonly text: string } | { readonly remove: number }): Promise<boolean> {
    setBusy(true);
    const answer = await runCommand("draft_comment", { id, ...request });
    setBusy(false);
    setProblem(answer.ok ? undefined : answer.failure);
    if (answer.ok) await query.reload();
    return answer.ok;
  }
  const comments = query.value?.comments ?? [];
  return (
    <section class="comments" aria-label={words.compose.comments.title}>
      {comments.map((comment) => (
        <Comment
          key={comment.id}
          comment={comment}
          onRemove={may(here, "approver") ? () => void change({ remove: comment.id }) : undefined}
        />
      ))}
      {may(here, "approver") && (
        <form
          class="row comment-form"
          onSubmit={async (event) => {
            event.preventDefault();
            if (text.trim() !== "" && (await change({ text: text.trim() }))) type("");
          }}
        >
          <input
            aria-label={words.compose.comments.write}
            placeholder={words.compose.comments.write}
            value={text}
            onInput={(event) => type(event.currentTarget.value)}
          />
          <button type="submit" class="small" disabled={isBusy || text.trim() === ""}>
            {words.compose.comments.add}
          </button>
        </form>
      )}
      {problem !== undefined && <ProblemBox problem={problem} />}
    </section>
  );
}

function Comment({
  comment: { author, at, is_agent, text },
  onRemove,
}: {
  readonly comment: DraftComment;
  readonly onRemove: (() => void) | undefined;
}): JSX.Element {
  return (
    <article class={is_agent ? "comment agent" : "comment"}>
      <p>
        <b>
          <Plain text={is_agent ? words.compose.comments.fromAgent : author} />
        </b>{" "}
        <time class="soft small" dateTime={at}>
          {since(at, now.value)}
        </time>
      </p>
      <p dir="auto">
        <Plain text={text} />
      </p>
      {is_agent && <p class="soft small">{words.compose.comments.agentNote}</p>}
      {onRemove !== undefined && (
        <button
          type="button"
          class="quiet small square close"
          aria-label={words.compose.comments.remove}
          onClick={onRemove}
        >
          <Icon name="close" size={16} />
        </button>
      )}
    </article>
  );
}
